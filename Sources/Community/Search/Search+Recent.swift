import Postgres

extension Search {
    /// A search that a reader made lately.
    package struct Recent: Sendable, Hashable {
        package let id: ID<RecentSearch>
        /// As it was typed the last time.
        package let asked: Asked
        package let at: Timestamp
        var place: RecentPlace { RecentPlace(at: at, id: id) }
    }

    /// What was asked, by the names of the parameters of `/search`, as typed.
    package struct Asked: Sendable, Hashable {
        /// Of names without a value none.
        package let values: [String: String]

        package init(_ values: [String: String]) { self.values = values.filter { !$0.value.isEmpty } }

        package subscript(field: Field) -> String? { values[field.rawValue] }

        /// All but the free text, each `name=value`, in the order of their names.
        package var fields: [String] {
            values.filter { $0.key != Field.any.rawValue }.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }
        }

        init(query: String?, fields: [String]) {
            var values = query.map { [Field.any.rawValue: $0] } ?? [:]
            for field in fields {
                let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                values[String(parts[0])] = parts.count > 1 ? String(parts[1]) : ""
            }
            self.init(values)
        }

        /// The same for every spelling of the same search, whatever its order of books. Empty where no letter or digit
        /// says what is looked for.
        ///
        /// First come the texts, the free one first, separated by U+001F; behind a U+001E the filters as they were sent. One that
        /// is too long ends in a digest of all of it.
        var folded: String {
            func fold(_ name: String) -> String { Normaliser.fold(values[name] ?? "") }
            let texts = Field.allCases.map(\.rawValue) + ["isbn"]
            guard texts.contains(where: { !fold($0).isEmpty }) else { return "" }
            let names = values.keys.sorted()
            let fields = names.filter { $0 != Field.any.rawValue && texts.contains($0) }.map { "\($0)=\(fold($0))" }
            let filters = names.filter { $0 != "sort" && !texts.contains($0) }.map { "\($0)=\(values[$0] ?? "")" }
            let asked = ([fold(Field.any.rawValue)] + fields).joined(separator: "\u{1F}")
            let whole = filters.isEmpty ? asked : asked + "\u{1E}" + filters.joined(separator: "\u{1F}")
            guard whole.utf8.count > Limits.search.recentLength else { return whole }
            var digest = Digest()
            digest.add(whole.utf8)
            let end = "\u{1E}\(digest.value)"
            return whole.bounded(to: Limits.search.recentLength - end.utf8.count) + end
        }
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
    /// Keeps what a reader searched for, once for each spelling, the latest 50. What is without letters or digits is
    /// not kept, nor what is longer than can be searched for. One that goes on in one text where the reader's last one, of less
    /// than a minute ago, stopped takes its place. For an account that has ended nothing is kept.
    package func remember(_ asked: Search.Asked, of reader: ID<Accounts.Account>) async throws {
        let folded = asked.folded
        let isBounded = asked.values.values.allSatisfy { $0.utf8.count <= Limits.catalog.query.upperBound }
        guard !folded.isEmpty, isBounded else { return }
        let now = services.clock.now()
        let remember = Search.Statements.Remember(
            id: try services.ids.make(), reader: reader, folded: folded, asked: asked, at: now,
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
