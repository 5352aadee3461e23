import Community
import HTTPTypes
import TestSupport
import Testing
import Web

/// What a reader of LibsterApp or BookNook does from the first evening to the next: each screen by its call.
@Suite(.database) struct EbooksWalkTests {
    @Test(.requirement("REA-1", "REA-4", "REA-5", "LIB-1"))
    func `sign up, search, check out, read, bookmark, close, and open at the page`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let keeper = try await given.account("lib", role: .librarian)
            let book = try await given.book("The long way", by: "Ada Writer")
            let kept = try await app.as(keeper).keepEbook(
                try TestEbooks.numbered(), at: try await given.firstEdition(of: book), "rights=granted&audience=on_loan"
            )
            #expect(kept.status == .created, "\(kept.text)")
            _ = try await given.copy(of: book, in: .server, by: keeper)

            let ann = app.as(try await app.signUp("ann"))
            let found = try await ann.get("/api/v1/search?q=long%20way").json["items"]?[0]
            #expect(found?["id"]?.text == book.text || found?["book"]?["id"]?.text == book.text, "\(found ?? .null)")
            #expect(try await ann.get("/api/v1/books/\(book)/ebooks").json["items"]?[0]?["access"] == "check_out")
            #expect(try await ann.post("/api/v1/books/\(book)/checkout").status == .ok)
            #expect(try await ann.put("/api/v1/books/\(book)/shelf", ["shelf": "reading"]).status.kind == .successful)
            let dashboard = try await ann.get("/api/v1/me/bootstrap").json
            #expect(dashboard["library"]?[0]?["is_borrowed"] == true)

            let opened = try await ann.get("/api/v1/books/\(book)/open").json
            #expect(opened["page"]?["page"] == 1 && opened["page"]?["html"]?.text?.isEmpty == false)
            let second = try await ann.get(app.path(opened["page"]?["next"])).json
            #expect(second["page"] == 2)
            let ebook = try #require(opened["ebook"]?["id"])
            let turned = try await ann.put(
                "/api/v1/books/\(book)/position", ["ebook": ebook, "page": 2, "device": "phone"])
            #expect(turned.status.kind == .successful, "\(turned.text)")
            app.world.clock.advance(by: .seconds(5))
            let mark = try await ann.post("/api/v1/books/\(book)/bookmarks", ["ebook": ebook, "page": 2])
            #expect(mark.status == .created && mark.json["page"] == 2)
            #expect(try await ann.delete("/api/v1/me/sessions/current").status == .noContent)

            let login: JSONValue = ["login": "ann", "password": .string(TestReader.password)]
            let token = try #require(try await app.post("/api/v1/sessions", login).json["token"]?.text)
            let again = app.with(token: token)
            let collection = try await again.get("/api/v1/me/shelves/reading").json["items"]?[0]
            #expect(collection?["book"]?["id"]?.text == book.text)
            let resumed = try await again.get("/api/v1/books/\(book)/open").json
            #expect(resumed["opened_at"] == "bookmark" && resumed["page"] == second, "\(resumed)")
            let own = try await again.get("/api/v1/me/library").json["items"]?[0]
            #expect(own?["is_borrowed"] == true && own?["bookmark_count"] == 1)
        }
    }

    @Test(.requirement("REA-1", "DIS-1"))
    func `turning back closes nothing, unless the reader says that the place before was a mistake`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let signed = try await given.account("ann")
            let (ann, ben) = (app.as(signed), try await given.account("ben"))
            let book = try await given.book("The long way")
            let kept = try await ann.keepEbook(
                try TestEbooks.numbered(), at: try await given.firstEdition(of: book), "rights=own_copy")
            let ebook = try #require(kept.json["id"], "\(kept.text)")
            let thread = try await given.thread(on: book, by: ben.id, scope: try #require(Gate.Scope(position: 5_000)))
            func turn(to page: Int, _ more: [String: JSONValue] = [:]) async throws -> Int {
                var step: [String: JSONValue] = ["ebook": ebook, "page": .number("\(page)"), "device": "phone"]
                step.merge(more) { _, new in new }
                let answer = try await ann.put("/api/v1/books/\(book)/position", .object(step))
                #expect(
                    answer.status.kind == .successful && answer.json["page"]?.number == Double(page), "\(answer.text)")
                return Int(try await ann.get("/api/v1/books/\(book)/gate").json["gate"]?.number ?? -1)
            }
            func state() async throws -> JSONValue? {
                try await ann.get("/api/v1/threads/\(thread.id)").json["state"]
            }
            let beginning = try await turn(to: 1)
            #expect(try await state() == "gated")
            let far = try await turn(to: 7)
            #expect(far > 5_000 && beginning < 5_000)
            #expect(try await state() == "shown")
            #expect(try await turn(to: 2) == far)
            #expect(try await turn(to: 3) == far)
            #expect(try await state() == "shown")
            #expect(try await ann.get("/api/v1/books/\(book)/open").json["page"]?["page"] == 3)
            // Words are found up to the gate, also behind the page that is open.
            let found = try await ann.get("/api/v1/ebooks/\(ebook.text ?? "")/search?q=c2p5")
            #expect(found.json["items"]?.elements.count == 1, "\(found.text)")
            let meant = try await turn(to: 3, ["meant": "mine"])
            #expect(meant < 5_000 && meant > beginning)
            #expect(try await state() == "gated")
            #expect(try await turn(to: 4) > meant)
            #expect(try await app.world.everyDifference() == [])
        }
    }
}
