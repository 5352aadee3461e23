import HTTPTypes
import Postgres
import TestSupport
import Testing
import Web

@testable import Community

@Suite(.database) struct CatalogRoutesTests {
    @Test(.requirement("CAT-1"), .requirement("CAT-2"))
    func `the list of books shows twenty and leads on by its cursor`() async throws {
        try await withApp { app in
            let books = (0..<25).map {
                Catalog.NewBook(key: "\($0)", title: "Book \($0)", authors: ["Writer"], year: 1990)
            }
            let ids = try await app.world.given.books(books)
            let first = try await app.get("/api/v1/books")
            #expect(first.status == .ok)
            #expect(first.json["items"]?.elements.count == 20)
            #expect(first.json["items"]?[0]?["id"]?.text == ids[24].text)
            #expect(first.json["items"]?[0]?["authors"]?[0]?["name"] == "Writer")
            #expect(first.json["prev_cursor"] == .null)
            let cursor = try #require(first.json["next_cursor"]?.text)
            let second = try await app.get("/api/v1/books?cursor=\(cursor)")
            #expect(second.json["items"]?.elements.count == 5)
            #expect(second.json["next_cursor"] == .null)
            let back = try #require(second.json["prev_cursor"]?.text)
            #expect(try await app.get("/api/v1/books?cursor=\(back)").json["items"] == first.json["items"])
            #expect(try await app.get("/api/v1/books?limit=101").status == .unprocessableContent)
            #expect(try await app.get("/api/v1/books?cursor=forged").status == .badRequest)
        }
    }

    @Test func `a book's page answers with its tag, and 304 to who has it`() async throws {
        try await withApp { app in
            let id = try await app.world.given.book(
                "Café", year: 1984, isbn: try ISBN("0439023483"), genres: ["fantasy"])
            let page = try await app.get("/api/v1/books/\(id)")
            #expect(page.status == .ok)
            #expect(page.json["title"] == "Café")
            #expect(page.json["rating"]?["average"] == .null)
            #expect(page.json["rating"]?["histogram"]?.elements.count == 20)
            #expect(page.json["editions"]?[0]?["isbn13"] == "9780439023481")
            let tag = try #require(page.headers[.eTag])
            let again = try await app.get("/api/v1/books/\(id)", headers: [.ifNoneMatch: tag])
            #expect(again.status == .notModified && again.body.isEmpty)
            try await app.world.database.run(Catalog.BumpReaders(work: id, by: 1))
            let changed = try await app.get("/api/v1/books/\(id)", headers: [.ifNoneMatch: tag])
            #expect(changed.status == .ok && changed.json["reader_count"] == 1)
        }
    }

    @Test(.requirement("CAT-9")) func `a book of which nothing is known is served`() async throws {
        try await withApp { app in
            let id = try await app.world.given.books([Catalog.NewBook(key: "bare", title: nil)])[0]
            let page = try await app.get("/api/v1/books/\(id)")
            #expect(page.status == .ok && page.json["title"] == .null)
        }
    }

    @Test(arguments: ["5", "0", "-1", "abc", "99999999999999999999", "1%00", "1'"])
    func `what is no book is not found`(id: String) async throws {
        try await withApp { app in
            let answer = try await app.get("/api/v1/books/\(id)")
            #expect(answer.status == .notFound)
        }
    }

    @Test func `genres tell how many books they have`() async throws {
        try await withApp { app in
            for _ in 0..<2 { _ = try await app.world.given.book(genres: ["sci-fi"]) }
            _ = try await app.world.given.book(genres: ["poetry"])
            let genres = try await app.get("/api/v1/genres")
            #expect(
                genres.json["items"]?[0]?["slug"] == "science-fiction" && genres.json["items"]?[0]?["book_count"] == 2)
            #expect(genres.json["items"]?.elements.count == 2)
            let one = try await app.get("/api/v1/genres/science-fiction")
            #expect(one.json["name"] == "Science fiction" && one.json["book_count"] == 2 && one.json["books"] == nil)
            for none in ["horror", "Science-fiction", "5"] {
                #expect(try await app.get("/api/v1/genres/\(none)").status == .notFound, "\(none)")
            }
        }
    }
}
