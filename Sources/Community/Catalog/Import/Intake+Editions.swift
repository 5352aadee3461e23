import Postgres

extension Catalog.Intake {
    /// How a record of an edition stands to what is known.
    enum Standing {
        /// In this version or a newer one, or as a part of another edition.
        case known
        /// In an older version.
        case outdated(Catalog.FoundEdition)
        case new
        /// Its source calls it another edition by now, which was not here yet.
        case redirected
    }

    func standing(of record: Catalog.EditionRecord) -> Standing {
        if let known = knownEditions[record.key] {
            return known.found.isAlias || !record.stamp.replaces(known.found.stamp) ? .known : .outdated(known)
        }
        guard let absent = absent[record.key], absent.target != nil, !record.stamp.replaces(absent.stamp) else {
            return .new
        }
        return .redirected
    }

    /// Whether a record of an edition needs its work to be there.
    func needsWork(_ record: Catalog.EditionRecord) -> Bool {
        switch standing(of: record) {
        case .known, .redirected: false
        case .outdated, .new: true
        }
    }

    /// Editions by their records. Their works are known already.
    mutating func takeEditions(_ records: [Catalog.EditionRecord]) async throws {
        guard !records.isEmpty else { return }
        let keeping = try await stored(for: records)
        var (new, updated) = (EditionRows(), EditionRows())
        var (parts, redirected): ([Catalog.EditionRecord], [Catalog.EditionRecord]) = ([], [])
        for var record in records {
            switch standing(of: record) {
            case .known:
                guard let found = knownEditions[record.key]?.found else { continue }
                leave(record.stamp, found)
                if found.isAlias { parts.append(record) }
            case .redirected: redirected.append(record)
            case .new:
                guard let work = knownWorks[record.work]?.id else { continue }
                try add(record, of: work, to: &new)
                outcome.added += 1
            case .outdated(let known):
                guard var work = knownWorks[record.work]?.id else { continue }
                let stamp = record.stamp
                var left = known.work
                if let stored = keeping[known.found.id] {
                    record = stored.keeping(record)
                    // People may have moved it since it was looked up.
                    left = stored.work
                    if stored.locked.contains(.book) { work = left }
                }
                updated.append(known.found.id, of: work, record, stamp)
                updated.left.append(left)
                outcome.changed += 1
            }
        }
        try await insert(new)
        try await update(updated)
        for record in redirected { try await takeRedirected(record) }
        try await giveISBNs(of: parts)
    }

    /// What is stored of those that a record is newer than, locked.
    private func stored(
        for records: [Catalog.EditionRecord]
    ) async throws -> [ID<Catalog.Edition>: Catalog.LockedEditions.Output] {
        let outdated = records.compactMap { record -> ID<Catalog.Edition>? in
            guard case .outdated(let known) = standing(of: record) else { return nil }
            return known.found.id
        }
        guard !outdated.isEmpty else { return [:] }
        let stored = try await transaction.all(Catalog.LockedEditions(editions: outdated))
        return Dictionary(stored.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private mutating func add(
        _ record: Catalog.EditionRecord, of work: ID<Catalog.Work>, to rows: inout EditionRows
    ) throws {
        let id = try services.ids.make(Catalog.Edition.self)
        let stamp = stamp(of: record.key, record.stamp)
        rows.append(id, of: work, record, stamp)
        if stamp.isEnding { rows.withdrawn.append(id) }
        let found = Catalog.Found(id: id, stamp: stamp, isAlias: false)
        knownEditions[record.key] = Catalog.FoundEdition(key: record.key, found: found, work: work)
    }

    private mutating func insert(_ rows: EditionRows) async throws {
        guard !rows.columns.ids.isEmpty else { return }
        try await transaction.run(Catalog.InsertEditions(columns: rows.columns))
        try await transaction.run(Catalog.AddSources(columns: rows.sources))
        try await addISBNs(of: rows)
        if !rows.withdrawn.isEmpty {
            try await transaction.run(Catalog.WithdrawEditions(editions: rows.withdrawn))
            try await transaction.run(Catalog.RemoveISBNs(editions: rows.withdrawn))
        }
        try await arrived(rows.sources.keys)
        try await lead(to: rows.sources.keys)
        let grown = Set(rows.columns.works).subtracting(newWorks).sorted()
        if !grown.isEmpty {
            try await transaction.run(Catalog.ReviveWorks(works: grown))
            try await transaction.run(Catalog.TouchWorks(works: grown))
        }
        touched.formUnion(rows.columns.works)
    }

    private mutating func update(_ rows: EditionRows) async throws {
        guard !rows.columns.ids.isEmpty else { return }
        try await transaction.run(Catalog.UpdateEditions(columns: rows.columns))
        try await transaction.run(Catalog.ReplaceISBNs(editions: rows.columns.ids))
        try await transaction.run(Catalog.PutSources(columns: rows.sources))
        try await addISBNs(of: rows)
        let works = Set(rows.columns.works).union(rows.left)
        try await transaction.run(Catalog.ReviveWorks(works: Set(rows.columns.works).sorted()))
        try await transaction.run(Catalog.BumpWorks(works: works.sorted()))
        touched.formUnion(works)
        for (from, to) in zip(rows.left, rows.columns.works) where from != to {
            try await transaction.run(Catalog.RetireEmptyWork(from: from, into: to))
        }
    }

    private func addISBNs(of rows: EditionRows) async throws {
        guard !rows.isbns.isEmpty else { return }
        try await transaction.run(Catalog.AddISBNs(isbns: rows.isbns, editions: rows.printed))
    }

    /// The ISBNs of records that are parts of other editions lead to those.
    private mutating func giveISBNs(of records: [Catalog.EditionRecord]) async throws {
        var isbns: [ISBN] = []
        var editions: [ID<Catalog.Edition>] = []
        for record in records {
            // What was recognised by an ISBN (`Catalog.Hang`) is not believed about others.
            guard let found = knownEditions[record.key]?.found, found.stamp.digest != 0 else { continue }
            for isbn in record.isbns {
                isbns.append(isbn)
                editions.append(found.id)
            }
        }
        guard !isbns.isEmpty else { return }
        let works = try await transaction.all(Catalog.GiveISBNsOfParts(isbns: isbns, editions: editions))
        if !works.isEmpty { try await transaction.run(Catalog.BumpWorks(works: works)) }
        touched.formUnion(works)
    }

    /// A record whose source calls it another edition by now: a part of that one, or standing in for it until it comes.
    private mutating func takeRedirected(_ record: Catalog.EditionRecord) async throws {
        if knownEditions[record.key] == nil {
            var standIn = record
            standIn.key = try await end(of: record.key)
            standIn.stamp = Catalog.Stamp()
            if knownWorks[record.work] == nil {
                var work = Catalog.WorkRecord(key: record.work, title: record.title)
                work.subtitle = record.subtitle
                work.authors = record.authors
                try await takeAuthors([], named: record.authors)
                try await takeWorks([work])
            }
            guard let work = knownWorks[record.work]?.id else { return }
            try await addStandIn(standIn, of: work)
            outcome.added += 1
            return
        }
        outcome.unchanged += 1
        try await giveISBNs(of: [record])
    }

    /// One edition that its source has not described yet.
    mutating func addStandIn(_ record: Catalog.EditionRecord, of work: ID<Catalog.Work>) async throws {
        var rows = EditionRows()
        try add(record, of: work, to: &rows)
        try await insert(rows)
    }

    /// The key that the redirects of editions which are not here end at.
    mutating func end(of key: String) async throws -> String {
        var end = key
        for _ in 0..<Limits.catalog.merges {
            guard let found = try await transaction.first(Catalog.FindAbsent(keys: [end])) else { break }
            absent[end] = found
            guard let next = found.target, next != key else { break }
            end = next
        }
        return end
    }

    /// Leads keys that were redirected to these, when these come.
    mutating func lead(to keys: [String]) async throws {
        var reached = keys
        while !reached.isEmpty {
            let waiting = try await transaction.all(Catalog.AbsentLedTo(targets: reached))
            guard !waiting.isEmpty else { return }
            var sources = Catalog.SourceColumns(.edition)
            for absent in waiting {
                guard let target = absent.target.flatMap({ knownEditions[$0] }), knownEditions[absent.key] == nil else {
                    continue
                }
                sources.append(absent.key, .edition(target.found.id), absent.stamp, isAlias: true)
                knownEditions[absent.key] = Catalog.FoundEdition(
                    key: absent.key,
                    found: Catalog.Found(id: target.found.id, stamp: absent.stamp, isAlias: true), work: target.work)
            }
            if !sources.keys.isEmpty { try await transaction.run(Catalog.PutSources(columns: sources)) }
            for absent in waiting { self.absent[absent.key] = nil }
            try await transaction.run(Catalog.DropAbsent(keys: waiting.map(\.key)))
            reached = sources.keys
        }
    }

    /// Editions to be written, with their keys and ISBNs.
    struct EditionRows {
        var columns = Catalog.EditionColumns()
        var sources = Catalog.SourceColumns(.edition)
        var isbns: [ISBN] = []
        var printed: [ID<Catalog.Edition>] = []
        var withdrawn: [ID<Catalog.Edition>] = []
        /// The works that known editions hung on so far, in the order of the columns.
        var left: [ID<Catalog.Work>] = []

        mutating func append(
            _ id: ID<Catalog.Edition>, of work: ID<Catalog.Work>, _ record: Catalog.EditionRecord,
            _ stamp: Catalog.Stamp
        ) {
            columns.append(id, of: work, record)
            sources.append(record.key, .edition(id), stamp)
            isbns += record.isbns
            printed += record.isbns.map { _ in id }
        }
    }
}
