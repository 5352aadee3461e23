import Community
import HTTPTypes
import Postgres
import TestSupport
import Testing
import Web

@Suite(.database) struct HelpRoutesTests {
    @Test(.requirement("CAT-9"), .requirement("CAT-X"))
    func `a book is added, and a second time refused with its candidates unless confirmed`() async throws {
        try await withApp { app in
            let ann = try await app.world.given.account("ann")
            let new: JSONValue = [
                "title": "The Book", "authors": ["Ann Writer"], "isbns": ["0439023483"], "publisher": "Services",
                "year": 1999,
                "genres": ["fantasy"], "form": "fiction", "series": [["name": "Books", "position": "1"]],
            ]
            #expect(try await app.post("/api/v1/books", new).status == .unauthorized)
            let made = try await app.as(ann).post("/api/v1/books", new)
            #expect(made.status == .created && made.json["title"] == "The Book" && made.json["form"] == "fiction")
            #expect(made.json["editions"]?[0]?["isbn13"] == "9780439023481")
            let id = try #require(made.json["id"]?.text)
            #expect(made.headers[.location]?.hasSuffix("/api/v1/books/\(id)") == true)

            let again = try await app.as(ann).post("/api/v1/books", new)
            #expect(again.status == .conflict && again.json["code"] == "may_exist")
            #expect(again.json["candidates"]?[0]?["id"]?.text == id)
            let sure = try await app.as(ann).post("/api/v1/books", ["title": "The Book", "is_confirmed": true])
            #expect(sure.status == .created)
            let wrong = try await app.as(ann).post("/api/v1/books", ["title": "", "year": "old", "isbns": ["1"]])
            #expect(wrong.status == .unprocessableContent)
        }
    }

    @Test func `a member proposes, a librarian decides, everybody reads the history`() async throws {
        try await withApp { app in
            let ann = try await app.world.given.account("ann")
            let lib = try await app.world.given.account("lib", role: .librarian)
            let book = try await app.world.given.book("Old", year: 1990)
            let path = "/api/v1/books/\(book)"
            let proposed = try await app.as(ann).patch(path, ["title": "New", "subtitle": nil, "reason": "cover"])
            #expect(proposed.status == .ok && proposed.json["outcome"] == "proposed")
            let proposal = try #require(proposed.json["proposal_id"]?.text)
            #expect(try await app.as(ann).get("/api/v1/proposals").status == .forbidden)
            #expect(try await app.get("/api/v1/proposals").status == .unauthorized)
            #expect(try await app.as(ann).get("/api/v1/me/proposals").json["items"]?[0]?["id"]?.text == proposal)
            let queue = try await app.as(lib).get("/api/v1/proposals")
            #expect(
                queue.json["items"]?[0]?["changes"]?["title"] == "New"
                    && queue.json["items"]?[0]?["author"]?["username"] == "ann")
            #expect(try await app.as(ann).post("/api/v1/proposals/\(proposal)/accept", [:]).status == .forbidden)
            let accepted = try await app.as(lib).post("/api/v1/proposals/\(proposal)/accept", ["answer": "thanks"])
            #expect(accepted.json["outcome"] == "applied")
            #expect(try await app.get(path).json["title"] == "New")
            #expect(try await app.as(lib).post("/api/v1/proposals/\(proposal)/decline", [:]).status == .conflict)

            let history = try await app.get(path + "/revisions")
            #expect(
                history.json["items"]?[0]?["author"]?["username"] == "ann"
                    && history.json["items"]?[0]?["before"]?["title"] == "Old")
            let revision = try #require(history.json["items"]?[0]?["id"]?.text)
            #expect(try await app.as(ann).post("/api/v1/revisions/\(revision)/undo", [:]).status == .forbidden)
            #expect(try await app.as(lib).post("/api/v1/revisions/\(revision)/undo", [:]).json["outcome"] == "applied")
            #expect(try await app.get(path).json["title"] == "Old")
        }
    }

    @Test func `a librarian corrects at once, and a stale version is refused`() async throws {
        try await withApp { app in
            let lib = try await app.world.given.account("lib", role: .librarian)
            let book = try await app.world.given.book("Old", year: 1990)
            let version = try #require(try await app.get("/api/v1/books/\(book)").json["version"])
            let done = try await app.as(lib).patch("/api/v1/books/\(book)", ["year": 1991, "version": version])
            #expect(done.json["outcome"] == "applied")
            #expect(try await app.get("/api/v1/books/\(book)").json["year"] == 1991)
            #expect(
                try await app.as(lib).patch("/api/v1/books/\(book)", ["year": 1992, "version": version]).status
                    == .preconditionFailed)
            #expect(try await app.as(lib).patch("/api/v1/books/5", ["year": 1992]).status == .notFound)
        }
    }

    @Test func `a merged book answers with the other one, and says where it lives`() async throws {
        try await withApp { app in
            let lib = try await app.world.given.account("lib", role: .librarian)
            let ann = try await app.world.given.account("ann")
            let (from, into) = (try await app.world.given.book("One"), try await app.world.given.book("Two"))
            let body: JSONValue = ["into": .string(into.text), "reason": "the same"]
            #expect(try await app.as(ann).post("/api/v1/books/\(from)/merge", body).status == .forbidden)
            #expect(try await app.as(lib).post("/api/v1/books/\(from)/merge", body).status == .noContent)
            let page = try await app.get("/api/v1/books/\(from)")
            #expect(page.status == .ok && page.json["id"]?.text == into.text)
            #expect(page.headers[.contentLocation] == "/api/v1/books/\(into)")
            #expect(try await app.get("/api/v1/books/\(into)").headers[.contentLocation] == nil)
        }
    }
}
