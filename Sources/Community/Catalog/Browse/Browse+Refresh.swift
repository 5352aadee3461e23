import Postgres

extension Catalog.Store {
    /// Rewrites the entries of all books that are marked now, batch by batch, each in its own transaction. Gives their
    /// number.
    @discardableResult
    package func refreshBrowse() async throws -> Int {
        var count = 0
        while true {
            let done = try await services.database.transaction { transaction in
                try await transaction.run(Catalog.Browse.LockBrowse())
                let works = try await transaction.all(Catalog.Browse.TakeMarks(limit: Limits.browse.batch))
                try await rewriteEntries(of: Array(Set(works)), in: transaction)
                return works.count
            }
            count += done
            guard done > 0 else { return count }
        }
    }

    /// Fixes the mean anew and marks every rated book, and every book without entries: those that were there before
    /// there was browsing.
    package func fixMean() async throws {
        try await services.database.transaction { transaction in
            try await transaction.run(Catalog.Browse.LockBrowse())
            try await transaction.run(Catalog.Browse.SetMean(at: services.clock.now()))
            try await transaction.run(Catalog.Browse.MarkRated())
            try await transaction.run(Catalog.Browse.MarkMissing())
        }
    }

    /// Marks every book that is there or stands in some scope, so that the next refresh rewrites all entries: after a
    /// restore, or when keys are made in another way.
    package func markAllForBrowse() async throws -> Int {
        try await services.database.run(Catalog.Browse.MarkAll())
    }

    private func rewriteEntries(of works: [ID<Catalog.Work>], in transaction: Transaction) async throws {
        guard !works.isEmpty else { return }
        let mean = try await mean(in: transaction)
        try await transaction.run(Search.Statements.PlanAnew())
        let facts = try await transaction.all(Catalog.Browse.ReadFacts(works: works.sorted()))
        try await transaction.run(Search.Statements.PlanFreely())
        let scopes = try await scopeIDs(Set(facts.flatMap(\.scopes)), in: transaction)
        var added = Catalog.Browse.AddEntries()
        let fresh = Set(facts.filter { !$0.hasEntries }.map(\.work))
        var put = Catalog.Browse.PutEntries(works: works.filter { !fresh.contains($0) }.sorted())
        for fact in facts where fact.isListed {
            let keys = fact.keys(mean: mean)
            for id in fact.scopes.compactMap({ scopes[$0] }) {
                if fact.hasEntries {
                    put.columns.append(id, fact.work, keys)
                } else {
                    added.columns.append(id, fact.work, keys)
                }
            }
        }
        if !added.columns.scopes.isEmpty { try await transaction.run(added) }
        if !put.works.isEmpty { try await transaction.run(put) }
        try await transaction.run(Catalog.Browse.Enlarge(scopes: scopes.values.sorted(), above: Limits.browse.bigScope))
    }

    private func mean(in transaction: Transaction) async throws -> Double {
        if let mean = try await transaction.first(Catalog.Browse.ReadMean()) { return mean }
        try await transaction.run(Catalog.Browse.SetMean(at: services.clock.now()))
        return try await transaction.first(Catalog.Browse.ReadMean()) ?? 0
    }

    /// The ids of these scopes; what is not there yet is made.
    private func scopeIDs(
        _ scopes: Set<Catalog.Browse.Scope>, in transaction: Transaction
    ) async throws -> [Catalog.Browse.Scope: Int64] {
        let wanted = scopes.sorted()
        var ids: [Catalog.Browse.Scope: Int64] = [:]
        for found in try await transaction.all(Catalog.Browse.FindScopes(scopes: wanted)) {
            ids[found.scope] = found.id
        }
        let missing = wanted.filter { ids[$0] == nil }
        guard !missing.isEmpty else { return ids }
        for scope in missing { ids[scope] = try services.ids.make(Catalog.Browse.Scope.self).rawValue }
        try await transaction.run(Catalog.Browse.AddScopes(ids: missing.compactMap { ids[$0] }, scopes: missing))
        return ids
    }
}

extension Catalog.Browse {
    /// The keys of one book in all orders.
    struct Keys: Hashable, Sendable {
        let popularity, rating: Int64
        let pages: Int32
        let year: Int16
        let title, author: String
    }

    /// What the entries of one book are made of.
    struct Facts: Sendable {
        let work: ID<Catalog.Work>
        let isListed: Bool
        let title, language, author: String?
        let year: Int16?
        let pages: Int32?
        let score: Int
        let imported: Int64
        let ratings: Int
        let quarters: Int64
        let genres, subjects, publishers, languages: [String]
        let authors: [ID<Catalog.Author>]
        let kind: Catalog.WorkKind
        /// It stands in some scope.
        let hasEntries: Bool

        var scopes: [Scope] {
            guard isListed else { return [] }
            var scopes: Set<Scope> = [.all]
            scopes.formUnion(genres.map { Scope(.genre, $0) })
            scopes.formUnion(subjects.map { Scope(.subject, $0) })
            scopes.formUnion(authors.map { Scope(.author, $0.text) })
            scopes.formUnion(publishers.map(Catalog.headingKey).filter { !$0.isEmpty }.map { Scope(.publisher, $0) })
            scopes.formUnion(languages.map { Scope(.language, $0) })
            if let year { scopes.insert(Scope.decade(Int(year))) }
            if kind != .book { scopes.insert(Scope(.kind, kind.rawValue)) }
            return Array(scopes)
        }

        func keys(mean: Double) -> Keys {
            Keys(
                popularity: popularityKey(score: score, imported: imported),
                rating: ratingKey(count: ratings, quarters: quarters, mean: mean), pages: pages ?? missingPages,
                year: year ?? missingYear, title: titleKey(title ?? "", language: language), author: authorKey(author))
        }
    }
}
