import Community
import HTTPTypes
import Postgres
import TestSupport
import Testing
import Web

@Suite(.database) struct BrowseRoutesTests {
    private func shelf(in app: TestApp) async throws -> [ID<Catalog.Work>] {
        let books = (0..<25).map { number in
            var book = Catalog.NewBook(
                key: "\(number)", title: "The Book \(number / 10)\(number % 10)",
                // A series is told apart by its first author too.
                authors: ["Writer \(number < 3 ? 0 : number)"],
                year: 1990)
            book.genres = number < 5 ? ["poetry"] : ["fantasy"]
            book.series = number < 3 ? [("Trilogy", String(3 - number))] : []
            book.language = "en"
            return book
        }
        let ids = try await app.world.given.books(books)
        try await app.world.community.catalog.refreshBrowse()
        return ids
    }

    private func ids(_ answer: TestAnswer) -> [String] {
        answer.json["items"]?.elements.compactMap { $0["id"]?.text } ?? []
    }

    @Test(.requirement("CAT-2"), .requirement("CAT-5"))
    func `the list of books takes an order and filters, and its cursor holds for them alone`() async throws {
        try await withApp { app in
            let books = try await shelf(in: app).map(\.text)
            let first = try await app.get("/api/v1/books?sort=title")
            #expect(ids(first) == Array(books[..<20]))
            let cursor = try #require(first.json["next_cursor"]?.text)
            #expect(ids(try await app.get("/api/v1/books?sort=title&cursor=\(cursor)")) == Array(books[20...]))
            #expect(ids(try await app.get("/api/v1/books?sort=newest&genre=poetry")) == books[..<5].reversed())
            for other in ["sort=author", "sort=title&genre=poetry", "sort=popularity", ""] {
                let answer = try await app.get("/api/v1/books?\(other)&cursor=\(cursor)")
                #expect(answer.status == .badRequest && answer.json["code"] == "invalid_cursor", "\(other)")
            }
            for wrong in ["sort=best", "author=x", "year_from=2000&year_to=1999", "pages_to=0"] {
                #expect(try await app.get("/api/v1/books?\(wrong)").status == .unprocessableContent, "\(wrong)")
            }
            #expect(ids(try await app.get("/api/v1/books?genre=nonsense")).isEmpty)
        }
    }

    @Test(.requirement("CAT-7")) func `a series has its books in order`() async throws {
        try await withApp { app in
            let books = try await shelf(in: app)
            let page = try await app.get("/api/v1/books/\(books[0])")
            let series = try #require(page.json["series"]?[0]?["id"]?.text)
            #expect(try await app.get("/api/v1/series/\(series)").json["name"] == "Trilogy")
            let first = try await app.get("/api/v1/series/\(series)/books?limit=2")
            #expect(first.json["items"]?[0]?["book"]?["id"]?.text == books[2].text, "\(first.json)")
            #expect(first.json["items"]?[0]?["position"] == "1")
            let cursor = try #require(first.json["next_cursor"]?.text)
            let second = try await app.get("/api/v1/series/\(series)/books?limit=2&cursor=\(cursor)")
            #expect(second.json["items"]?.elements.count == 1 && second.json["next_cursor"] == .null)
            #expect(second.json["items"]?[0]?["book"]?["id"]?.text == books[0].text)
            #expect(try await app.get("/api/v1/series/5").status == .notFound)
        }
    }

    @Test(.requirement("CAT-7")) func `a series keeps its order whatever its positions are, in pages on and back`()
        async throws
    {
        try await withApp { app in
            let positions = ["2", "Book 1", "1.5", nil, String(repeating: "9", count: 50), "three", "10"]
            let books = try await app.world.given.books(
                positions.enumerated().map { number, position in
                    var book = Catalog.NewBook(key: "\(number)", title: "Volume \(number)", authors: ["One Author"])
                    book.series = [("Saga", position)]
                    return book
                })
            let page = try await app.get("/api/v1/books/\(books[0])")
            let series = try #require(page.json["series"]?[0]?["id"]?.text)
            // By number; those without one, and those whose number is none, last and as they came.
            let order = [1, 2, 0, 6, 3, 4, 5].map { books[$0].text }
            var found: [String] = []
            var answer = try await app.get("/api/v1/series/\(series)/books?limit=1")
            func book(_ answer: TestAnswer) throws -> String {
                #expect(answer.status == .ok && answer.json["items"]?.elements.count == 1, "\(answer.text)")
                return try #require(answer.json["items"]?[0]?["book"]?["id"]?.text)
            }
            found.append(try book(answer))
            while let cursor = answer.json["next_cursor"]?.text {
                answer = try await app.get("/api/v1/series/\(series)/books?limit=1&cursor=\(cursor)")
                found.append(try book(answer))
            }
            #expect(found == order)
            var back = [try book(answer)]
            while let cursor = answer.json["prev_cursor"]?.text {
                answer = try await app.get("/api/v1/series/\(series)/books?limit=1&cursor=\(cursor)")
                back.insert(try book(answer), at: 0)
            }
            #expect(back == order)
        }
    }

    @Test func `authors and editions have pages`() async throws {
        try await withApp { app in
            let books = try await shelf(in: app)
            let page = try await app.get("/api/v1/books/\(books[0])")
            let author = try #require(page.json["authors"]?[0]?["id"]?.text)
            let answer = try await app.get("/api/v1/authors/\(author)")
            #expect(answer.json["name"] == "Writer 0" && answer.json["book_count"] == 3)
            let found = Set(ids(try await app.get("/api/v1/books?author=\(author)")))
            #expect(found == Set(books.prefix(3).map(\.text)))
            let edition = try #require(page.json["editions"]?[0]?["id"]?.text)
            #expect(try await app.get("/api/v1/editions/\(edition)").json["book_id"]?.text == books[0].text)
            #expect(page.json["form"] == "poetry" && page.json["kind"] == "book")
            #expect(try await app.get("/api/v1/authors/5").status == .notFound)
            #expect(try await app.get("/api/v1/editions/5").status == .notFound)
        }
    }
}
