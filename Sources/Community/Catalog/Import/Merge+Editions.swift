import Postgres

extension Catalog.Merge {
    mutating func mergeEditions(_ records: [Catalog.EditionRecord]) async throws {
        guard !records.isEmpty else { return }
        var known: [String: (found: Catalog.Found<Catalog.Edition>, work: ID<Catalog.Work>)] = [:]
        for (key, found, work) in try await transaction.all(Catalog.FindEditions(keys: records.map(\.key).sorted())) {
            known[key] = (found, work)
        }
        var inserted = Catalog.EditionColumns()
        var updated = Catalog.EditionColumns()
        var newSources = Catalog.SourceColumns<Catalog.Edition>()
        var sources = Catalog.SourceColumns<Catalog.Edition>()
        var isbns: (values: [ISBN], editions: [ID<Catalog.Edition>]) = ([], [])
        var moved: [(from: ID<Catalog.Work>, to: ID<Catalog.Work>)] = []
        var left: Set<ID<Catalog.Work>> = []
        let replaced = records.compactMap { record in
            known[record.key].flatMap { !$0.found.isAlias && record.stamp.replaces($0.found.stamp) ? $0.found.id : nil }
        }
        let kept = replaced.isEmpty ? [] : try await transaction.all(Catalog.LockedEditions(editions: replaced))
        let keeping = Dictionary(kept.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        for var record in records {
            guard var work = knownWorks[record.work]?.id else { continue }
            let id: ID<Catalog.Edition>
            if let (found, old) = known[record.key] {
                guard !found.isAlias, record.stamp.replaces(found.stamp) else {
                    outcome.unchanged += 1
                    continue
                }
                id = found.id
                if let stored = keeping[id] {
                    record = stored.keeping(record)
                    if stored.locked.contains("book") { work = old }
                }
                updated.append(id, of: work, record)
                sources.append(record.key, id, record.stamp)
                left.insert(old)
                if old != work { moved.append((old, work)) }
                outcome.changed += 1
            } else {
                id = try ids.make(Catalog.Edition.self)
                inserted.append(id, of: work, record)
                newSources.append(record.key, id, record.stamp)
                outcome.added += 1
            }
            for isbn in record.isbns {
                isbns.values.append(isbn)
                isbns.editions.append(id)
            }
        }
        if !inserted.ids.isEmpty {
            try await transaction.run(Catalog.InsertEditions(columns: inserted))
            try await transaction.run(Catalog.AddSources(columns: newSources))
        }
        if !updated.ids.isEmpty {
            try await transaction.run(Catalog.UpdateEditions(columns: updated))
            try await transaction.run(Catalog.RemoveISBNs(editions: updated.ids))
            try await transaction.run(Catalog.PutSources(columns: sources))
        }
        if !isbns.values.isEmpty {
            try await transaction.run(Catalog.AddISBNs(isbns: isbns.values, editions: isbns.editions))
        }
        let grown = Set(inserted.works).subtracting(newWorks)
        if !grown.isEmpty { try await transaction.run(Catalog.TouchWorks(works: grown.sorted())) }
        left.formUnion(updated.works)
        touched.formUnion(left)
        touched.formUnion(inserted.works)
        if !left.isEmpty { try await transaction.run(Catalog.BumpWorks(works: left.sorted())) }
        for (from, to) in moved { try await transaction.run(Catalog.RetireEmptyWork(from: from, into: to)) }
    }
}
