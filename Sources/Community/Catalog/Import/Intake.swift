import Postgres

extension Catalog {
    /// Takes one batch of records into the catalogue, inside the caller's transaction, or in parts
    /// (`Intake+Parts.swift`).
    ///
    /// First everything that the batch names is looked up by source key, then rows are written by kind: what is new is
    /// inserted, what is newer is replaced, everything else is left alone. Names without a record get a bare row. Then
    /// redirects are followed and deletions carried out. Holds `LockImports`.
    ///
    /// **Any order.** The newest word about a key holds, whatever comes first: a record that its source deleted in a
    /// later revision is not taken in, one that it redirected counts as what it became, and for both it is remembered
    /// what was said about records that are not here yet (`absent_record`). A redirect that was followed stays, also
    /// against a newer record of the old key: what was merged cannot be parted.
    struct Intake {
        var transaction: Transaction
        let services: Services
        var outcome = IntakeOutcome()
        var knownAuthors: [String: Found<Author>] = [:]
        var knownWorks: [String: Found<Work>] = [:]
        var knownEditions: [String: FoundEdition] = [:]
        /// What is said about keys that are not known.
        var absent: [String: Absent] = [:]
        var newWorks: Set<ID<Work>> = []
        /// Works of which something changed: what is made of them follows.
        var touched: Set<ID<Work>> = []

        mutating func apply(_ entries: Entries) async throws -> IntakeOutcome {
            try await transaction.run(ImportTimeout())
            try await transaction.run(LockImports())
            var authors = newest(entries.authors, key: \.key, stamp: \.stamp)
            var works = newest(entries.works, key: \.key, stamp: \.stamp)
            var editions = newest(entries.editions, key: \.key, stamp: \.stamp)
            try await lookUp(authors, works, editions, entries)

            authors = living(authors, key: \.key, stamp: \.stamp)
            works = living(works, key: \.key, stamp: \.stamp)
            editions = living(editions, key: \.key, stamp: \.stamp)
            works += bareWorks(of: editions, described: Set(works.map(\.key)))

            try await takeAuthors(authors, named: works.flatMap(\.authors))
            try await takeWorks(works)
            try await takeEditions(editions)
            for redirect in entries.redirects { try await follow(redirect) }
            for deletion in entries.deletions { try await delete(deletion) }
            try await WorkChanges(transaction: transaction).imported(touched)
            return outcome
        }

        /// One record a key, the newest; on a tie the last.
        mutating func newest<Record>(
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

        mutating func lookUp(
            _ authors: [AuthorRecord], _ works: [WorkRecord], _ editions: [EditionRecord], _ entries: Entries
        ) async throws {
            let named = Set(authors.map(\.key)).union(works.flatMap(\.authors)).union(editions.flatMap(\.authors))
            for (key, found) in try await transaction.all(FindAuthors(keys: named.sorted())) {
                knownAuthors[key] = found
            }
            let wanted = Set(works.map(\.key)).union(editions.map(\.work))
            for (key, found) in try await transaction.all(FindWorks(keys: wanted.sorted())) {
                knownWorks[key] = found
            }
            let printed = editions.map(\.key)
            for found in try await transaction.all(FindEditions(keys: printed.sorted())) {
                knownEditions[found.key] = found
            }
            var asked = named.filter { knownAuthors[$0] == nil }
            asked.formUnion(wanted.filter { knownWorks[$0] == nil })
            asked.formUnion(printed.filter { knownEditions[$0] == nil })
            asked.formUnion(entries.redirects.flatMap { [$0.from, $0.to] })
            for absent in try await transaction.all(FindAbsent(keys: asked.sorted())) {
                self.absent[absent.key] = absent
            }
        }

        /// Without those that their source has deleted since.
        private mutating func living<Record>(
            _ records: [Record], key: KeyPath<Record, String>, stamp: KeyPath<Record, Stamp>
        ) -> [Record] {
            guard !absent.isEmpty else { return records }
            let living = records.filter { record in
                guard let absent = absent[record[keyPath: key]], absent.target == nil else { return true }
                return record[keyPath: stamp].replaces(absent.stamp)
            }
            outcome.unchanged += Int64(records.count - living.count)
            return living
        }

        /// Works that only an edition speaks of so far: they borrow its title and authors until their own record comes.
        func bareWorks(of editions: [EditionRecord], described: Set<String>) -> [WorkRecord] {
            var seen = described
            var bare: [WorkRecord] = []
            for edition in editions
            where knownWorks[edition.work] == nil && needsWork(edition) && seen.insert(edition.work).inserted {
                var work = WorkRecord(key: edition.work, title: edition.title)
                work.subtitle = edition.subtitle
                work.authors = edition.authors
                bare.append(work)
            }
            return bare
        }
    }
}
