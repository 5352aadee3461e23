import Community
import Foundation
import HTTPTypes
import TestSupport
import Testing
import Web

/// What is too much for one e-book, or one server, and that nothing of it is left.
@Suite(.database) struct EbooksLimitsTests {
    private func expectNothing(of app: TestApp, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        #expect(try storedFiles(of: app.world).isEmpty, sourceLocation: sourceLocation)
        let rows = try await app.world.asSuperuser("select 1 from ebook_file union all select 1 from media_file")
        #expect(rows.isEmpty, sourceLocation: sourceLocation)
        for part in ["incoming", "scratch"] {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: app.world.mediaFolder + "/" + part)) ?? []
            #expect(names.isEmpty, "\(part) has \(names)", sourceLocation: sourceLocation)
        }
    }

    @Test func `a body of more than 64 MiB is refused while it arrives, and goes`() async throws {
        try await withApp { app in
            let ann = try await app.world.given.account("ann")
            let edition = try await app.world.given.firstEdition(of: try await app.world.given.book())
            try await app.serving { server in
                let head =
                    "PUT /api/v1/editions/\(edition)/ebook?rights=granted HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                    + "Authorization: Bearer \(ann.token)\r\nContent-Type: application/epub+zip\r\n"
                // Who says so is refused before the first byte.
                let honest = try await server.connect()
                await honest.send(head + "Content-Length: \(65 * 1024 * 1024)\r\n\r\n")
                try await eventually { honest.statuses == [413] }
                await honest.close()
                // Who does not is, at the byte that is too much.
                let caller = try await server.connect()
                await caller.send(head + "Transfer-Encoding: chunked\r\n\r\n")
                let size = 1024 * 1024
                let part = Array("100000\r\n".utf8) + [UInt8](repeating: 0x41, count: size) + Array("\r\n".utf8)
                for number in 0..<64 {
                    try #require(caller.statuses == [], "after \(number) MiB")
                    await caller.send(part)
                }
                await caller.send("1\r\nA\r\n")
                try await eventually { caller.statuses == [413] }
                await caller.close()
            }
            try await eventually {
                let folder = app.world.mediaFolder + "/incoming"
                return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).isEmpty
            }
            try await expectNothing(of: app)
        }
    }

    @Test func `a small file that holds too much is refused as too large`() async throws {
        try await withApp { app in
            let ann = app.as(try await app.world.given.account("ann"))
            let edition = try await app.world.given.firstEdition(of: try await app.world.given.book())
            let letters = String(repeating: "a", count: 17 * 1024 * 1024)
            let words = (0..<300_000).map { "w\($0) and so on, for ever and ever and ever\n" }.joined()
            let deep = String(repeating: "<b>", count: 300) + "x" + String(repeating: "</b>", count: 300)
            let many = String(repeating: "<i/>", count: 500_001)
            let table: [(name: String, bytes: [UInt8], type: String)] = [
                ("packed", try TestEbooks.raw("T", [.init("A", body: "<p>\(letters)</p>")]), "application/epub+zip"),
                ("deep", try TestEbooks.raw("T", [.init("A", body: "<p>\(deep)</p>")]), "application/epub+zip"),
                ("nodes", try TestEbooks.raw("T", [.init("A", body: "<p>x\(many)</p>")]), "application/epub+zip"),
                ("text", Array((words + words).utf8), "text/plain"),
            ]
            for (name, bytes, type) in table {
                let refused = try await ann.keepEbook(bytes, at: edition, type: type)
                #expect(
                    refused.status == .unprocessableContent && refused.code == "ebook_too_large",
                    "\(name): \(refused.text)")
                try await expectNothing(of: app)
            }
        }
    }

    @Test func `a reader who keeps as many as may be is told so before the file, and after`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let account = try await given.account("ann")
            let ann = app.as(account)
            let editions = [
                try await given.firstEdition(of: try await given.book()),
                try await given.firstEdition(of: try await given.book()),
            ]
            let bytes = try TestEbooks.numbered()
            #expect(try await ann.keepEbook(bytes, at: editions[0]).status == .created)
            try await app.world.asSuperuser(
                """
                insert into ebook (id, file_id, work_id, edition_id, reader_id, audience, rights, created_at, changed_at)
                select n, file_id, work_id, edition_id, reader_id, audience, rights, created_at, changed_at
                  from ebook, generate_series(1, \(Limits.ebooks.ebooks - 1)) n
                """)
            let refused = try await ann.keepEbook(bytes, at: editions[1])
            #expect(refused.status == .conflict && refused.code == "ebook_quota", "\(refused.text)")
            // Not one byte of the body is asked for.
            let early = try await ann.send(
                .put, "/api/v1/editions/\(editions[1])/ebook?rights=granted",
                headers: [.contentType: "application/epub+zip", .contentLength: "1000"])
            #expect(early.code == "ebook_quota", "\(early.text)")
            #expect(try storedFiles(of: app.world).count == 1)
            // All of them stand at one edition: one takes the place of all.
            let exchanged = try await ann.keepEbook(try TestEbooks.numbered("Other"), at: editions[0])
            #expect(exchanged.status == .ok, "\(exchanged.text)")
            #expect(try await app.world.asSuperuser("select count(*) from ebook") == [["1"]])
            _ = try await app.world.work()
            #expect(try storedFiles(of: app.world).count == 1)
            #expect(try await app.world.everyDifference() == [])
        }
    }

    @Test func `a server that reads no e-books says so, and shows those that it has`() async throws {
        var (ebook, token) = ("", "")
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.world.given.account("ann")
            let edition = try await app.world.given.firstEdition(of: try await app.world.given.book("Emma"))
            let drawing = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"4\" height=\"2\"/>"
            let bytes = try TestEbooks.illustrated(
                [("a.svg", "image/svg+xml", Array(drawing.utf8))], body: "<p>plain words</p>")
            let kept = try await app.as(ann).keepEbook(bytes, at: edition)
            ebook = try #require(kept.json["id"]?.text, "\(kept.text)")
            token = ann.token
        }
        try await withAppReadingNoEbooks(leaving: [.outbox, .jobs]) { app in
            let edition = try await app.world.given.firstEdition(of: try await app.world.given.book("Persuasion"))
            // Another secret signs the sessions of another world: the reader signs in again.
            let session = try await app.post(
                "/api/v1/sessions", ["login": "ann", "password": .string(TestReader.password)])
            let ann = app.with(token: session.json["token"]?.text ?? token)
            let refused = try await ann.keepEbook(try TestEbooks.numbered(), at: edition)
            #expect(refused.status == .notImplemented && refused.code == "ebooks_off", "\(refused.text)")
            let path = "/api/v1/ebooks/\(ebook)"
            #expect(try await ann.get(path + "/pages/1").json["text"]?.text?.contains("plain words") == true)
            let picture = try await ann.get(path + "/pictures/0")
            #expect(picture.status == .notImplemented && picture.code == "ebooks_off", "\(picture.text)")
            #expect(try await ann.delete(path).status == .noContent)
        }
    }
}
