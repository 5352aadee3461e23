import Community
import Foundation
import HTTPTypes
import Jobs
import Postgres
import TestSupport
import Testing

@testable import Web

/// The words in photographs, from the upload to the search.
@Suite(.database, .enabled(if: PrintedPages.canBeRead)) struct PhotosWordsTests {
    private static let text = "She kept the old thunder in a candle, and the river in her silence."
    private static let page = Result {
        try PrintedPages.typeset(text, font: PrintedPages.fonts[0], dpi: 200, degrees: 2)
    }

    /// Keeps a photograph; gives its path.
    private func keep(
        _ picture: [UInt8], of book: ID<Catalog.Work>, by reader: Signed, in app: TestApp, _ query: String = "",
        type: String = "image/jpeg"
    ) async throws -> String {
        let kept = try await app.as(reader).send(
            .post, "/api/v1/books/\(book)/photos" + query, body: picture, headers: [.contentType: type])
        #expect(kept.status == .created, "\(kept.text)")
        #expect(kept.json["words"]?["state"] == "waiting" && kept.json["words"]?["text"] == .null)
        return "/api/v1/photos/\(kept.json["id"]?.text ?? "")"
    }

    private func words(_ path: String, of reader: Signed, in app: TestApp) async throws -> JSONValue {
        try await app.as(reader).get(path).json["words"] ?? .null
    }

    private func told(in world: World) async throws -> [[String?]] {
        try await world.asSuperuser(
            "select topics::text, data::text from outbox where kind = 'photo.read' order by position")
    }

    @Test(.requirement("UPL-6"))
    func `the words of a page are read for its reader, and for nobody else`() async throws {
        try await withApp(leaving: [.outbox, .jobs], reading: PrintedPages.tools) { app in
            let (ann, ben) = (try await app.world.given.account(), try await app.world.given.account())
            try await app.world.given.friendship(ann, ben)
            let book = try await app.world.given.book("Emma")
            let path = try await keep(try Self.page.get(), of: book, by: ann, in: app, "?visibility=public")

            #expect(try await app.world.work() == 0)

            let read = try await words(path, of: ann, in: app)
            #expect(read["state"] == "read" && read["text"]?.text == Self.text)
            #expect((read["confidence"]?.number ?? 0) > 70)
            let mine = try await app.as(ann).get("/api/v1/me/photos").json
            #expect(mine["items"]?.elements.first?["words"] == read)
            for other in [app.as(ben), app] {
                let seen = try await other.get(path)
                #expect(seen.status == .ok && seen.json["words"]?["text"] == nil)
                #expect(!seen.text.contains("thunder"))
                for list in ["/api/v1/books/\(book)/photos", "/api/v1/readers/\(ann.username)/photos"] {
                    #expect(try await !other.get(list).text.contains("thunder"))
                }
            }
            let told = try await told(in: app.world)
            #expect(told.count == 1 && told.first?[0]?.contains("inbox:\(ann.id)") == true)
            #expect(told.first?[1]?.contains("\"state\": \"read\"") == true)
            #expect(told.first?[1]?.contains("thunder") == false)
            // Its reader finds it by them.
            let found = try await app.world.asSuperuser(
                "select reader_id::text from own_words where kind = 'photo' and words::text like '%thunder%'")
            #expect(found == [["\(ann.id)"]])
        }
    }

    @Test(.requirement("UPL-6"))
    func `what the reader says the words are is never overwritten`() async throws {
        try await withApp(leaving: [.outbox, .jobs], reading: PrintedPages.tools) { app in
            let ann = try await app.world.given.account()
            let book = try await app.world.given.book("Emma")
            let page = try Self.page.get()
            let path = try await keep(page, of: book, by: ann, in: app)
            // Before it is read, and when another image takes its place.
            #expect(try await app.as(ann).patch(path, ["words": "My own words."]).status == .ok)
            try await app.world.work()
            let corrected = try await words(path, of: ann, in: app)
            #expect(corrected["state"] == "corrected" && corrected["text"] == "My own words.")
            #expect(corrected["confidence"] == .null)
            let replaced = try await app.as(ann).send(
                .put, path + "/image", body: page, headers: [.contentType: "image/jpeg"])
            #expect(replaced.status == .ok)
            #expect(try await app.as(ann).patch(path, ["rotate": 90]).status == .ok)
            try await app.world.work()
            #expect(try await words(path, of: ann, in: app) == corrected)
            #expect(try await told(in: app.world).isEmpty)

            // Taken back, it is read anew.
            #expect(try await app.as(ann).patch(path, ["words": .null, "rotate": 0]).status == .ok)
            try await app.world.work()
            #expect(try await words(path, of: ann, in: app)["text"]?.text == Self.text)
        }
    }

    @Test(.requirement("UPL-6"))
    func `words are those of the image that is shown, and of no other`() async throws {
        try await withApp(leaving: [.outbox, .jobs], reading: PrintedPages.tools) { app in
            let ann = try await app.world.given.account()
            let book = try await app.world.given.book("Emma")
            let other = try PrintedPages.typeset("Another page altogether.", font: PrintedPages.fonts[0], dpi: 200)
            let path = try await keep(try Self.page.get(), of: book, by: ann, in: app)
            let replaced = try await app.as(ann).send(
                .put, path + "/image", body: other, headers: [.contentType: "image/jpeg"])
            #expect(replaced.status == .ok)
            // Two jobs: the first finds another image than its own.
            #expect(try await app.world.work() == 0)
            #expect(try await words(path, of: ann, in: app)["text"] == "Another page altogether.")
            #expect(try await told(in: app.world).count == 1)

            // Edited it is read anew, and keeps nothing of what it showed before.
            let margin: JSONValue = ["left": 0, "top": 0, "width": 1000, "height": 100]
            #expect(try await app.as(ann).patch(path, ["crop": margin]).status == .ok)
            #expect(try await words(path, of: ann, in: app)["state"] == "waiting")
            try await app.world.work()
            #expect(try await words(path, of: ann, in: app)["state"] == "unreadable")
            #expect(try await app.as(ann).patch(path, ["crop": .null]).status == .ok)
            try await app.world.work()
            #expect(try await words(path, of: ann, in: app)["text"] == "Another page altogether.")
        }
    }

    @Test func `a picture without writing is unreadable, which is said`() async throws {
        try await withApp(leaving: [.outbox, .jobs], reading: PrintedPages.tools) { app in
            let ann = try await app.world.given.account()
            let book = try await app.world.given.book("Emma")
            let path = try await keep(try Pictures.halves(400, 300, as: "a.jpg"), of: book, by: ann, in: app)
            try await app.world.work()
            let words = try await words(path, of: ann, in: app)
            #expect(words["state"] == "unreadable" && words["text"] == .null && words["confidence"] == .null)
            #expect(try await told(in: app.world).first?[1]?.contains("unreadable") == true)
        }
    }

    @Test func `without tesseract words are off, and taken up once it is there`() async throws {
        let copy = NSTemporaryDirectory() + "commonplace-words-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: copy) }
        let (path, ann) = try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.world.given.account()
            let book = try await app.world.given.book("Emma")
            let path = try await keep(try Self.page.get(), of: book, by: ann, in: app)
            try await app.world.work()
            // Nothing is taken up either.
            _ = try await app.world.database.transaction { try await Photos.TakeUpWords().enqueue(in: $0) }
            try await app.world.work()
            let words = try await words(path, of: ann, in: app)
            #expect(words["state"] == "off" && words["text"] == .null)
            #expect(try await told(in: app.world).isEmpty)
            // The files go with this world.
            try FileManager.default.copyItem(atPath: app.world.mediaFolder, toPath: copy)
            return (path, ann)
        }
        try await withApp(leaving: [.outbox, .jobs], reading: PrintedPages.tools) { app in
            try FileManager.default.copyItem(atPath: copy, toPath: app.world.mediaFolder)
            _ = try await app.world.database.transaction { try await Photos.TakeUpWords().enqueue(in: $0) }
            #expect(try await app.world.work() == 0)
            let words = try await words(path, of: ann, in: app)
            #expect(words["state"] == "read" && words["text"]?.text == Self.text)
        }
    }

    @Test(.requirement("UPL-6")) func `a telephone's HEIC is read too`() async throws {
        let page = try Pictures.made(
            from: try Self.page.get(), named: "0.jpg", steps: [["copy"]], as: "a.heic[Q=80]")
        try await withApp(leaving: [.outbox, .jobs], reading: PrintedPages.tools) { app in
            let ann = try await app.world.given.account()
            let book = try await app.world.given.book("Emma")
            let path = try await keep(page, of: book, by: ann, in: app, type: "image/heic")
            try await app.world.work()
            #expect(try await words(path, of: ann, in: app)["text"]?.text == Self.text)
        }
    }
}
