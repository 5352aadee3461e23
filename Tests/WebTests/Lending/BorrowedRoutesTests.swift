import Community
import HTTPTypes
import TestSupport
import Testing
import Web

/// What a reader has out.
@Suite(.database)
struct BorrowedRoutesTests {
    @Test(.requirement("LIB-2", "LIB-X")) func `what one has borrowed is listed by title, each a pointer to its book`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = app.as(try await app.world.given.account("ann"))
            var books: [String: String] = [:]
            for title in ["Middlemarch", "The Emigrants", "Zorba", "Emma", "ädith"] {
                let book = try await app.world.given.book(title)
                books[title] = book.text
                #expect(try await ann.post("/api/v1/books/\(book)/checkout").status == .ok)
                app.world.clock.advance(by: .seconds(60))
            }
            let byTitle = ["ädith", "Emma", "Middlemarch", "The Emigrants", "Zorba"]
            let borrowed = try await ann.get("/api/v1/me/borrowed").json["items"]?.elements ?? []
            #expect(borrowed.compactMap { $0["book"]?["title"]?.text } == byTitle)
            #expect(borrowed.compactMap { $0["book"]?["id"]?.text } == byTitle.compactMap { books[$0] })
            let first = try await ann.get("/api/v1/me/borrowed?limit=2")
            let cursor = try #require(first.json["next_cursor"]?.text)
            let rest = try await ann.get("/api/v1/me/borrowed?cursor=\(cursor)").json["items"]?.elements
            #expect(rest?.compactMap { $0["book"]?["title"]?.text } == Array(byTitle.dropFirst(2)))
            // An app's dashboard shows them from the opening call.
            let opening = try await ann.get("/api/v1/me/bootstrap").json["borrowed"]?.elements
            #expect(opening?.compactMap { $0["book"]?["title"]?.text } == byTitle)
        }
    }
}
