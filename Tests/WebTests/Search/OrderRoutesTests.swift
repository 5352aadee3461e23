import Community
import HTTPTypes
import TestSupport
import Testing
import Web

/// What readers make of books, as the order of lists and results.
@Suite(.database)
struct OrderRoutesTests {
    /// One that many read and few liked, one that few read and all liked, and one that nobody knows.
    private func books(in app: TestApp) async throws -> [ID<Catalog.Work>] {
        let given = app.world.given
        var books: [Catalog.NewBook] = []
        for (number, (title, author, pages)) in [
            ("The River Wild", "Zoe Young", 100), ("A River Loved", "Mia Moss", 300),
            ("Zambezi, a River", "Adam Adams", 200),
        ].enumerated() {
            var book = Catalog.NewBook(key: "\(number)", title: title, authors: [author])
            book.pages = pages
            books.append(book)
        }
        let ids = try await given.books(books)
        for rating in [1.0, 1, 2, 1] {
            try await given.review(by: try await given.reader(), of: ids[0], rating: rating)
        }
        for rating in [5.0, 5] { try await given.review(by: try await given.reader(), of: ids[1], rating: rating) }
        try await app.world.community.catalog.refreshBrowse()
        return ids
    }

    @Test(
        .requirement("SEA-3", "TRE-3"),
        arguments: [
            ("rating", [1, 2, 0]), ("popularity", [0, 1, 2]), ("author", [2, 1, 0]), ("title", [1, 0, 2]),
            ("length", [0, 2, 1]),
        ]) func `lists and results are ordered as asked`(sort: String, places: [Int]) async throws
    {
        try await withApp(leaving: [.outbox, .jobs], settings: { $0.newAccountHours = 0 }) { app in
            let books = try await books(in: app)
            for path in ["/api/v1/search?q=river&sort=\(sort)", "/api/v1/books?sort=\(sort)"] {
                let found = try await app.get(path).json["items"]?.elements.compactMap { $0["id"]?.text }
                #expect(found == places.map { books[$0].text }, "\(path)")
            }
        }
    }

    @Test(.requirement("TRE-3")) func `a recommendation weighs more than a reader`() async throws {
        try await withApp(leaving: [.outbox, .jobs], settings: { $0.newAccountHours = 0 }) { app in
            let books = try await books(in: app)
            let path = "/api/v1/books/\(books[2])/recommendation"
            for _ in 0..<2 {
                let reader = app.as(try await app.world.given.account())
                #expect(try await reader.put(path).status == .created)
            }
            let first = try await app.get("/api/v1/books?sort=popularity&limit=1").json["items"]?[0]
            #expect(first?["id"]?.text == books[2].text)
        }
    }
}
