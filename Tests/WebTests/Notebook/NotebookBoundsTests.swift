import Community
import HTTPTypes
import TestSupport
import Testing
import Web

/// What nobody gets around: the gate, moderation, an address that was not proven, the scopes of a token.
@Suite(.database)
struct NotebookBoundsTests {
    private func note(
        _ members: JSONValue, about book: ID<Catalog.Work>, by reader: Signed, in app: TestApp
    ) async throws -> String {
        let made = try await app.as(reader).post("/api/v1/books/\(book)/notes", members)
        return try #require(made.json["id"]?.text, "\(made.text)")
    }

    @Test func `a note without a place gives away no less because its reader begins again`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (try await app.world.given.account("ann"), try await app.world.given.account("ben"))
            let book = try await app.world.given.book("Emma")
            try await app.world.given.position(.part(10_000), in: book, by: ann.id)
            let id = try await note(
                ["visibility": "public", "items": [["kind": "text", "body": "they marry"]]], about: book, by: ann,
                in: app)
            let state = { try await app.as(ben).get("/api/v1/notes/\(id)").json["state"]?.text }
            try await app.world.given.position(.part(600), in: book, by: ben.id)
            #expect(try await state() == "gated")
            app.world.clock.advance(by: .seconds(600))
            _ = try await app.as(ann).put("/api/v1/books/\(book)/shelf", ["shelf": "reading"])
            try await app.world.given.position(.part(500), in: book, by: ann.id)
            _ = try await app.as(ann).post("/api/v1/notes/\(id)/items", ["kind": "text", "body": "indeed"])
            #expect(try await state() == "gated")
            // What its reader says of it holds.
            _ = try await app.as(ann).patch("/api/v1/notes/\(id)", ["place": ["percent": 5]])
            #expect(try await state() == "shown")
        }
    }

    @Test(.enabled(if: Pictures.canBeConverted, "libvips is not installed"))
    func `a photograph that is moved further takes the notes that it stands in along`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (try await app.world.given.account("ann"), try await app.world.given.account("ben"))
            let book = try await app.world.given.book("Emma")
            let kept = try await app.as(ann).send(
                .post, "/api/v1/books/\(book)/photos?percent=3", body: try Pictures.halves(400, 300, as: "a.png"),
                headers: [.contentType: "image/png"])
            let photo = try #require(kept.json["id"]?.text, "\(kept.text)")
            let id = try await note(
                [
                    "visibility": "public",
                    "items": [["kind": "text", "body": "see"], ["kind": "picture", "photo_id": .string(photo)]],
                ], about: book, by: ann, in: app)
            try await app.world.given.position(.part(500), in: book, by: ben.id)
            #expect(try await app.as(ben).get("/api/v1/notes/\(id)").json["state"] == "shown")
            let moved = try await app.as(ann).patch("/api/v1/photos/\(photo)", ["percent": 90])
            #expect(moved.status == .ok, "\(moved.text)")
            #expect(try await app.as(ben).get("/api/v1/notes/\(id)").json["state"] == "gated")
        }
    }

    @Test func `nothing that more than friends see comes from an address that was not proven`() async throws {
        try await withApp(leaving: [.outbox, .jobs], settings: { $0.isLoopback = false }) { app in
            let ann = try await app.world.given.account("ann", isVerified: false)
            let book = try await app.world.given.book("Emma")
            let id = try await note(["title": "mine"], about: book, by: ann, in: app)
            for kind in ["notes", "photos"] {
                let widened = try await app.as(ann).patch(
                    "/api/v1/me/settings", ["privacy": .object([kind: "public"])])
                #expect(widened.code == "email_unverified", "\(kind)")
            }
            #expect(
                try await app.as(ann).patch("/api/v1/notes/\(id)", ["visibility": "public"]).code == "email_unverified")
            // A note that was shown while the address was proven takes nothing more.
            _ = try await app.world.asSuperuser("update note set visibility = 3, level_is_own = true")
            let path = "/api/v1/notes/\(id)/items"
            #expect(try await app.as(ann).post(path, ["kind": "text", "body": "more"]).code == "email_unverified")
        }
    }

    @Test func `what a moderator hides is neither shared nor brought back by a file`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.world.given.account("ann")
            let book = try await app.world.given.book("Emma")
            let id = try await note(
                ["visibility": "public", "title": "vile", "items": [["kind": "text", "body": "words"]]], about: book,
                by: ann, in: app)
            _ = try await app.world.asSuperuser(
                "update note set hidden_at = now(), hidden_level = visibility, visibility = 0")
            let shared = try await app.as(ann).post("/api/v1/notes/\(id)/share", ["title": "vile"])
            #expect(shared.code == "note_is_private", "\(shared.text)")
            let file = try await app.as(ann).get("/api/v1/me/notebook.json")
            #expect(file.json["books"]?[0]?["notes"]?[0]?["visibility"] == "private")
        }
    }

    @Test func `an access token gets from the notebook what it has scopes for`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.world.given.account("ann")
            let book = try await app.world.given.book("Emma")
            let id = try await note(
                ["title": "pride", "items": [["kind": "text", "body": "pride"]]], about: book, by: ann, in: app)
            _ = try await app.as(ann).post("/api/v1/books/\(book)/bookmarks", ["percent": 3, "label": "pride"])
            func token(_ scopes: String...) async throws -> TestApp {
                let made = try await app.as(ann).post(
                    "/api/v1/me/access-tokens",
                    ["name": .string(scopes.joined()), "days": 1, "scopes": .array(scopes.map { .string($0) })])
                return app.with(token: try #require(made.json["token"]?.text, "\(made.text)"))
            }
            let narrow = try await token("read:notebook", "write:notebook")
            let share = "/api/v1/notes/\(id)/share"
            #expect(try await narrow.post(share, ["title": "pride"]).code == "insufficient_scope")
            #expect(try await narrow.post(share, ["username": "ben"]).code == "insufficient_scope")
            let path = "/api/v1/me/notebook/search?q=pride"
            let found = try await narrow.get(path).json["items"]?.elements.map { $0["kind"]?.text }
            #expect(found?.contains("bookmark") == false && found?.count == 2)
            #expect(try await narrow.get(path + "&kind=photo").code == "insufficient_scope")
            let wide = try await token("read:notebook", "read:library", "write:notebook", "write:boards")
            #expect(try await wide.get(path).json["items"]?.elements.count == 3)
            #expect(try await wide.post(share, ["title": "pride"]).status == .created)
        }
    }
}
