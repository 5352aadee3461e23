import Foundation

/// Chromium without a window, for what only a browser can tell.
package enum Browser {
    /// Why a test that needs one is skipped.
    package static let isMissing = "there is no Chromium here: apt-get install chromium-headless-shell"

    /// The first of Chromium's names on the `PATH`; `nil` where none is.
    package static let program: String? = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        let names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]
        return names.lazy.flatMap { name in folders.map { "\($0)/\(name)" } }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    /// The document at `path` of the server on `port` of this machine as it stands when all has run, as HTML. Whatever
    /// host it asks for, that server is asked: nothing leaves the machine. Throws `Failed` when the browser does not
    /// end well in 30 s.
    package static func document(_ path: String, port: Int) async throws -> String {
        guard let program else { throw Failed(status: 127) }
        let folder = NSTemporaryDirectory() + "commonplace-browser-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let output = folder + "/document"
        try Data().write(to: URL(filePath: output))
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = Self.command(
            program, seconds: 30, profile: folder + "/profile",
            [
                "--host-resolver-rules=MAP * 127.0.0.1:\(port)", "--virtual-time-budget=5000", "--dump-dom",
                "http://127.0.0.1:\(port)\(path)",
            ])
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle(forWritingAtPath: output)
        process.standardError = FileHandle.nullDevice
        let status = try await withCheckedThrowingContinuation { (done: CheckedContinuation<Int32, any Error>) in
            process.terminationHandler = { done.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { done.resume(throwing: error) }
        }
        guard status == 0 else { throw Failed(status: status) }
        return try String(contentsOfFile: output, encoding: .utf8)
    }

    /// Arguments of `/usr/bin/env` that show the page at `address` in real time until that is ended, at most for so many
    /// seconds. The page reaches each port of 127.0.0.1 and no other host: nothing leaves the machine. `profile`: a
    /// folder of its own, which it makes. Throws `Failed` where there is no browser.
    package static func showing(_ address: String, seconds: Int, profile: String) throws -> [String] {
        guard let program else { throw Failed(status: 127) }
        return command(
            program, seconds: seconds, profile: profile,
            ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", address])
    }

    private static func command(
        _ program: String, seconds: Int, profile: String, _ arguments: [String]
    ) -> [String] {
        // Its own sandbox needs rights that neither root nor a container has; its pages are ours.
        [
            "timeout", "--kill-after=1", String(seconds), program, "--headless", "--no-sandbox", "--disable-gpu",
            "--disable-dev-shm-usage", "--user-data-dir=\(profile)",
        ] + arguments
    }

    /// How the browser ended; 124 after 30 s.
    package struct Failed: Error { let status: Int32 }
}
