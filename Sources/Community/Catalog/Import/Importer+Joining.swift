import Postgres

// Books of a file that are in the catalogue already, under keys of another source: they become one.

extension Catalog.Importer {
    /// Takes out of a batch what is a book of the source `joining`, by an ISBN or by title and author, and leads its
    /// keys there. Names of authors whom that source knows lead to them. Gives the books taken out now and before.
    ///
    /// In transactions of their own, before the batch: what was joined is known under its keys, so that an import that
    /// was interrupted finds it joined.
    func join(_ entries: inout Catalog.Entries, to source: String) async throws -> (joined: Int64, known: Int64) {
        try await joinAuthors(entries.authors.map(\.key), to: source)
        let twins = try await twins(of: entries, from: source)
        guard !twins.isEmpty else { return (0, 0) }
        let present = try await services.database.all(Catalog.FindWorks(keys: twins.map(\.work.key)))
        // What a file brought in itself stays its own.
        let known = Set(present.filter { $0.1.isAlias }.map { $0.0 })
        let all = Set(present.map { $0.0 })
        let new = twins.filter { !all.contains($0.work.key) }
        let catalog = Catalog.Store(services)
        for start in stride(from: 0, to: new.count, by: 20) {
            _ = try await catalog.adopt(Array(new[start..<min(start + 20, new.count)]), areTrusted: true)
        }
        drop(known.union(new.map(\.work.key)), from: &entries)
        return (Int64(new.count), Int64(known.count))
    }

    /// The books of a batch that are books of the source: they have an ISBN in common and may be about the same, or they
    /// have the same title and an author of the same name.
    private func twins(of entries: Catalog.Entries, from source: String) async throws -> [Catalog.Find] {
        let isbns = Set(entries.editions.flatMap(\.isbns)).sorted { $0.value < $1.value }
        let titles = Set(entries.works.compactMap { $0.title.map { Normaliser.titleKey($0) } }).subtracting([""])
        let printed = try await services.database.all(Catalog.WorksOfSourceByISBN(isbns: isbns, source: source))
        let titled = try await services.database.all(
            Catalog.WorksOfSourceTitled(titles: titles.sorted(), source: source))
        guard !printed.isEmpty || !titled.isEmpty else { return [] }
        let items = try await Catalog.Store(services).items(Set(printed.map(\.1) + titled.map(\.1)).sorted())
        let books = Dictionary(items.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let byISBN = Dictionary(printed.map { ($0.0, $0.1) }, uniquingKeysWith: { first, _ in first })
        let byTitle = Dictionary(grouping: titled, by: \.0)
        let works = Dictionary(entries.works.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        let authors = Dictionary(entries.authors.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        return entries.editions.compactMap { edition in
            guard let work = works[edition.work] else { return nil }
            let find = Catalog.Find(work: work, edition: edition, authors: work.authors.compactMap { authors[$0] })
            let sold = edition.isbns.compactMap { byISBN[$0].flatMap { books[$0] } }
            if sold.contains(where: find.isAbout) { return find }
            let alike = byTitle[Normaliser.titleKey(work.title ?? "")] ?? []
            return alike.compactMap { books[$0.1] }.contains(where: find.hasAuthor) ? find : nil
        }
    }

    /// Leads keys of authors, which end in their folded names (`Catalog.Entries.append`), to the authors whom the other
    /// source has under the same name.
    private func joinAuthors(_ keys: [String], to source: String) async throws {
        var others: [String: String] = [:]
        for key in keys {
            guard let name = key.firstRange(of: ":author:").map({ key[$0.upperBound...] }) else { continue }
            others[key] = "\(source):author:\(name)"
        }
        guard !others.isEmpty else { return }
        let wanted = others.sorted { $0.key < $1.key }
        try await services.database.transaction { transaction in
            try await transaction.run(Catalog.LockImports())
            try await transaction.run(Catalog.HangAuthors(keys: wanted.map(\.key), others: wanted.map(\.value)))
        }
    }

    /// Takes these works out, with their editions and the authors of no other work.
    private func drop(_ works: Set<String>, from entries: inout Catalog.Entries) {
        entries.works.removeAll { works.contains($0.key) }
        entries.editions.removeAll { works.contains($0.work) }
        let named = Set(entries.works.flatMap(\.authors))
        entries.authors.removeAll { !named.contains($0.key) }
    }
}

extension Catalog {
    /// Whether a source has books here.
    struct HasBooksOf: Statement {
        static let sql: SQL<Self> = "select exists (select 1 from work_source where key like \(\.source) || ':%')"
        let source: String
        typealias Output = Bool
    }

    /// The works of editions that a source knows, by their ISBNs.
    struct WorksOfSourceByISBN: Statement {
        static let sql: SQL<Self> = """
            select distinct on (edition_isbn.isbn) edition_isbn.isbn, edition.work_id
              from edition_isbn
              join edition on edition.id = edition_isbn.edition_id and edition.withdrawn_at is null
             where edition_isbn.isbn = any(\(\.isbns))
               and exists (select 1 from edition_source where edition_source.edition_id = edition.id and key like \(\.source) || ':%')
             order by edition_isbn.isbn, edition.work_id
            """
        let isbns: [ISBN], source: String
        static func decode(_ columns: inout Columns) throws -> (ISBN, ID<Work>) {
            (try columns("isbn"), try columns("work_id"))
        }
    }

    /// Works that a source knows, by their titles as `Normaliser.titleKey` makes them.
    struct WorksOfSourceTitled: Statement {
        static let sql: SQL<Self> = """
            select title, work_id
              from work_search
             where title = any(\(\.titles))
               and exists (select 1 from work_source where work_source.work_id = work_search.work_id and key like \(\.source) || ':%')
             order by title, work_id
            """
        let titles: [String], source: String
        static func decode(_ columns: inout Columns) throws -> (String, ID<Work>) {
            (try columns("title"), try columns("work_id"))
        }
    }

    /// From now on these keys lead to the authors of the others; a key that leads somewhere already stays.
    struct HangAuthors: Statement {
        static let sql: SQL<Self> = """
            insert into author_source (key, author_id, digest, is_alias)
            select line.key, known.author_id, 0, true
              from unnest(\(\.keys)::text[], \(\.others)::text[]) as line (key, other)
              join author_source known on known.key = line.other
             order by line.key
                on conflict (key) do nothing
            """
        let keys: [String], others: [String]
    }
}
