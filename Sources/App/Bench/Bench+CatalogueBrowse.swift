import ArgumentParser
import Community
import Foundation
import Postgres

extension BenchCatalogue {
    /// Pages of 20 books in every order from places anywhere in the list, in the database, one after the other.
    func browse(_ runtime: Runtime) async throws {
        let places = try await runtime.database.all(Places())
        guard !places.isEmpty else { throw CommandError(.failure, "nothing can be browsed; run catalog reindex") }
        var genre = Catalog.Browse.Filter()
        genre.genre = try await runtime.community.catalog.genres().first?.slug
        var combined = genre
        combined.language = "en"
        combined.years = 1950...2005
        for (name, filter) in [("all books", Catalog.Browse.Filter()), ("a genre", genre), ("three filters", combined)]
        {
            var measured = Measured()
            for place in places {
                for order in Catalog.Browse.Order.allCases {
                    let request = PageRequest(.after(place.place(in: order)), limit: 20)
                    let start = ContinuousClock.now
                    _ = try await runtime.community.catalog.browse(order, filter, request)
                    measured.times.append((ContinuousClock.now - start) / .milliseconds(1))
                }
            }
            print(
                "| browse \(name), any order and depth (\(measured.times.count)) | | ≤ 5 ms | \(measured.quantiles) |")
        }
    }

    /// The keys of books anywhere in the catalogue.
    private struct Places: Statement {
        static let name = "bench.places"
        static let sql = """
            select work_id, popularity, rating, pages, title, author
              from browse_entry
             where scope_id = 0
             order by hashint8(work_id)
             limit 200
            """
        static func decode(_ row: borrowing Row) throws -> Entry {
            Entry(
                work: try row[0], popularity: try row[1], rating: try row[2], pages: try row[3], title: try row[4],
                author: try row[5])
        }
    }

    private struct Entry: Sendable {
        let work: ID<Catalog.Work>
        let popularity, rating: Int64
        let pages: Int32
        let title, author: String

        func place(in order: Catalog.Browse.Order) -> Catalog.Browse.Place {
            switch order {
            case .popularity: Catalog.Browse.Place(number: popularity, text: "", work: work)
            case .rating: Catalog.Browse.Place(number: rating, text: "", work: work)
            case .newest: Catalog.Browse.Place(number: work.rawValue, text: "", work: work)
            case .length: Catalog.Browse.Place(number: Int64(pages), text: "", work: work)
            case .title: Catalog.Browse.Place(number: 0, text: title, work: work)
            case .author: Catalog.Browse.Place(number: 0, text: author, work: work)
            }
        }
    }
}
