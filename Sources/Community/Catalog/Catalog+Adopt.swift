import Postgres

extension Catalog {
    /// One book from elsewhere: an edition with its work and authors, under keys of its source.
    package struct Find: Sendable {
        package var work: WorkRecord
        package var edition: EditionRecord
        package var authors: [AuthorRecord]

        package init(work: WorkRecord, edition: EditionRecord, authors: [AuthorRecord]) {
            self.work = work
            self.edition = edition
            self.authors = authors
        }

        /// A book as facts, under keys of `source`: 1 to 20 of `a-z 0-9 -`.
        package init?(_ book: NewBook, from source: String) {
            var entries = Entries()
            entries.append(book, from: source)
            guard let work = entries.works.first, let edition = entries.editions.first else { return nil }
            self.init(work: work, edition: edition, authors: entries.authors)
        }

        /// Names of its authors, in the order of the title page as far as they are known.
        var authorNames: [String] {
            let names = Dictionary(authors.map { ($0.key, $0.name) }) { first, _ in first }
            return work.authors.compactMap { names[$0] ?? nil }
        }

        /// Whether it may be this book: the title of one begins the other's, or they have an author in common.
        func isAbout(_ book: BookItem) -> Bool {
            let titles = [book.title, work.title ?? edition.title].map { Normaliser.fold($0 ?? "") + " " }
            if titles[0].hasPrefix(titles[1]) || titles[1].hasPrefix(titles[0]) { return true }
            return hasAuthor(book)
        }

        /// Whether an author of the book has the name of one of its own.
        func hasAuthor(_ book: BookItem) -> Bool {
            let names = Set(authorNames.map { Normaliser.fold($0) })
            return book.authors.contains { names.contains(Normaliser.fold($0.name)) }
        }
    }

    /// What a find became: the edition that it is now, and its work.
    package struct Adopted: Sendable {
        package let key: String
        package let edition: ID<Edition>
        package let work: ID<Work>
    }
}

extension Catalog.Store {
    /// Takes books from elsewhere into the catalogue without making any a second time.
    ///
    /// A find whose key is known brings its record up to date, as an import does. Else it is the book that has one of
    /// its ISBNs, or a work of the same normalised title and author, which gets the edition: then nothing that stands
    /// is changed, only what is missing filled in (also ISBNs that nobody has), and the find's keys lead there from now
    /// on. Everything else becomes a new work. One transaction, the caller's where there is one; at most 20 finds.
    ///
    /// `areTrusted`: a book that was there also gets the find's genres, series and subjects, if it has none, and its
    /// imported ratings; and a find whose ISBN leads to a book about which it is not is another book.
    package func adopt(_ finds: [Catalog.Find], areTrusted: Bool = false) async throws -> [Catalog.Adopted] {
        try await services.database.transaction { transaction in
            try await transaction.run(Catalog.LockImports())
            // Members who add one of these books at the same moment see it, or are seen.
            let names =
                finds.compactMap(\.work.title).map { "title:" + Normaliser.titleKey($0) }
                + finds.flatMap(\.edition.isbns).map { "isbn:" + $0.text }
            try await transaction.run(Catalog.TakeTurns(keys: names))
            // After the titles, as members who add books take them.
            let authors = finds.flatMap(\.authorNames).map { "author:" + Normaliser.fold($0) }
            try await transaction.run(Catalog.TakeTurns(keys: authors))
            var adopted: [Catalog.Adopted] = []
            for find in finds {
                if let one = try await adopt(find, areTrusted, in: transaction) { adopted.append(one) }
            }
            if areTrusted { try await putHeadings(of: finds, on: adopted, in: transaction) }
            return adopted
        }
    }

    private func adopt(
        _ find: Catalog.Find, _ isTrusted: Bool, in transaction: Transaction
    ) async throws -> Catalog.Adopted? {
        let key = find.edition.key
        var entries = Catalog.Entries()
        entries.authors = find.authors
        entries.works = [find.work]
        entries.editions = [find.edition]
        if let known = try await transaction.first(Catalog.AdoptedEdition(key: key)) {
            // What hangs on another book is not taken in, nor are its authors.
            let works = try await transaction.all(Catalog.FindWorks(keys: [find.work.key]))
            if works.contains(where: { $0.1.isAlias }) { (entries.works, entries.authors) = ([], []) }
            if !known.isAlias { try await take(entries, in: transaction) }
        } else if let same = try await owner(of: find, isTrusted, in: transaction) {
            try await transaction.run(Catalog.Hang(key, on: .edition(same.edition)))
            try await transaction.run(Catalog.Hang(find.work.key, on: .book(same.work)))
            // A record that has one of its ISBNs and is about another book has a fault in them: nothing of it is
            // believed.
            if same.isAbout {
                try await fill(same.work, from: find.work, in: transaction)
                try await fill(same.edition, of: same.work, from: find.edition, in: transaction)
            }
        } else if let same = try await likeness(of: find, in: transaction) {
            try await transaction.run(Catalog.Hang(find.work.key, on: .book(same)))
            entries.authors = []
            entries.works = []
            try await take(entries, in: transaction)
            try await fill(same, from: find.work, in: transaction)
        } else {
            try await meet(find.authors, in: transaction)
            try await take(entries, in: transaction)
        }
        guard let (edition, work, _) = try await transaction.first(Catalog.AdoptedEdition(key: key)) else { return nil }
        try await Catalog.WorkChanges(transaction: transaction).changed([work])
        return Catalog.Adopted(key: key, edition: edition, work: work)
    }

    /// The edition that has one of a find's ISBNs, and whether the find may be about its book; a trusted one is.
    private func owner(
        of find: Catalog.Find, _ isTrusted: Bool, in transaction: Transaction
    ) async throws -> (edition: ID<Catalog.Edition>, work: ID<Catalog.Work>, isAbout: Bool)? {
        guard let same = try await transaction.first(Catalog.EditionOfISBNs(isbns: find.edition.isbns)) else {
            return nil
        }
        let known = try await transaction.first(Catalog.BooksNamed(works: [same.work]))
        let isAbout = known.map(find.isAbout) ?? false
        return isAbout || !isTrusted ? (same.edition, same.work, isAbout) : nil
    }

    /// Authors whom their source knows by their names only are the first ones of exactly those names here, where there
    /// are any.
    private func meet(_ authors: [Catalog.AuthorRecord], in transaction: Transaction) async throws {
        let writing = Catalog.Writing(transaction: transaction, services: services)
        for author in authors where author.key.contains(":author:") {
            guard let name = author.name, let known = try await writing.author(called: name) else { continue }
            try await transaction.run(Catalog.Hang(author.key, on: .author(known)))
        }
    }

    private func take(_ entries: Catalog.Entries, in transaction: Transaction) async throws {
        var intake = Catalog.Intake(transaction: transaction, services: services)
        _ = try await intake.apply(entries)
    }

    private func fill(
        _ work: ID<Catalog.Work>, from record: Catalog.WorkRecord, in transaction: Transaction
    ) async throws {
        let locked = try await transaction.first(Catalog.LockedWorks(works: [work]))
        try await transaction.run(Catalog.FillWork(work: work, from: locked?.keeping(record) ?? record))
    }

    private func fill(
        _ edition: ID<Catalog.Edition>, of work: ID<Catalog.Work>, from record: Catalog.EditionRecord,
        in transaction: Transaction
    ) async throws {
        let locked = try await transaction.first(Catalog.LockedEditions(editions: [edition]))
        let record = locked?.keeping(record) ?? record
        try await transaction.run(Catalog.FillEdition(edition: edition, from: record))
        if try await transaction.run(Catalog.GiveISBNs(isbns: record.isbns, edition: edition)) > 0 {
            try await transaction.run(Catalog.BumpWorks(works: [work]))
        }
    }

    /// Headings of finds that came to books which were there: last, because from then on everybody else waits for the
    /// genres. One find a book.
    private func putHeadings(
        of finds: [Catalog.Find], on adopted: [Catalog.Adopted], in transaction: Transaction
    ) async throws {
        let works = Dictionary(adopted.map { ($0.key, $0.work) }) { first, _ in first }
        var given: [ID<Catalog.Work>: Catalog.WorkRecord] = [:]
        for find in finds {
            guard let work = works[find.edition.key], given[work] == nil else { continue }
            given[work] = find.work
        }
        var locks = Catalog.FieldLocks()
        var completed: [(ID<Catalog.Work>, Catalog.WorkRecord)] = []
        for lacking in try await transaction.all(Catalog.LackedHeadings(works: given.keys.sorted())) {
            guard var record = given[lacking.work] else { continue }
            if lacking.hasGenres { record.genres = [] }
            if lacking.hasSubjects { record.subjects = [] }
            if lacking.hasSeries { record.series = [] }
            locks.add(lacking.locked, of: lacking.work)
            completed.append((lacking.work, record))
        }
        guard !completed.isEmpty else { return }
        try await Catalog.Headings(transaction: transaction, ids: services.ids).put(
            completed, replaced: [], locks: locks)
        try await transaction.run(Catalog.BumpWorks(works: completed.map(\.0)))
        try await Catalog.WorkChanges(transaction: transaction).changed(completed.map(\.0))
    }

    /// The listed work with the same title, with or without the subtitle, and an author of the same name; none for a
    /// book without a named author.
    private func likeness(of find: Catalog.Find, in transaction: Transaction) async throws -> ID<Catalog.Work>? {
        guard let title = find.work.title else { return nil }
        return try await works(
            titled: [title, find.work.subtitle.map { title + " " + $0 }].compactMap(\.self), by: find.authorNames,
            in: transaction
        ).first
    }

    /// The listed works that have one of these titles and one of these authors, whatever the spelling, most popular
    /// first; by anybody where `authors` is `nil`. At most 500.
    package func works(
        titled titles: [String], by authors: [String]?, in queryable: some Queryable
    ) async throws -> [ID<Catalog.Work>] {
        let keys = Set(titles.map { Normaliser.titleKey($0) }).subtracting([""])
        let names = authors.map { Set($0.map { Normaliser.fold($0) }).subtracting([""]) }
        guard !keys.isEmpty, names?.isEmpty != true else { return [] }
        let alike = try await queryable.all(Catalog.WorksTitled(titles: keys.sorted()))
        return alike.filter { work in
            names.map { names in work.authors.contains { names.contains(Normaliser.fold($0)) } } ?? true
        }.map(\.work)
    }
}
