import Postgres

extension Catalog.Intake {
    /// A batch in parts that several hands take in at once, each in a transaction of its own.
    ///
    /// A work, its editions and everything that hangs on them are in one part. What parts have in common (authors,
    /// names of genres, subjects and series) was written before. So no part waits for another but for the counters of
    /// genres, which are written last.
    struct Parts: Sendable {
        /// What is known about everything that the batch names, and what was done so far.
        let known: Catalog.Intake
        let parts: [Part]
    }

    struct Part: Sendable {
        var works: [Catalog.WorkRecord] = []
        var editions: [Catalog.EditionRecord] = []

        var isEmpty: Bool { works.isEmpty && editions.isEmpty }
    }

    /// Looks the batch up, writes what its parts have in common, and divides it. The caller holds `TakeImportTurn`
    /// until the last part is in.
    ///
    /// `nil`, and nothing is written, for a batch that only one transaction can take in: with redirects, deletions,
    /// keys about which something was said before they came, and editions that may leave their work.
    mutating func divide(_ entries: Catalog.Entries, among hands: Int) async throws -> Parts? {
        guard entries.redirects.isEmpty, entries.deletions.isEmpty else { return nil }
        try await transaction.run(Catalog.ImportTimeout())
        try await transaction.run(Catalog.CommitLater())
        let authors = newest(entries.authors, key: \.key, stamp: \.stamp)
        var works = newest(entries.works, key: \.key, stamp: \.stamp)
        let editions = newest(entries.editions, key: \.key, stamp: \.stamp)
        try await lookUp(authors, works, editions, entries)
        guard absent.isEmpty, editions.allSatisfy(staysWhereItIs) else { return nil }

        works += bareWorks(of: editions, described: Set(works.map(\.key)))
        try await takeAuthors(authors, named: works.flatMap(\.authors))
        try await Catalog.Headings(transaction: transaction, ids: services.ids).prepare(works.filter(isNews))
        var parts = Array(repeating: Part(), count: hands)
        for work in works { parts[hand(for: work.key, of: hands)].works.append(work) }
        for edition in editions { parts[hand(for: edition.work, of: hands)].editions.append(edition) }
        return Parts(known: self, parts: parts.filter { !$0.isEmpty })
    }

    /// Takes one part in.
    mutating func apply(_ part: Part) async throws -> Catalog.IntakeOutcome {
        try await transaction.run(Catalog.ImportTimeout())
        try await transaction.run(Catalog.CommitLater())
        try await takeWorks(part.works)
        try await takeEditions(part.editions)
        try await Catalog.WorkChanges(transaction: transaction).imported(touched)
        return outcome
    }

    /// The same knowledge for another transaction, which has done nothing yet.
    func continued(in transaction: Transaction) -> Self {
        var intake = self
        intake.transaction = transaction
        intake.outcome = Catalog.IntakeOutcome()
        return intake
    }

    private func staysWhereItIs(_ record: Catalog.EditionRecord) -> Bool {
        switch standing(of: record) {
        case .new: true
        case .known: knownEditions[record.key]?.found.isAlias == false
        case .outdated, .redirected: false
        }
    }

    private func isNews(_ record: Catalog.WorkRecord) -> Bool {
        knownWorks[record.key].map { record.stamp.replaces($0.stamp) } ?? true
    }

    /// The part of a work: keys of one work lead to one part. FNV-1a, mixed once more because keys are short and much
    /// alike; the same file is always divided in the same way.
    private func hand(for key: String, of hands: Int) -> Int {
        let work = knownWorks[key]?.id.text ?? key
        var hash = work.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        hash = (hash ^ hash >> 29) &* 0xBF58_476D_1CE4_E5B9
        return Int((hash >> 32) % UInt64(hands))
    }
}
