import Postgres

extension Catalog.Intake {
    /// Authors by their records, and a bare row for each name in `named` that nobody describes.
    mutating func takeAuthors(_ records: [Catalog.AuthorRecord], named: [String]) async throws {
        let replaced = records.compactMap { record in
            knownAuthors[record.key].flatMap { !$0.isAlias && record.stamp.replaces($0.stamp) ? $0.id : nil }
        }
        let kept = replaced.isEmpty ? [] : try await transaction.all(Catalog.LockedAuthors(authors: replaced))
        let keeping = Dictionary(kept.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        var new = AuthorRows()
        var updated = AuthorRows()
        for record in records {
            guard let known = knownAuthors[record.key] else {
                try add(record, to: &new)
                outcome.added += 1
                continue
            }
            guard !known.isAlias, record.stamp.replaces(known.stamp) else {
                leave(record.stamp, known)
                continue
            }
            updated.append(known.id, keeping[known.id]?.keeping(record) ?? record, record.stamp)
            outcome.changed += 1
        }
        for key in named where knownAuthors[key] == nil {
            try add(Catalog.AuthorRecord(key: key, name: nil), to: &new)
        }
        try await insert(new)
        guard !updated.columns.ids.isEmpty else { return }
        try await transaction.run(Catalog.UpdateAuthors(columns: updated.columns))
        try await transaction.run(Catalog.PutSources(columns: updated.sources))
        try await Catalog.WorkChanges(transaction: transaction).renamed(updated.columns.ids)
    }

    private mutating func add(_ record: Catalog.AuthorRecord, to rows: inout AuthorRows) throws {
        let id = try services.ids.make(Catalog.Author.self)
        let stamp = stamp(of: record.key, record.stamp)
        rows.append(id, record, stamp)
        if stamp.isEnding { rows.withdrawn.append(id) }
        knownAuthors[record.key] = Catalog.Found(id: id, stamp: stamp, isAlias: false)
    }

    private mutating func insert(_ rows: AuthorRows) async throws {
        guard !rows.columns.ids.isEmpty else { return }
        try await transaction.run(Catalog.InsertAuthors(columns: rows.columns))
        try await transaction.run(Catalog.AddSources(columns: rows.sources))
        if !rows.withdrawn.isEmpty { try await transaction.run(Catalog.WithdrawAuthors(authors: rows.withdrawn)) }
        try await arrived(rows.sources.keys)
    }

    /// Authors to be written, with their keys.
    private struct AuthorRows {
        var columns = Catalog.AuthorColumns()
        var sources = Catalog.SourceColumns(.author)
        var withdrawn: [ID<Catalog.Author>] = []

        mutating func append(_ id: ID<Catalog.Author>, _ record: Catalog.AuthorRecord, _ stamp: Catalog.Stamp) {
            columns.append(id, record)
            sources.append(record.key, .author(id), stamp)
        }
    }

    /// The stamp under which a record is stored: of a name without a record the deletion's, where its source deleted
    /// what it names.
    func stamp(of key: String, _ stamp: Catalog.Stamp) -> Catalog.Stamp {
        guard stamp.digest == 0, let absent = absent[key], absent.target == nil else { return stamp }
        return absent.stamp
    }

    /// Forgets what was said about these keys while they were not here.
    mutating func arrived(_ keys: [String]) async throws {
        let known = keys.filter { absent.removeValue(forKey: $0) != nil }
        if !known.isEmpty { try await transaction.run(Catalog.DropAbsent(keys: known)) }
    }

    /// Counts a record that is not taken in: known, older than what is, or redirected before.
    mutating func leave<Entity>(_ stamp: Catalog.Stamp, _ known: Catalog.Found<Entity>) {
        outcome.unchanged += 1
        if known.isAlias, known.stamp.isEnding, let revision = stamp.revision, let ended = known.stamp.revision,
            revision > ended
        {
            outcome.redirected += 1
        }
    }
}
