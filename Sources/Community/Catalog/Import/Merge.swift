import Postgres

extension Catalog {
    /// Takes one batch of records into the catalogue, inside the caller's transaction.
    ///
    /// First everything that the batch names is looked up by source key, then rows are written by kind: what is new is inserted, what is
    /// newer is replaced, everything else is left alone. Names without a record get a bare row. Holds `LockImports`.
    struct Merge {
        let transaction: Transaction
        let ids: IDMaker
        var outcome = MergeOutcome()
        var knownAuthors: [String: Found<Author>] = [:]
        var knownWorks: [String: Found<Work>] = [:]
        var newWorks: Set<ID<Work>> = []
        /// Works of which something changed: what is made of them follows.
        var touched: Set<ID<Work>> = []

        init(transaction: Transaction, ids: IDMaker) {
            self.transaction = transaction
            self.ids = ids
        }

        mutating func apply(_ entries: Entries) async throws -> MergeOutcome {
            try await transaction.run(LockImports())
            try await transaction.run(ImportTimeout())
            let authors = newest(entries.authors, key: \.key, stamp: \.stamp)
            let editions = newest(entries.editions, key: \.key, stamp: \.stamp)
            var works = newest(entries.works, key: \.key, stamp: \.stamp)

            let wanted = Set(works.map(\.key)).union(editions.map(\.work))
            for (key, found) in try await transaction.all(FindSources<Work>(keys: wanted.sorted())) {
                knownWorks[key] = found
            }
            works += bareWorks(of: editions, described: Set(works.map(\.key)))

            try await mergeAuthors(authors, named: works.flatMap(\.authors))
            try await mergeWorks(works)
            try await mergeEditions(editions)
            for redirect in entries.redirects { try await merge(redirect) }
            for deletion in entries.deletions { try await merge(deletion) }
            try await WorkChanges(transaction: transaction).imported(touched)
            return outcome
        }

        /// One record a key, the newest; on a tie the last.
        private mutating func newest<Record>(
            _ records: [Record], key: KeyPath<Record, String>, stamp: KeyPath<Record, Stamp>
        ) -> [Record] {
            var places: [String: Int] = [:]
            var result: [Record] = []
            result.reserveCapacity(records.count)
            for record in records {
                if let place = places[record[keyPath: key]] {
                    if record[keyPath: stamp].replaces(result[place][keyPath: stamp]) { result[place] = record }
                    outcome.unchanged += 1
                } else {
                    places[record[keyPath: key]] = result.count
                    result.append(record)
                }
            }
            return result
        }

        /// Works that only an edition speaks of so far: they borrow its title and authors until their own record comes.
        private func bareWorks(of editions: [EditionRecord], described: Set<String>) -> [WorkRecord] {
            var seen = described
            var bare: [WorkRecord] = []
            for edition in editions where knownWorks[edition.work] == nil && seen.insert(edition.work).inserted {
                var work = WorkRecord(key: edition.work, title: edition.title)
                work.subtitle = edition.subtitle
                work.authors = edition.authors
                bare.append(work)
            }
            return bare
        }
    }
}
