import Community
import EventLog
import HTTPTypes
import TestSupport
import Testing
import Web

@Suite(.database)
struct BootstrapRoutesTests {
    private let path = "/api/v1/me/bootstrap"

    @Test(.requirement("ACC-7", "ACC-8"))
    func `signing up and signing in both lead straight to the opening call`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.signUp("ann")
            let book = try await app.world.given.book("Emma")
            let first = try await app.as(ann).get(path)
            #expect(first.status == .ok)
            #expect(first.json["me"]?["username"] == "ann")
            #expect(first.json["shelves"]?["counts"]?["all"] == 0)
            #expect(first.json["top_books"]?[0]?["title"] == "Emma")
            #expect(first.json["top_books"]?[0]?["cover"]?["url"]?.text?.contains("/covers/") == true)
            #expect(first.json["unread"] == ["message_count": 0, "notification_count": 0])
            #expect(first.json["friends"] == ["friend_count": 0, "items": []])
            #expect(first.json["borrowed"] == [])

            _ = try await app.as(ann).put("/api/v1/books/\(book)/shelf", ["shelf": "reading"])
            #expect(try await app.as(ann).post("/api/v1/books/\(book)/checkout").status == .ok)
            let login = try await app.post(
                "/api/v1/sessions", ["login": "ann", "password": .string(TestReader.password)])
            let token = try #require(login.json["token"]?.text)
            let again = try await app.with(token: token).get(path)
            #expect(again.json["me"] == login.json["account"])
            #expect(again.json["shelves"]?["reading"]?[0]?["book"]?["title"] == "Emma")
            #expect(again.json["shelves"]?["counts"]?["reading"] == 1)
            #expect(try await again.json["borrowed"] == app.as(ann).get("/api/v1/me/borrowed").json["items"])
            #expect(again.json["borrowed"]?[0]?["book"]?["title"] == "Emma")
            #expect(try await again.json["settings"] == app.as(ann).get("/api/v1/me/settings").json)
            #expect(try await app.get(path).status == .unauthorized)
        }
    }

    @Test(.requirement("TRE-5"))
    func `a newcomer has books to look through at once, though nobody has done anything yet`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            _ = try await app.world.given.books((0..<25).map { Catalog.NewBook(key: "\($0)", title: "Title \($0)") })
            let ann = app.as(try await app.signUp("ann"))
            let top = try #require(try await ann.get(path).json["top_books"]?.elements)
            #expect(top.count == 20 && top.allSatisfy { $0["title"]?.text?.hasPrefix("Title") == true })
            let first = try await ann.get("/api/v1/books")
            #expect(first.json["items"]?.elements.compactMap { $0["id"] } == top.compactMap { $0["id"] })
            let cursor = try #require(first.json["next_cursor"]?.text)
            #expect(try await ann.get("/api/v1/books?cursor=\(cursor)").json["items"]?.elements.count == 5)
        }
    }

    @Test func `the stream goes on from its position`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.world.given.account("ann")
            let text = try #require(try await app.as(ann).get(path).json["stream_cursor"]?.text)
            let cursor = try StreamCursor(text: text, signedBy: app.world.services.settings.secret)
            #expect(try await cursor == EventLog.position(in: app.world.database))
        }
    }
}
