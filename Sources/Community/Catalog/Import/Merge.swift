import Postgres

extension Catalog {
    /// Records of one batch, in the order of the file.
    package struct Entries: Sendable {
        package var authors: [AuthorRecord] = []
        package var works: [WorkRecord] = []
        package var editions: [EditionRecord] = []
        var redirects: [Redirect] = []
        var deletions: [Deletion] = []

        package init() {}

        struct Redirect: Sendable {
            let kind: Kind
            let from: String
            let to: String
            let stamp: Stamp
        }

        struct Deletion: Sendable {
            let kind: Kind
            let key: String
        }

        mutating func append(_ entry: Entry) {
            switch entry {
            case .author(let record): authors.append(record)
            case .work(let record): works.append(record)
            case .edition(let record): editions.append(record)
            case .redirect(let kind, let from, let to, let stamp):
                redirects.append(Redirect(kind: kind, from: from, to: to, stamp: stamp))
            case .deletion(let kind, let key): deletions.append(Deletion(kind: kind, key: key))
            case .foreign: break
            }
        }
    }

    /// What a merge did, in records.
    package struct MergeOutcome: Sendable, Equatable {
        package var added: Int64 = 0
        package var changed: Int64 = 0
        /// Known in this version or a newer one; repeated keys of one batch among them.
        package var unchanged: Int64 = 0

        static func += (left: inout MergeOutcome, right: MergeOutcome) {
            left.added += right.added
            left.changed += right.changed
            left.unchanged += right.unchanged
        }
    }

    /// Takes one batch of records into the catalogue, inside the caller's transaction.
    ///
    /// First everything that the batch names is looked up by source key, then rows are written by kind: what is new is inserted, what is
    /// newer is replaced, everything else is left alone. Names without a record get a bare row. Holds `LockImports`.
    struct Merge {
        let transaction: Transaction
        let ids: IDMaker
        private var outcome = MergeOutcome()
        private var knownAuthors: [String: Found<Author>] = [:]
        private var knownWorks: [String: Found<Work>] = [:]
        private var newWorks: Set<ID<Work>> = []

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
            for (key, found) in try await transaction.all(FindWorks(keys: wanted.sorted())) { knownWorks[key] = found }
            works += bareWorks(of: editions, described: Set(works.map(\.key)))

            try await mergeAuthors(authors, named: works.flatMap(\.authors))
            try await mergeWorks(works)
            try await mergeEditions(editions)
            for redirect in entries.redirects { try await merge(redirect) }
            for deletion in entries.deletions { try await merge(deletion) }
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

        // MARK: Authors

        private mutating func mergeAuthors(_ records: [AuthorRecord], named: [String]) async throws {
            let keys = Set(records.map(\.key)).union(named)
            for (key, found) in try await transaction.all(FindAuthors(keys: keys.sorted())) {
                knownAuthors[key] = found
            }
            var inserted = AuthorColumns()
            var updated = AuthorColumns()
            var newSources = SourceColumns<Author>()
            var sources = SourceColumns<Author>()
            for record in records {
                if let known = knownAuthors[record.key] {
                    guard !known.isAlias, record.stamp.replaces(known.stamp) else {
                        outcome.unchanged += 1
                        continue
                    }
                    updated.append(known.id, record)
                    sources.append(record.key, known.id, record.stamp)
                    outcome.changed += 1
                } else {
                    try add(record, to: &inserted, &newSources)
                    outcome.added += 1
                }
            }
            for key in named where knownAuthors[key] == nil {
                try add(AuthorRecord(key: key, name: nil), to: &inserted, &newSources)
            }
            if !inserted.ids.isEmpty {
                try await transaction.run(InsertAuthors(columns: inserted))
                try await transaction.run(AddAuthorSources(columns: newSources))
            }
            if !updated.ids.isEmpty { try await transaction.run(UpdateAuthors(columns: updated)) }
            if !sources.ids.isEmpty { try await transaction.run(PutAuthorSources(columns: sources)) }
            if !updated.ids.isEmpty {
                try await transaction.run(TouchWorksOf(authors: updated.ids))
                try await transaction.run(RefreshAuthors(authors: updated.ids))
            }
        }

        private mutating func add(
            _ record: AuthorRecord, to columns: inout AuthorColumns, _ sources: inout SourceColumns<Author>
        ) throws {
            let id = try ids.make(Author.self)
            columns.append(id, record)
            sources.append(record.key, id, record.stamp)
            knownAuthors[record.key] = Found(id: id, stamp: record.stamp, isAlias: false)
        }

        // MARK: Works

        private mutating func mergeWorks(_ records: [WorkRecord]) async throws {
            var inserted = WorkColumns()
            var updated = WorkColumns()
            var newSources = SourceColumns<Work>()
            var sources = SourceColumns<Work>()
            var written: [(ID<Work>, WorkRecord)] = []
            for record in records {
                let id: ID<Work>
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
                    id = try ids.make(Work.self)
                    inserted.append(id, record)
                    newSources.append(record.key, id, record.stamp)
                    newWorks.insert(id)
                    knownWorks[record.key] = Found(id: id, stamp: record.stamp, isAlias: false)
                    if record.stamp.digest != 0 { outcome.added += 1 }
                }
                written.append((id, record))
            }
            guard !written.isEmpty else { return }
            if !inserted.ids.isEmpty {
                try await transaction.run(InsertWorks(columns: inserted))
                try await transaction.run(AddWorkSources(columns: newSources))
                try await transaction.run(
                    AddPopularity(works: inserted.ids, listed: inserted.titles.map { $0 != nil }))
            }
            if !updated.ids.isEmpty {
                try await transaction.run(UpdateWorks(columns: updated))
                try await transaction.run(PutWorkSources(columns: sources))
                try await transaction.run(PutPopularity(works: updated.ids, listed: updated.titles.map { $0 != nil }))
            }
            try await link(written, replaced: updated.ids)
            try await index(written)
        }

        /// Authors must have been linked before: their names are part of what is searched.
        private func index(_ works: [(ID<Work>, WorkRecord)]) async throws {
            let titled = works.filter { $0.1.title != nil }
            let added = titled.filter { newWorks.contains($0.0) }
            if !added.isEmpty {
                try await transaction.run(
                    AddToIndex(works: added.map(\.0), titles: added.map { Self.searchTitle($0.1) }))
            }
            let known = titled.filter { !newWorks.contains($0.0) }
            if !known.isEmpty {
                try await transaction.run(
                    IndexWorks(works: known.map(\.0), titles: known.map { Self.searchTitle($0.1) }))
            }
        }

        /// Title and subtitle folded, at most 500 bytes.
        static func searchTitle(_ record: WorkRecord) -> String {
            let folded = Folding.fold([record.title, record.subtitle].compactMap { $0 }.joined(separator: " "))
            return folded.clipped(to: 500).text ?? ""
        }

        private func link(_ works: [(ID<Work>, WorkRecord)], replaced: [ID<Work>]) async throws {
            var linked: (works: [ID<Work>], positions: [Int16], authors: [ID<Author>]) = ([], [], [])
            for (id, record) in works {
                for (index, key) in record.authors.prefix(Limits.Catalog.authors).enumerated() {
                    guard let author = knownAuthors[key] else { continue }
                    linked.works.append(id)
                    linked.positions.append(Int16(index + 1))
                    linked.authors.append(author.id)
                }
            }
            if !replaced.isEmpty { try await transaction.run(UnlinkAuthors(works: replaced)) }
            if !linked.works.isEmpty {
                try await transaction.run(
                    LinkAuthors(works: linked.works, positions: linked.positions, authors: linked.authors))
            }
            try await Headings(transaction: transaction, ids: ids).put(works, replaced: replaced)
        }

        // MARK: Editions

        private mutating func mergeEditions(_ records: [EditionRecord]) async throws {
            guard !records.isEmpty else { return }
            var known: [String: (found: Found<Edition>, work: ID<Work>)] = [:]
            for (key, found, work) in try await transaction.all(FindEditions(keys: records.map(\.key).sorted())) {
                known[key] = (found, work)
            }
            var inserted = EditionColumns()
            var updated = EditionColumns()
            var newSources = SourceColumns<Edition>()
            var sources = SourceColumns<Edition>()
            var isbns: (values: [ISBN], editions: [ID<Edition>]) = ([], [])
            var moved: [(from: ID<Work>, to: ID<Work>)] = []
            var left: Set<ID<Work>> = []
            for record in records {
                guard let work = knownWorks[record.work]?.id else { continue }
                let id: ID<Edition>
                if let (found, old) = known[record.key] {
                    guard !found.isAlias, record.stamp.replaces(found.stamp) else {
                        outcome.unchanged += 1
                        continue
                    }
                    id = found.id
                    updated.append(id, of: work, record)
                    sources.append(record.key, id, record.stamp)
                    left.insert(old)
                    if old != work { moved.append((old, work)) }
                    outcome.changed += 1
                } else {
                    id = try ids.make(Edition.self)
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
                try await transaction.run(InsertEditions(columns: inserted))
                try await transaction.run(AddEditionSources(columns: newSources))
            }
            if !updated.ids.isEmpty {
                try await transaction.run(UpdateEditions(columns: updated))
                try await transaction.run(RemoveISBNs(editions: updated.ids))
                try await transaction.run(PutEditionSources(columns: sources))
            }
            if !isbns.values.isEmpty {
                try await transaction.run(AddISBNs(isbns: isbns.values, editions: isbns.editions))
            }
            let grown = Set(inserted.works).subtracting(newWorks)
            if !grown.isEmpty { try await transaction.run(TouchWorks(works: grown.sorted())) }
            left.formUnion(updated.works)
            if !left.isEmpty { try await transaction.run(BumpWorks(works: left.sorted())) }
            for (from, to) in moved { try await transaction.run(RetireEmptyWork(from: from, into: to)) }
        }
    }
}

extension Catalog.Merge {
    // MARK: Redirects and deletions

    private mutating func merge(_ redirect: Catalog.Entries.Redirect) async throws {
        guard redirect.from != redirect.to else { return }
        switch redirect.kind {
        case .work: try await redirectWork(redirect)
        case .author: try await redirectAuthor(redirect)
        case .edition: try await redirectEdition(redirect)
        }
    }

    private mutating func redirectWork(_ redirect: Catalog.Entries.Redirect) async throws {
        var found: [String: Catalog.Found<Catalog.Work>] = [:]
        for (key, work) in try await transaction.all(Catalog.FindWorks(keys: [redirect.from, redirect.to])) {
            found[key] = work
        }
        if let from = found[redirect.from], from.isAlias || !redirect.stamp.replaces(from.stamp) {
            outcome.unchanged += 1
            return
        }
        if found[redirect.to] == nil {
            try await mergeWorks([Catalog.WorkRecord(key: redirect.to, title: nil)])
            found[redirect.to] = knownWorks[redirect.to]
        }
        guard let target = found[redirect.to] else { return }
        if let from = found[redirect.from], from.id != target.id {
            // What our readers hung on a work stays where they put it: a librarian merges such works, an import does not.
            guard try await transaction.first(Catalog.HasReaders(work: from.id)) == nil else {
                outcome.unchanged += 1
                return
            }
            try await transaction.run(Catalog.MoveEditions(from: from.id, into: target.id))
            try await transaction.run(Catalog.MergeWork(from: from.id, into: target.id))
            try await transaction.run(Catalog.PutPopularity(works: [from.id], listed: [false]))
            try await transaction.run(Catalog.MoveWorkSources(from: from.id, into: target.id))
            try await transaction.run(Catalog.BumpWorks(works: [target.id]))
        }
        var sources = Catalog.SourceColumns<Catalog.Work>()
        sources.append(redirect.from, target.id, redirect.stamp, isAlias: true)
        try await transaction.run(Catalog.PutWorkSources(columns: sources))
        knownWorks[redirect.from] = Catalog.Found(id: target.id, stamp: redirect.stamp, isAlias: true)
        outcome.changed += 1
    }

    private mutating func redirectAuthor(_ redirect: Catalog.Entries.Redirect) async throws {
        var found: [String: Catalog.Found<Catalog.Author>] = [:]
        for (key, author) in try await transaction.all(Catalog.FindAuthors(keys: [redirect.from, redirect.to])) {
            found[key] = author
        }
        if let from = found[redirect.from], from.isAlias || !redirect.stamp.replaces(from.stamp) {
            outcome.unchanged += 1
            return
        }
        if found[redirect.to] == nil {
            try await mergeAuthors([], named: [redirect.to])
            found[redirect.to] = knownAuthors[redirect.to]
        }
        guard let target = found[redirect.to] else { return }
        if let from = found[redirect.from], from.id != target.id {
            try await transaction.run(Catalog.TouchWorksOf(authors: [from.id]))
            try await transaction.run(Catalog.MoveAuthorLinks(from: from.id, into: target.id))
            try await transaction.run(Catalog.MergeAuthor(from: from.id, into: target.id))
            try await transaction.run(Catalog.MoveAuthorSources(from: from.id, into: target.id))
            try await transaction.run(Catalog.RefreshAuthors(authors: [target.id]))
        }
        var sources = Catalog.SourceColumns<Catalog.Author>()
        sources.append(redirect.from, target.id, redirect.stamp, isAlias: true)
        try await transaction.run(Catalog.PutAuthorSources(columns: sources))
        knownAuthors[redirect.from] = Catalog.Found(id: target.id, stamp: redirect.stamp, isAlias: true)
        outcome.changed += 1
    }

    /// An edition's ISBNs go over to the edition that it turned out to be, where that is known.
    private mutating func redirectEdition(_ redirect: Catalog.Entries.Redirect) async throws {
        var found: [String: (Catalog.Found<Catalog.Edition>, ID<Catalog.Work>)] = [:]
        for (key, edition, work) in try await transaction.all(Catalog.FindEditions(keys: [redirect.from, redirect.to]))
        {
            found[key] = (edition, work)
        }
        guard let (from, work) = found[redirect.from], !from.isAlias, redirect.stamp.replaces(from.stamp) else {
            outcome.unchanged += 1
            return
        }
        var touched = [work]
        var alias = from.id
        if let (target, targetWork) = found[redirect.to], target.id != from.id {
            try await transaction.run(Catalog.MoveISBNs(from: from.id, into: target.id))
            touched.append(targetWork)
            alias = target.id
        }
        try await transaction.run(Catalog.RemoveISBNs(editions: [from.id]))
        try await transaction.run(Catalog.WithdrawEdition(edition: from.id))
        try await transaction.run(Catalog.BumpWorks(works: touched))
        var sources = Catalog.SourceColumns<Catalog.Edition>()
        sources.append(redirect.from, alias, redirect.stamp, isAlias: true)
        try await transaction.run(Catalog.PutEditionSources(columns: sources))
        outcome.changed += 1
    }

    private mutating func merge(_ deletion: Catalog.Entries.Deletion) async throws {
        var changed = 0
        switch deletion.kind {
        case .work:
            guard let (_, work) = try await transaction.first(Catalog.FindWorks(keys: [deletion.key])), !work.isAlias,
                try await transaction.first(Catalog.HasReaders(work: work.id)) == nil
            else { break }
            changed = try await transaction.run(Catalog.WithdrawWork(work: work.id))
            if changed > 0 { try await transaction.run(Catalog.PutPopularity(works: [work.id], listed: [false])) }
        case .edition:
            guard let (_, edition, work) = try await transaction.first(Catalog.FindEditions(keys: [deletion.key])),
                !edition.isAlias
            else { break }
            changed = try await transaction.run(Catalog.WithdrawEdition(edition: edition.id))
            if changed > 0 {
                try await transaction.run(Catalog.RemoveISBNs(editions: [edition.id]))
                try await transaction.run(Catalog.BumpWorks(works: [work]))
            }
        case .author:
            guard let (_, author) = try await transaction.first(Catalog.FindAuthors(keys: [deletion.key])),
                !author.isAlias
            else { break }
            changed = try await transaction.run(Catalog.WithdrawAuthor(author: author.id))
            if changed > 0 {
                try await transaction.run(Catalog.TouchWorksOf(authors: [author.id]))
                try await transaction.run(Catalog.RefreshAuthors(authors: [author.id]))
            }
        }
        if changed > 0 { outcome.changed += 1 } else { outcome.unchanged += 1 }
    }
}
