import Foundation
import TestSupport
import Testing

@testable import Community

/// What its reader does to a photograph while it is being read.
@Suite(.database, .enabled(if: PrintedPages.canBeRead)) struct WordsRaceTests {
    /// A tesseract that says when it begins and waits until it may go on.
    private struct Gate {
        let folder: String
        let tools: Photos.Recognizer.Tools

        init() throws {
            let real = try #require(PrintedPages.tools)
            folder = NSTemporaryDirectory() + "commonplace-gate-" + UUID().uuidString
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let script = """
                #!/bin/sh
                touch \(folder)/begun
                while [ ! -e \(folder)/go ]; do sleep 0.05; done
                exec \(real.tesseract) "$@"
                """
            try script.write(toFile: folder + "/tesseract", atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o755], ofItemAtPath: folder + "/tesseract")
            tools = .init(
                vips: real.vips, prlimit: real.prlimit, tesseract: folder + "/tesseract", languages: real.languages)
        }

        var hasBegun: Bool { FileManager.default.fileExists(atPath: folder + "/begun") }
        func open() throws { try "".write(toFile: folder + "/go", atomically: true, encoding: .utf8) }
        func remove() { try? FileManager.default.removeItem(atPath: folder) }
    }

    /// Keeps a photograph of a page, does `body` to it while tesseract has it, and gives its words when all is done.
    private func words(
        while body: (World, Photos.Photo, Signed) async throws -> Void
    ) async throws -> (words: Photos.Words?, told: [[String?]]) {
        let gate = try Gate()
        defer { gate.remove() }
        return try await withWorld(leaving: [.outbox, .jobs], reading: gate.tools) { world in
            let ann = try await world.given.account()
            let book = try await world.given.book("Emma")
            let photo = try await world.community.photos.add(
                Photos.NewPhoto(), try await prepared("The first page of all.", in: world), to: book, by: ann.identity)
            async let failures = world.work()
            try await eventually { gate.hasBegun }
            try await body(world, photo, ann)
            try gate.open()
            #expect(try await failures == 0)
            #expect(try await world.work() == 0)
            let now = try await world.community.photos.photo(photo.id, of: ann.id, in: world.database)
            let told = try await world.asSuperuser("select data ->> 'state' from outbox where kind = 'photo.read'")
            return (now.words, told)
        }
    }

    private func prepared(_ text: String, in world: World) async throws -> Media.Prepared {
        let page = try PrintedPages.typeset(text, font: PrintedPages.fonts[0], dpi: 150)
        return try await world.community.media.prepare(page, type: "image/jpeg", as: .photo)
    }

    @Test func `what is read is kept where nothing happens meanwhile`() async throws {
        let (words, told) = try await words { _, _, _ in }
        #expect(words?.state == .read && words?.text == "The first page of all.")
        #expect(told == [["read"]])
    }

    @Test func `a correction that comes meanwhile stays`() async throws {
        let (words, told) = try await words { world, photo, ann in
            var change = Photos.Change()
            change.words = .set("As I say.")
            _ = try await world.community.photos.change(photo.id, change, by: ann.identity)
        }
        #expect(words?.state == .corrected && words?.text == "As I say.")
        #expect(told == [])
    }

    @Test func `another image that comes meanwhile gets its own words, and none of the former`() async throws {
        let (words, told) = try await words { world, photo, ann in
            let other = try await prepared("Another page altogether.", in: world)
            _ = try await world.community.photos.replace(
                photo.id, with: other, edit: Media.Edit(), by: ann.identity)
        }
        #expect(words?.state == .read && words?.text == "Another page altogether.")
        #expect(told == [["read"]])
    }
}
