import ArgumentParser
import Community
import FoundationEssentials
import Postgres

extension BenchCatalogue {
    /// Pages of 20 books in every order, onwards and back from places anywhere in the list, in the database, one after
    /// the other.
    func browse(_ runtime: Runtime, _ report: inout CatalogueReport) async throws {
        let places = try await runtime.database.all(Bench.BrowsePlaces())
        guard !places.isEmpty else { throw CommandError(.failure, "nothing can be browsed; run catalog reindex") }
        var genre = Catalog.Browse.Filter()
        genre.genre = try await runtime.community.catalog.genres().first?.slug
        var combined = genre
        combined.language = "en"
        combined.years = 1950...2005
        var films = Catalog.Browse.Filter()
        films.kind = .film
        for (name, filter) in [
            ("all books", Catalog.Browse.Filter()), ("a genre", genre), ("three filters", combined), ("films", films),
        ] {
            var measured = CatalogueTimes()
            for place in places {
                for order in Catalog.Browse.Order.allCases {
                    let key = place.place(in: order)
                    for start in [PageRequest.Start.after(key), .before(key)] {
                        let request = PageRequest(start, limit: 20)
                        let start = ContinuousClock.now
                        _ = try await runtime.community.catalog.browse(order, filter, request)
                        measured.times.append((ContinuousClock.now - start) / .milliseconds(1))
                    }
                }
            }
            report.row(
                "browse \(name), any order and depth (\(measured.times.count))", wanted: "p95 ≤ 5 ms", measured,
                isMet: measured.p95 <= 5)
        }
    }

    /// The keys of a book in every order.
    struct BrowseKeys: Sendable {
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
