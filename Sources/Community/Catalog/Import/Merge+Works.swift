import Postgres

extension Catalog.Merge {
    mutating func mergeWorks(_ records: [Catalog.WorkRecord]) async throws {
        var inserted = Catalog.WorkColumns()
        var updated = Catalog.WorkColumns()
        var newSources = Catalog.SourceColumns<Catalog.Work>()
        var sources = Catalog.SourceColumns<Catalog.Work>()
        var written: [(ID<Catalog.Work>, Catalog.WorkRecord)] = []
        var locks = Catalog.FieldLocks()
        let replaced = records.compactMap { record in
            knownWorks[record.key].flatMap { !$0.isAlias && record.stamp.replaces($0.stamp) ? $0.id : nil }
        }
        let kept = replaced.isEmpty ? [] : try await transaction.all(Catalog.LockedWorks(works: replaced))
        let keeping = Dictionary(kept.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        for var record in records {
            let id: ID<Catalog.Work>
            if let known = knownWorks[record.key] {
                guard !known.isAlias, record.stamp.replaces(known.stamp) else {
                    outcome.unchanged += 1
                    continue
                }
                id = known.id
                if let stored = keeping[id] {
                    record = stored.keeping(record)
                    locks.add(stored.locked, of: id)
                }
                updated.append(id, record)
                sources.append(record.key, id, record.stamp)
                outcome.changed += 1
            } else {
                id = try ids.make(Catalog.Work.self)
                inserted.append(id, record)
                newSources.append(record.key, id, record.stamp)
                newWorks.insert(id)
                knownWorks[record.key] = Catalog.Found(id: id, stamp: record.stamp, isAlias: false)
                if record.stamp.digest != 0 { outcome.added += 1 }
            }
            written.append((id, record))
        }
        guard !written.isEmpty else { return }
        if !inserted.ids.isEmpty {
            try await transaction.run(Catalog.InsertWorks(columns: inserted))
            try await transaction.run(Catalog.AddSources(columns: newSources))
            try await transaction.run(
                Catalog.AddPopularity(works: inserted.ids, listed: inserted.titles.map { $0 != nil }))
        }
        if !updated.ids.isEmpty {
            try await transaction.run(Catalog.UpdateWorks(columns: updated))
            try await transaction.run(Catalog.PutSources(columns: sources))
            try await transaction.run(
                Catalog.PutPopularity(works: updated.ids, listed: updated.titles.map { $0 != nil }))
        }
        try await link(written, replaced: updated.ids, locks: locks)
        touched.formUnion(written.map(\.0))
    }

    private func link(
        _ works: [(ID<Catalog.Work>, Catalog.WorkRecord)], replaced: [ID<Catalog.Work>], locks: Catalog.FieldLocks
    ) async throws {
        var linked: (works: [ID<Catalog.Work>], positions: [Int16], authors: [ID<Catalog.Author>]) = ([], [], [])
        for (id, record) in works where !locks.hold("authors", of: id) {
            for (index, key) in record.authors.prefix(Limits.Catalog.authors).enumerated() {
                guard let author = knownAuthors[key] else { continue }
                linked.works.append(id)
                linked.positions.append(Int16(index + 1))
                linked.authors.append(author.id)
            }
        }
        let unlinked = replaced.filter { !locks.hold("authors", of: $0) }
        if !unlinked.isEmpty { try await transaction.run(Catalog.UnlinkAuthors(works: unlinked)) }
        if !linked.works.isEmpty {
            try await transaction.run(
                Catalog.LinkAuthors(works: linked.works, positions: linked.positions, authors: linked.authors))
        }
        try await Catalog.Headings(transaction: transaction, ids: ids).put(
            works, replaced: replaced, locks: locks)
    }
}
