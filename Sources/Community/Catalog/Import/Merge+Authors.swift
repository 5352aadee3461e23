import Postgres

extension Catalog.Merge {
    mutating func mergeAuthors(_ records: [Catalog.AuthorRecord], named: [String]) async throws {
        let keys = Set(records.map(\.key)).union(named)
        for (key, found) in try await transaction.all(Catalog.FindSources<Catalog.Author>(keys: keys.sorted())) {
            knownAuthors[key] = found
        }
        var inserted = Catalog.AuthorColumns()
        var updated = Catalog.AuthorColumns()
        var newSources = Catalog.SourceColumns<Catalog.Author>()
        var sources = Catalog.SourceColumns<Catalog.Author>()
        let replaced = records.compactMap { record in
            knownAuthors[record.key].flatMap { !$0.isAlias && record.stamp.replaces($0.stamp) ? $0.id : nil }
        }
        let kept = replaced.isEmpty ? [] : try await transaction.all(Catalog.LockedAuthors(authors: replaced))
        let keeping = Dictionary(kept.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        for record in records {
            if let known = knownAuthors[record.key] {
                guard !known.isAlias, record.stamp.replaces(known.stamp) else {
                    outcome.unchanged += 1
                    continue
                }
                updated.append(known.id, keeping[known.id]?.keeping(record) ?? record)
                sources.append(record.key, known.id, record.stamp)
                outcome.changed += 1
            } else {
                try add(record, to: &inserted, &newSources)
                outcome.added += 1
            }
        }
        for key in named where knownAuthors[key] == nil {
            try add(Catalog.AuthorRecord(key: key, name: nil), to: &inserted, &newSources)
        }
        if !inserted.ids.isEmpty {
            try await transaction.run(Catalog.InsertAuthors(columns: inserted))
            try await transaction.run(Catalog.AddSources(columns: newSources))
        }
        if !updated.ids.isEmpty { try await transaction.run(Catalog.UpdateAuthors(columns: updated)) }
        if !sources.ids.isEmpty { try await transaction.run(Catalog.PutSources(columns: sources)) }
        if !updated.ids.isEmpty {
            try await Catalog.WorkChanges(transaction: transaction).renamed(updated.ids)
        }
    }

    private mutating func add(
        _ record: Catalog.AuthorRecord, to columns: inout Catalog.AuthorColumns,
        _ sources: inout Catalog.SourceColumns<Catalog.Author>
    ) throws {
        let id = try ids.make(Catalog.Author.self)
        columns.append(id, record)
        sources.append(record.key, id, record.stamp)
        knownAuthors[record.key] = Catalog.Found(id: id, stamp: record.stamp, isAlias: false)
    }
}
