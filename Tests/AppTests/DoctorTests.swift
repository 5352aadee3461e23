import Foundation
import TestSupport
import Testing

@testable import App

/// `commonplace doctor` of the built program.
@Suite struct DoctorTests {
    /// Marks by part: `ok`, `warn`, `BAD`.
    private func marks(_ finished: Program.Finished) -> [String: String] {
        let lines = finished.output.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
        return Dictionary(
            lines.filter { $0.count == 3 }.map { ($0[1], $0[0]) }, uniquingKeysWith: { first, _ in "\(first) twice" })
    }

    @Test func `a sound installation has nothing bad, and one line for each part`() async throws {
        try await withProgram(["COMMONPLACE_RATE_LIMITS": "on"]) { program in
            let finished = try await program.run("doctor")
            #expect(finished.status == 0, "\(finished.output)\(finished.errors)")
            var found = marks(finished)
            // On a machine that is busy a hash may well take more than a second.
            #expect(["ok", "warn"].contains(found.removeValue(forKey: "passwords")))
            #expect(found.removeValue(forKey: "pictures") == (Pictures.canBeConverted ? "ok" : "warn"))
            #expect(found.removeValue(forKey: "words in photographs") == (PrintedPages.canBeRead ? "ok" : "warn"))
            let parts = [
                "settings", "address", "disk", "open files", "mail", "database", "schema", "role", "clock", "jobs",
                "books",
                "metadata sources",
            ]
            #expect(found == Dictionary(uniqueKeysWithValues: parts.map { ($0, "ok") }), "\(finished.output)")
            #expect(finished.output.contains("books\tnone; load some"))
            #expect(finished.output.contains("off: a book that is missing is not looked up"))

            let spoilt = try await program.run("doctor", environment: ["COMMONPLACE_STREAM_FAULT": "drop"])
            #expect(spoilt.status == 1 && marks(spoilt).filter { $0.value == "BAD" }.keys.sorted() == ["settings"])
            #expect(spoilt.output.contains("COMMONPLACE_STREAM_FAULT=drop: one event in 1,000"))

            try "Id,Title\n1,One\n".write(toFile: program.folder + "/one.csv", atomically: true, encoding: .utf8)
            try "Id = key\nTitle = title\n".write(toFile: program.folder + "/map", atomically: true, encoding: .utf8)
            try await program.run("import", "csv", program.folder + "/one.csv", "--map", program.folder + "/map")
            let asked = ["COMMONPLACE_METADATA_SOURCES": "openlibrary"]
            let told = try await program.run("doctor", "--format", "jsonl", environment: asked).output
            #expect(told.contains(#"{"state":"ok","part":"books","detail":"1, 1 without a description"}"#), "\(told)")
            #expect(told.contains(#""part":"metadata sources","detail":"openlibrary""#), "\(told)")
        }
    }

    @Test func `without libvips pictures are off, which is said and is no fault`() async throws {
        let folder = NSTemporaryDirectory() + "commonplace-doctor-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let settings = try await Settings.load(
            flags: [:], environment: ["COMMONPLACE_DATA_DIR": folder], file: nil)
        let finding = await Doctor.pictures(settings, tools: nil)
        #expect(finding.mark == .warning && finding.detail.contains("libvips-tools"))
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test func `without tesseract, or a language that is wanted, words are off, which is said and is no fault`()
        async throws
    {
        let folder = NSTemporaryDirectory() + "commonplace-doctor-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let settings = try await Settings.load(
            flags: [:],
            environment: ["COMMONPLACE_DATA_DIR": folder, "COMMONPLACE_PHOTO_LANGUAGES": "eng, chi_tra,xyz"], file: nil)
        #expect(settings.photoLanguages == ["eng", "chi_tra", "xyz"])
        let off = await Doctor.words(settings, tools: nil)
        #expect(off.mark == .warning && off.detail.contains("tesseract-ocr"))
        if let tools = PrintedPages.tools {
            let lacking = await Doctor.words(settings, tools: tools)
            #expect(lacking.mark == .warning && lacking.detail.contains("tesseract-ocr-chi-tra, tesseract-ocr-xyz"))
        }
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test(arguments: ["en", "eng,eng", "eng+deu", "../eng", "eng,,deu", "aaa,bbb,ccc,ddd,eee,fff"])
    func `languages that tesseract cannot have are refused`(text: String) async {
        await #expect(throws: SettingError.self) {
            _ = try await Settings.load(flags: [:], environment: ["COMMONPLACE_PHOTO_LANGUAGES": text], file: nil)
        }
    }

    @Test func `what is wrong is named with what to do, and ends it with 1`() async throws {
        try await withProgram { program in
            let away = try await program.run(
                "doctor",
                environment: ["DATABASE_URL": "postgres://nobody@127.0.0.1:1/nowhere", "COMMONPLACE_TYPO": "x"])
            #expect(away.status == 1)
            let found = marks(away)
            #expect(found["database"] == "BAD" && found["settings"] == "warn")
            #expect(away.output.contains("COMMONPLACE_TYPO") && away.output.contains("COMMONPLACE_RATE_LIMITS=off"))
            #expect(found["schema"] == nil, "what cannot be known is not told")

            let open = [
                "COMMONPLACE_LISTEN": "0.0.0.0:\(program.port)", "COMMONPLACE_RATE_LIMITS": "on",
                "COMMONPLACE_NEW_ACCOUNT_HOURS": "24",
            ]
            let nameless = try await program.run("doctor", environment: open)
            #expect(nameless.status == 1 && marks(nameless)["address"] == "BAD")
            #expect(nameless.output.contains("PUBLIC_URL"))

            let plain = open.merging(["PUBLIC_URL": "http://books.example.org"]) { _, new in new }
            let clear = try await program.run("doctor", environment: plain)
            #expect(clear.status == 0 && marks(clear)["address"] == "warn", "a warning is no fault")

            #expect(try await program.run("doctor", environment: ["COMMONPLACE_LISTEN": "nowhere"]).status == 78)
        }
    }

    @Test
    func `a server takes all the open files that it may have, and no more streams than these are for`() async throws {
        let bounded = ["/usr/bin/env", "prlimit", "--nofile=512:6000"]
        try await withProgram { program in
            let sound = try program.start(["doctor"], under: bounded)
            #expect(await sound.exit() == 0)
            #expect(sound.output.contains("ok\topen files\t6000 at most"), "\(sound.output)")
            let greedy = try program.start(
                ["doctor"], environment: ["COMMONPLACE_MAX_SOCKETS": "5000"], under: bounded)
            _ = await greedy.exit()
            #expect(
                greedy.output.contains("6000 at most are too few for COMMONPLACE_MAX_SOCKETS=5000"), "\(greedy.output)")
            let crowded = try program.start(
                ["doctor"], environment: ["COMMONPLACE_MAX_CONNECTIONS": "20000"], under: bounded)
            _ = await crowded.exit()
            #expect(crowded.output.contains("or lower COMMONPLACE_MAX_CONNECTIONS=20000"), "\(crowded.output)")

            let server = try await program.serve(under: bounded)
            #expect(Self.openFiles(of: server.pid) == ["6000", "6000"])
            #expect(await server.stop() == 0)
        }
    }

    /// The soft limit of a process and its hard one.
    private static func openFiles(of process: pid_t) -> [String] {
        let limits = (try? String(contentsOfFile: "/proc/\(process)/limits", encoding: .utf8)) ?? ""
        let line = limits.split(separator: "\n").first { $0.hasPrefix("Max open files") }
        return (line ?? "").split(separator: " ").compactMap { Int($0).map(String.init) }
    }
}
