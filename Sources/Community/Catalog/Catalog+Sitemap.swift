import Postgres

extension Catalog {
    /// What search engines are told of beside genres: what strangers may read, each under its id.
    package enum Mapped: String, Variation {
        /// Listed books.
        case book
        /// Authors who have a name and were not merged into others.
        case author
        case series

        /// Things in one part of the map.
        package static let partSize = 10_000
        /// Parts of one kind; what comes behind them is not told.
        package static let mostParts = 500
    }
}

extension Catalog.Store {
    /// The first id of each part of the map of one kind, in order. None where there are no such things.
    package func sitemapParts(
        of kind: Catalog.Mapped, size: Int = Catalog.Mapped.partSize
    ) async throws -> [Int64] {
        try await services.database.all(
            Catalog.SitemapParts(variation: kind, size: size, most: Catalog.Mapped.mostParts))
    }

    /// The ids of one part, in order: at most `size`, from `start` on.
    package func sitemapPart(
        of kind: Catalog.Mapped, from start: Int64, size: Int = Catalog.Mapped.partSize
    ) async throws -> [Int64] {
        try await services.database.all(Catalog.SitemapPart(variation: kind, start: start, size: size))
    }
}
