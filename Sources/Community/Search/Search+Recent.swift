import Postgres

extension Search {
    /// A search that a reader made lately.
    package struct Recent: Sendable, Hashable {
        package let id: ID<RecentSearch>
        /// As it was typed the last time.
        package let query: String
        package let at: Timestamp
        var place: RecentPlace { RecentPlace(at: at, id: id) }
    }

    /// Where a search stands in the list of a reader's, latest first.
    package struct RecentPlace: SortKey, Codable {
        let at: Timestamp
        let id: ID<RecentSearch>
        package static let lowest = RecentPlace(at: Timestamp(microseconds: 0), id: .min)
        package static let highest = RecentPlace(at: Timestamp(seconds: 253_402_214_400), id: .max)
    }
}

extension Search.Store {
    /// Keeps what a reader searched for, once for each spelling, the latest 50. A query without letters or digits is
    /// not kept; one that goes on where the reader's last one, of less than a minute ago, stopped takes its place.
    package func remember(_ query: String, of reader: ID<Accounts.Account>) async throws {
        let folded = Normaliser.fold(query).bounded(to: Limits.catalog.query.upperBound)
        guard !folded.isEmpty, query.utf8.count <= Limits.catalog.query.upperBound else { return }
        let now = services.clock.now()
        let remember = Search.Statements.Remember(
            id: try services.ids.make(), reader: reader, folded: folded, query: query, at: now,
            continuing: now - .seconds(60))
        try await services.database.batch { batch in
            batch.run(remember)
            batch.run(Search.Statements.ForgetOlder(reader: reader, keeping: Limits.search.recent))
        }
    }

    /// A reader's recent searches, latest first.
    package func recent(
        of reader: ID<Accounts.Account>, page: PageRequest<Search.RecentPlace>
    ) async throws -> Page<Search.Recent, Search.RecentPlace> {
        let database = services.database
        return try await page.read(from: .highest, key: \.place) {
            try await database.all(Search.Statements.RecentFrom(reader: reader, span: $0))
        }
    }

    /// Forgets one search. Throws `.notFound` for one that is not the reader's.
    package func forget(_ search: ID<Search.RecentSearch>, of reader: ID<Accounts.Account>) async throws {
        guard try await services.database.run(Search.Statements.ForgetOne(reader: reader, search: search)) == 1 else {
            throw Failure.notFound("search \(search)")
        }
    }

    /// Forgets every search of a reader.
    package func forgetAll(of reader: ID<Accounts.Account>) async throws {
        try await services.database.run(Search.Statements.ForgetAll(reader: reader))
    }
}
