import Postgres

extension Catalog.Intake {
    /// Works by their records, those among them that only editions speak of with a bare one. Their authors are known
    /// already.
    mutating func takeWorks(_ records: [Catalog.WorkRecord]) async throws {
        let replaced = records.compactMap { record in
            knownWorks[record.key].flatMap { !$0.isAlias && record.stamp.replaces($0.stamp) ? $0.id : nil }
        }
        let kept = replaced.isEmpty ? [] : try await transaction.all(Catalog.LockedWorks(works: replaced))
        let keeping = Dictionary(kept.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        var new = WorkRows()
        var updated = WorkRows()
        for var record in records {
            guard let known = knownWorks[record.key] else {
                try add(record, to: &new)
                continue
            }
            guard !known.isAlias, record.stamp.replaces(known.stamp) else {
                leave(record.stamp, known)
                continue
            }
            let stamp = record.stamp
            if let stored = keeping[known.id] {
                record = stored.keeping(record)
                updated.locks.add(stored.locked, of: known.id)
            }
            updated.append(known.id, record, stamp)
            outcome.changed += 1
        }
        try await insert(new)
        try await update(updated)
        let written = new.written + updated.written
        guard !written.isEmpty else { return }
        try await link(written, replaced: updated.columns.ids, locks: updated.locks)
        touched.formUnion(written.map(\.0))
    }

    private mutating func add(_ record: Catalog.WorkRecord, to rows: inout WorkRows) throws {
        let id = try services.ids.make(Catalog.Work.self)
        let stamp = stamp(of: record.key, record.stamp)
        rows.append(id, record, stamp)
        if stamp.isEnding { rows.withdrawn.append(id) }
        newWorks.insert(id)
        knownWorks[record.key] = Catalog.Found(id: id, stamp: stamp, isAlias: false)
        if record.stamp.digest != 0 { outcome.added += 1 }
    }

    private mutating func insert(_ rows: WorkRows) async throws {
        guard !rows.columns.ids.isEmpty else { return }
        try await transaction.run(Catalog.InsertWorks(columns: rows.columns))
        try await transaction.run(Catalog.AddSources(columns: rows.sources))
        try await transaction.run(
            Catalog.AddPopularity(works: rows.columns.ids, listed: rows.columns.titles.map { $0 != nil }))
        if !rows.withdrawn.isEmpty { try await transaction.run(Catalog.WithdrawWorks(works: rows.withdrawn)) }
        try await arrived(rows.sources.keys)
    }

    private func update(_ rows: WorkRows) async throws {
        guard !rows.columns.ids.isEmpty else { return }
        try await transaction.run(Catalog.UpdateWorks(columns: rows.columns))
        try await transaction.run(Catalog.PutSources(columns: rows.sources))
        try await transaction.run(
            Catalog.PutPopularity(works: rows.columns.ids, listed: rows.columns.titles.map { $0 != nil }))
    }

    private func link(
        _ works: [(ID<Catalog.Work>, Catalog.WorkRecord)], replaced: [ID<Catalog.Work>], locks: Catalog.FieldLocks
    ) async throws {
        var linked: (works: [ID<Catalog.Work>], positions: [Int16], authors: [ID<Catalog.Author>]) = ([], [], [])
        for (id, record) in works where !locks.hold(.authors, of: id) {
            // Two keys may have become one author: that one stands at the earlier place.
            var seen: Set<ID<Catalog.Author>> = []
            for (index, key) in record.authors.prefix(Limits.catalog.authors).enumerated() {
                guard let author = knownAuthors[key], seen.insert(author.id).inserted else { continue }
                linked.works.append(id)
                linked.positions.append(Int16(index + 1))
                linked.authors.append(author.id)
            }
        }
        let unlinked = replaced.filter { !locks.hold(.authors, of: $0) }
        if !unlinked.isEmpty { try await transaction.run(Catalog.UnlinkAuthors(works: unlinked)) }
        if !linked.works.isEmpty {
            try await transaction.run(
                Catalog.LinkAuthors(works: linked.works, positions: linked.positions, authors: linked.authors))
        }
        try await Catalog.Headings(transaction: transaction, ids: services.ids).put(
            works, replaced: replaced, locks: locks)
    }

    /// Works to be written, with their keys.
    private struct WorkRows {
        var columns = Catalog.WorkColumns()
        var sources = Catalog.SourceColumns(.book)
        var written: [(ID<Catalog.Work>, Catalog.WorkRecord)] = []
        var withdrawn: [ID<Catalog.Work>] = []
        var locks = Catalog.FieldLocks()

        mutating func append(_ id: ID<Catalog.Work>, _ record: Catalog.WorkRecord, _ stamp: Catalog.Stamp) {
            columns.append(id, record)
            sources.append(record.key, .book(id), stamp)
            written.append((id, record))
        }
    }
}
