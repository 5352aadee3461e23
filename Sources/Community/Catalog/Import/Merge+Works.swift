import Postgres

extension Catalog.Merge {
    mutating func mergeWorks(_ records: [Catalog.WorkRecord]) async throws {
        var inserted = Catalog.WorkColumns()
        var updated = Catalog.WorkColumns()
        var newSources = Catalog.SourceColumns<Catalog.Work>()
        var sources = Catalog.SourceColumns<Catalog.Work>()
        var written: [(ID<Catalog.Work>, Catalog.WorkRecord)] = []
        for record in records {
            let id: ID<Catalog.Work>
            if let known = knownWorks[record.key] {
                guard !known.isAlias, record.stamp.replaces(known.stamp) else {
                    outcome.unchanged += 1
                    continue
                }
                id = known.id
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
        try await link(written, replaced: updated.ids)
        try await index(written)
    }

    /// Authors must have been linked before: their names are part of what is searched.
    private func index(_ works: [(ID<Catalog.Work>, Catalog.WorkRecord)]) async throws {
        let titled = works.filter { $0.1.title != nil }
        let added = titled.filter { newWorks.contains($0.0) }
        if !added.isEmpty {
            try await transaction.run(
                Catalog.AddToIndex(works: added.map(\.0), titles: added.map { Self.searchTitle($0.1) }))
        }
        let known = titled.filter { !newWorks.contains($0.0) }
        if !known.isEmpty {
            try await transaction.run(
                Catalog.IndexWorks(works: known.map(\.0), titles: known.map { Self.searchTitle($0.1) }))
        }
    }

    /// Title and subtitle folded, at most 500 bytes.
    static func searchTitle(_ record: Catalog.WorkRecord) -> String {
        let folded = Search.Normaliser.fold([record.title, record.subtitle].compactMap { $0 }.joined(separator: " "))
        return folded.clipped(to: 500).text ?? ""
    }

    private func link(_ works: [(ID<Catalog.Work>, Catalog.WorkRecord)], replaced: [ID<Catalog.Work>]) async throws {
        var linked: (works: [ID<Catalog.Work>], positions: [Int16], authors: [ID<Catalog.Author>]) = ([], [], [])
        for (id, record) in works {
            for (index, key) in record.authors.prefix(Limits.Catalog.authors).enumerated() {
                guard let author = knownAuthors[key] else { continue }
                linked.works.append(id)
                linked.positions.append(Int16(index + 1))
                linked.authors.append(author.id)
            }
        }
        if !replaced.isEmpty { try await transaction.run(Catalog.UnlinkAuthors(works: replaced)) }
        if !linked.works.isEmpty {
            try await transaction.run(
                Catalog.LinkAuthors(works: linked.works, positions: linked.positions, authors: linked.authors))
        }
        try await Catalog.Headings(transaction: transaction, ids: ids).put(works, replaced: replaced)
    }
}
