import Postgres

extension Ranking {
    /// A genre that a reader wants to hear of.
    package struct Genre: Sendable, Hashable, Encodable {
        /// Stable name in addresses: `science-fiction`.
        package let slug: String
        package let name: String
    }

    package static let personalTables: [PersonalTable] = [
        .init("reader_genre", key: "t.place::bigint", secondKey: "t.genre_id")
    ]
}

extension Ranking.Store {
    /// What the reader likes to read, in the reader's order.
    package func genres(of reader: ID<Accounts.Account>) async throws -> [Ranking.Genre] {
        try await services.database.all(Ranking.Statements.GenresOf(reader: reader))
    }

    /// Puts these in the place of what was there; `slugs` has at most `Limits.ranking.genresOfReader`. Throws
    /// `.invalid` (`/genres/N`: `unknown_genre`, `twice`), `.forbidden` (`account_frozen`).
    package func set(genres slugs: [String], of reader: ID<Accounts.Account>) async throws -> [Ranking.Genre] {
        try await services.database.transaction { transaction in
            try await Library.Store(services).lock(reader, in: transaction)
            let known = try await transaction.all(Ranking.Statements.GenresNamed(slugs: slugs))
            var faults = Faults()
            for (index, slug) in slugs.enumerated() {
                if slugs.firstIndex(of: slug) != index {
                    faults.add("/genres/\(index)", .twice, "stands here twice")
                } else if !known.contains(slug) {
                    faults.add("/genres/\(index)", .unknownGenre, "there is no such genre: see /genres")
                }
            }
            try faults.check()
            try await transaction.run(Ranking.Statements.DropGenres(reader: reader))
            try await transaction.run(Ranking.Statements.PutGenres(reader: reader, slugs: slugs))
            return try await transaction.all(Ranking.Statements.GenresOf(reader: reader))
        }
    }
}
