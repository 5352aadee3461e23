import Community
import HTTPTypes
import TestSupport
import Testing
import Web

/// What an app shows of one book.
@Suite(.database)
struct BookPageRoutesTests {
    @Test(.requirement("CAT-3", "CAT-X"))
    func `the page of a book tells what it is, with cover, author, description and genre`() async throws {
        try await withApp { app in
            var new = Catalog.NewBook(key: "dune", title: "Dune", authors: ["Frank Herbert"], year: 1965)
            new.description = "A desert, and what grows in it."
            new.genres = ["science fiction"]
            new.isbns = [try ISBN("9780441172719")]
            (new.publisher, new.published, new.pages) = ("Chilton", "1965-08", 412)
            let id = try await app.world.given.books([new])[0]
            let page = try await app.get("/api/v1/books/\(id)").json
            #expect(page["id"]?.text == id.text)
            #expect(page["title"] == "Dune" && page["year"] == 1965)
            #expect(page["authors"]?[0]?["name"] == "Frank Herbert")
            #expect(page["description"] == "A desert, and what grows in it.")
            #expect(page["genres"]?.elements.compactMap { $0["slug"]?.text } == ["science-fiction"])
            let edition = try #require(page["editions"]?[0])
            #expect(edition["isbn13"] == "9780441172719" && edition["publisher"] == "Chilton")
            #expect(edition["pages"] == 412 && edition["published"] == "1965-08")
            let cover = try #require(page["cover"]?["url"]?.text?.split(separator: "/covers/").last)
            #expect(try await app.get("/covers/\(cover)").headers[.contentType]?.hasPrefix("image/") == true)
        }
    }

    @Test(.requirement("CAT-3", "RAT-4")) func `the page of a book tells how it is rated, and how many have read it`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs], settings: { $0.newAccountHours = 0 }) { app in
            let path = "/api/v1/books/\(try await app.world.given.book())"
            for rating in [5, 2] as [JSONValue] {
                let reader = app.as(try await app.world.given.account())
                #expect(try await reader.put(path + "/shelf", ["shelf": "read"]).status == .created)
                #expect(try await reader.put(path + "/rating", ["rating": rating]).status == .created)
            }
            let wanting = app.as(try await app.world.given.account())
            #expect(try await wanting.put(path + "/shelf", ["shelf": "want"]).status == .created)
            let page = try await app.get(path).json
            #expect(page["rating"]?["average"] == 3.5 && page["rating"]?["count"] == 2)
            #expect(page["reader_count"] == 2)
        }
    }
}
