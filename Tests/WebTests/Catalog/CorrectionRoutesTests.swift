import Community
import HTTPTypes
import TestSupport
import Testing
import Web

/// Corrections of editions and authors over HTTP: those of books stand in `HelpRoutesTests`.
@Suite(.database) struct CorrectionRoutesTests {
    /// A book's edition and its author.
    private func parts(_ app: TestApp, _ title: String = "River") async throws -> (
        work: String, edition: String, author: String
    ) {
        let work = try await app.world.given.book(title, by: "Ann \(title)")
        let page = try await app.get("/api/v1/books/\(work)").json
        return (
            work.text, try #require(page["editions"]?[0]?["id"]?.text), try #require(page["authors"]?[0]?["id"]?.text)
        )
    }

    @Test func `a librarian corrects an edition at once, field by field`() async throws {
        try await withApp { app in
            let lib = try await app.world.given.account("lib", role: .librarian)
            let path = "/api/v1/editions/" + (try await parts(app).edition)
            let version = try #require(try await app.get(path).json["version"])
            let done = try await app.as(lib).patch(
                path,
                [
                    "publisher": "Harbour", "pages": 320, "language": "eng", "format": "Paperback",
                    "published": "May 1999", "isbns": ["0-439-02348-3"], "version": version, "reason": "the book",
                ])
            #expect(done.status == .ok && done.json["outcome"] == "applied", "\(done.text)")
            let page = try await app.get(path).json
            #expect(page["publisher"] == "Harbour" && page["pages"] == 320 && page["language"] == "en")
            #expect(page["isbns"] == ["9780439023481"] && page["published"] == "May 1999")
            #expect(try await app.as(lib).patch(path, ["pages": 1, "version": version]).status == .preconditionFailed)
            #expect(try await app.as(lib).patch(path, ["publisher": "Harbour"]).json["outcome"] == "unchanged")
            let history = try await app.get(path + "/revisions").json["items"]?[0]
            #expect(history?["after"]?["pages"] == 320 && history?["subject"]?["kind"] == "edition")
            for (body, pointer) in [
                (["pages": 0], "/pages"), (["isbns": ["123"]], "/isbns/0"), (["language": "?"], "/language"),
                (["publisher": 5], "/publisher"),
            ] as [(JSONValue, String)] {
                let refused = try await app.as(lib).patch(path, body)
                #expect(refused.status == .unprocessableContent && refused.pointers == [pointer], "\(refused.text)")
            }
            #expect(try await app.as(lib).patch("/api/v1/editions/5", ["pages": 1]).status == .notFound)
            #expect(try await app.patch(path, ["pages": 1]).status == .unauthorized)
        }
    }

    @Test func `a librarian corrects an author at once, and every book says so`() async throws {
        try await withApp { app in
            let lib = try await app.world.given.account("lib", role: .librarian)
            let author = try await parts(app).author
            let path = "/api/v1/authors/\(author)"
            let done = try await app.as(lib).patch(
                path, ["name": "Anne River", "aliases": ["A. River"], "birth": "1920", "description": "Wrote."])
            #expect(done.json["outcome"] == "applied", "\(done.text)")
            let page = try await app.get(path).json
            #expect(page["name"] == "Anne River" && page["aliases"] == ["A. River"] && page["birth"] == "1920")
            let books = try await app.get("/api/v1/books?limit=1").json
            #expect(books["items"]?[0]?["authors"]?[0]?["name"] == "Anne River")
            #expect(try await app.as(lib).patch(path, ["name": nil]).pointers == ["/name"])
        }
    }

    @Test func `a member's correction of an edition or author waits, and is read, decided or taken back`() async throws
    {
        try await withApp { app in
            let ann = try await app.world.given.account("ann")
            let ben = try await app.world.given.account("ben")
            let lib = try await app.world.given.account("lib", role: .librarian)
            let (_, edition, author) = try await parts(app)
            func proposal(_ path: String, _ body: JSONValue) async throws -> String {
                let proposed = try await app.as(ann).patch("/api/v1/\(path)", body)
                #expect(proposed.json["outcome"] == "proposed", "\(proposed.text)")
                return "/api/v1/proposals/" + (try #require(proposed.json["proposal_id"]?.text))
            }
            let first = try await proposal("editions/\(edition)", ["publisher": "Harbour"])
            #expect(try await app.get("/api/v1/editions/\(edition)").json["publisher"] == .null)
            #expect(try await app.as(ann).get(first).json["changes"]?["publisher"] == "Harbour")
            #expect(try await app.as(lib).get(first).json["subject"]?["kind"] == "edition")
            #expect(try await app.as(ben).get(first).status == .notFound)
            #expect(try await app.as(lib).post(first + "/accept", [:]).json["outcome"] == "applied")
            #expect(try await app.get("/api/v1/editions/\(edition)").json["publisher"] == "Harbour")
            #expect(try await app.as(ann).get(first).json["state"] == "accepted")

            let second = try await proposal("authors/\(author)", ["birth": "1920"])
            #expect(try await app.as(ben).delete(second).status == .notFound)
            #expect(try await app.as(ann).delete(second).status == .noContent)
            #expect(try await app.as(ann).get(second).json["state"] == "withdrawn")
            #expect(try await app.as(lib).post(second + "/accept", [:]).status == .conflict)
            #expect(try await app.get("/api/v1/authors/\(author)").json["birth"] == .null)
            // What only librarians set is nobody's to propose.
            let refused = try await app.as(ann).patch("/api/v1/authors/\(author)", ["locked": ["name"]])
            #expect(refused.status == .forbidden && refused.code == "not_librarian")
        }
    }

    @Test func `merged editions and authors answer with the other one, and say where it lives`() async throws {
        try await withApp { app in
            let lib = try await app.world.given.account("lib", role: .librarian)
            let one = try await parts(app, "One")
            let two = try await parts(app, "Two")
            let into: JSONValue = ["into": .string(two.author), "reason": "one person"]
            #expect(try await app.as(lib).post("/api/v1/authors/\(one.author)/merge", into).status == .noContent)
            try await app.world.community.catalog.refreshBrowse()
            let author = try await app.get("/api/v1/authors/\(one.author)")
            #expect(author.json["id"]?.text == two.author && author.json["book_count"] == 2)
            #expect(author.headers[.contentLocation]?.hasSuffix("/authors/\(two.author)") == true)
            let history = try await app.get("/api/v1/authors/\(one.author)/revisions")
            #expect(history.json["items"]?[0]?["after"]?["into"]?.text == two.author, "\(history.text)")
            // Editions of two books are not one.
            let other: JSONValue = ["into": .string(two.edition)]
            let refused = try await app.as(lib).post("/api/v1/editions/\(one.edition)/merge", other)
            #expect(refused.status == .conflict && refused.code == "other_book", "\(refused.text)")
            let books: JSONValue = ["into": .string(two.work)]
            #expect(try await app.as(lib).post("/api/v1/books/\(one.work)/merge", books).status.kind == .successful)
            #expect(try await app.as(lib).post("/api/v1/editions/\(one.edition)/merge", other).status == .noContent)
            #expect(try await app.get("/api/v1/editions/\(one.edition)").json["id"]?.text == two.edition)
        }
    }
}
