import Postgres
import TestSupport
import Testing

@testable import Community

/// What search engines are told of.
@Suite(.database)
struct SitemapTests {
    @Test(arguments: 1...6) func `the parts of the map hold each listed thing once, in order`(size: Int) async throws {
        try await withWorld(leaving: [.jobs, .outbox]) { world in
            let catalog = world.community.catalog
            for kind in Catalog.Mapped.allCases {
                #expect(try await catalog.sitemapParts(of: kind, size: size).isEmpty, "\(kind)")
            }
            let new = (1...5).map { number in
                var book = Catalog.NewBook(
                    key: "\(number)", title: "Book \(number)", authors: ["Writer \(number)"], year: 1999)
                book.series = [("Series \(number)", "1")]
                return book
            }
            let books = try await world.given.books(new).map(\.rawValue)
            for kind in Catalog.Mapped.allCases {
                let starts = try await catalog.sitemapParts(of: kind, size: size)
                #expect(starts.count == (5 + size - 1) / size, "\(kind)")
                var found: [Int64] = []
                for start in starts { found += try await catalog.sitemapPart(of: kind, from: start, size: size) }
                #expect(found == found.sorted() && Set(found).count == 5, "\(kind): \(found)")
                if kind == .book { #expect(found == books.sorted()) }
            }
            // What is withdrawn is not told, though it was first.
            _ = try await world.asSuperuser(
                "update work_popularity set listed = false where work_id = \(books.min() ?? 0)")
            #expect(try await catalog.sitemapParts(of: .book, size: 10) == [books.sorted()[1]])
            #expect(try await catalog.sitemapPart(of: .book, from: 1, size: 10) == Array(books.sorted().dropFirst()))
        }
    }
}
