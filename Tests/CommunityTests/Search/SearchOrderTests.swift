import Postgres
import TestSupport
import Testing

@testable import Community

/// What comes first of what matches.
@Suite(.database) struct SearchOrderTests {
    @Test
    func `the title itself comes before its beginnings, those before its words, and words of several fields last`()
        async throws
    {
        try await withWorld { world in
            // Each more popular than those that come before it.
            let shelf: [(title: String, author: String, ratings: Int32)] = [
                ("Silent River", "Ann", 0), ("Silent River Nights", "Ben", 10), ("The River so Silent", "Cas", 1_000),
                ("The River as Silent", "Dan", 100), ("Big River Stories", "Eve Silent", 100_000),
            ]
            let works = try await world.given.books(
                shelf.enumerated().map { number, entry in
                    var book = Catalog.NewBook(key: "\(number)", title: entry.title, authors: [entry.author])
                    book.stars = [0, 0, 0, 0, entry.ratings]
                    return book
                })
            let found = try await world.found("silent river ").compactMap { works.firstIndex(of: $0.id) }
            #expect(found == [0, 1, 2, 3, 4])
            let byPopularity = Search.Query([.any: "silent river "], sort: .by(.popularity))
            let popular = try await world.found(byPopularity).page.items.compactMap { works.firstIndex(of: $0.book.id) }
            #expect(popular == [4, 2, 3, 1, 0])
        }
    }
}
