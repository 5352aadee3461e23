import Postgres

extension Catalog {
    /// The page of an author.
    package struct AuthorPage: Sendable {
        /// That of another one where the one asked for was merged.
        package let id: ID<Author>
        package let version: Int
        package let name: String?
        package let aliases: [String]
        package let birth, death, description: String?
        /// Listed books.
        package let books: Int
        package let locked: [String]
        package let isFollowed: Bool
    }

    /// What is known of an edition.
    package struct EditionFacts: Sendable {
        package let id: ID<Edition>
        package let title, subtitle, publisher, published: String?
        package let year: Int?
        package let pages, minutes: Int?
        package let language, format: String?
        package let isbns: [ISBN]
        package let modes, features, hazards: [String]
        package let summary: String?
    }

    /// One edition with the book that it is of.
    package struct EditionPage: Sendable {
        /// Those of another one where the one asked for was merged.
        package let facts: EditionFacts
        package let work: ID<Work>
        package let version: Int
        package let locked: [String]
        package internal(set) var contributors: [Contributor] = []
    }

    /// The name of a series; its books are a list of their own.
    package struct SeriesPage: Sendable {
        package let id: ID<Series>
        package let name: String
        package let isFollowed: Bool
    }

    /// A book with its place in a series.
    package struct SeriesItem: Sendable {
        package let position: String?
        package let book: BookItem
        package let place: SeriesPlace
    }

    /// The place of a book in the order of its series: a keyset key.
    package struct SeriesPlace: SortKey, Codable {
        /// The first number in the position; a billion where there is none.
        let ordinal: Float
        let work: ID<Work>

        package static let lowest = SeriesPlace(ordinal: -Float.greatestFiniteMagnitude, work: .min)
        package static let highest = SeriesPlace(ordinal: Float.greatestFiniteMagnitude, work: .max)
    }
}

extension Catalog.Store {
    /// The page of an author, or of the one that it was merged into, and whether `reader` follows it. Throws
    /// `.notFound`.
    package func author(
        _ id: ID<Catalog.Author>, for reader: ID<Accounts.Account>? = nil
    ) async throws -> Catalog.AuthorPage {
        guard let page = try await services.database.first(Catalog.AuthorRow(author: id, reader: reader)) else {
            throw Failure.notFound("author \(id)")
        }
        return page
    }

    /// An edition with its book, or the one that it was merged into. Throws `.notFound`.
    package func edition(_ id: ID<Catalog.Edition>) async throws -> Catalog.EditionPage {
        let (pages, contributors) = try await services.database.pipeline(
            Catalog.EditionRow(edition: id), Catalog.ContributorsOfEdition(edition: id))
        guard var page = pages.first else { throw Failure.notFound("edition \(id)") }
        page.contributors = contributors
        return page
    }

    /// The name of a series, and whether `reader` follows it. Throws `.notFound`.
    package func series(
        _ id: ID<Catalog.Series>, for reader: ID<Accounts.Account>?
    ) async throws -> Catalog.SeriesPage {
        guard let page = try await services.database.first(Catalog.SeriesRow(series: id, reader: reader)) else {
            throw Failure.notFound("series \(id)")
        }
        return page
    }

    /// The listed books of a series in its order, those without a number last.
    package func books(
        in series: ID<Catalog.Series>, _ request: PageRequest<Catalog.SeriesPlace>
    ) async throws -> Page<Catalog.SeriesItem, Catalog.SeriesPlace> {
        let database = services.database
        return try await request.read(from: .lowest, key: \.place) {
            try await database.all(Catalog.BooksOfSeries(series: series, span: $0))
        }
    }
}
