import MarkdownReading
import Postgres

extension Notebook.Store {
    /// Takes a file of ours in, a book after the other; a dry run only says what it would do.
    ///
    /// Each book is one transaction. Call it in none: a dry run undoes what it did by throwing.
    ///
    /// A note that is there, or came in before, does not come in again; so a file whose taking broke off is sent once
    /// more. A book is the one of that id where its title or an ISBN agrees or the reader keeps something about it, else
    /// one of its ISBNs. Folders and themes of one name are the same. Photographs stay where they are: they come back
    /// into notes where this reader has them still. Throws `.invalid`, `.forbidden` (`account_frozen`,
    /// `email_unverified`), `.conflict` (`too_many_notes`, `too_many_themes`, `too_many_folders`) at the first book that
    /// has no room.
    package func importArchive(
        _ archive: Notebook.Archive, isDryRun: Bool, by identity: Accounts.Identity
    ) async throws -> Notebook.ImportReport {
        try archive.validate()
        var report = Notebook.ImportReport(isDryRun: isDryRun)
        for book in archive.books {
            do {
                report.add(
                    try await services.database.transaction { transaction in
                        let done = try await take(book, isDryRun: isDryRun, by: identity, in: transaction)
                        if isDryRun { throw Undone(report: done) }
                        return done
                    })
            } catch let undone as Undone {
                report.add(undone.report)
            }
        }
        return report
    }

    /// Ends a transaction of a dry run.
    private struct Undone: Error { let report: Notebook.ImportReport }

    private func take(
        _ book: Notebook.Archive.Book, isDryRun: Bool, by identity: Accounts.Identity, in transaction: Transaction
    ) async throws -> Notebook.ImportReport {
        let reader = identity.account
        var report = Notebook.ImportReport(isDryRun: isDryRun)
        let found = try await transaction.first(
            Notebook.Statements.BookOfArchive(reader: reader, work: book.id, title: book.title, isbns: book.isbns))
        guard let found else {
            report.miss(.book, of: book.title)
            return report
        }
        let (work, basis) = try await basis(of: reader, in: found, in: transaction)
        var known = Set(
            try await transaction.all(
                Notebook.Statements.KnownOrigins(reader: reader, origins: book.notes.map(\.origin))))
        let notes = book.notes.filter { known.insert($0.origin).inserted }
        guard basis.notes + notes.count <= Limits.notebook.notes else { throw Self.tooManyNotes }
        let all = try await transaction.one(Notebook.Statements.NotesOf(reader: reader))
        guard all + notes.count <= Limits.notebook.fileRoom else {
            throw Failure.conflict(
                code: .tooManyNotes, "no file comes in beyond \(Limits.notebook.fileRoom) notes in all your books")
        }
        let themes = try await themes(of: book, by: reader, in: work, basis, in: transaction)
        let folders = try await folders(of: book, by: reader, in: work, basis, in: transaction)
        var start = 0
        while start < notes.count {
            let part = notes[start..<min(start + Limits.notebook.imported, notes.count)]
            try await put(
                part, in: work, themes: themes.ids, folders: folders.ids, level: basis.usual, by: identity, &report,
                in: transaction)
            start = part.endIndex
        }
        report.books = 1
        report.notes = notes.count
        report.known = book.notes.count - notes.count
        (report.themes, report.folders) = (themes.made, folders.made)
        return report
    }

    private func put(
        _ notes: ArraySlice<Notebook.Archive.Note>, in work: ID<Catalog.Work>, themes: [String: ID<Notebook.Theme>],
        folders: [String: ID<Notebook.Folder>], level: Visibility, by identity: Accounts.Identity,
        _ report: inout Notebook.ImportReport, in transaction: Transaction
    ) async throws {
        let (reader, now) = (identity.account, services.clock.now())
        let ground = try await Gate.Store(services).usualScope(of: reader, in: work, in: transaction)
        let usual = ground.reason == .nonfiction ? Gate.Scope.free : .finished
        let photos = try await Photos.hold(
            notes.flatMap(\.items).compactMap(\.content.photo), of: reader, in: work, transaction)
        var entries: [Notebook.Entry] = []
        for note in notes {
            try identity.mayShow(note.visibility ?? level)
            let createdAt = min(note.createdAt ?? now, now)
            var items: [(item: Notebook.Written, id: ID<Notebook.Item>, at: Timestamp)] = []
            for item in note.items {
                guard let written = item.content.written(with: photos) else {
                    report.miss(.photo, of: note.title ?? "")
                    continue
                }
                items.append((written, try services.ids.make(), min(item.createdAt ?? createdAt, now)))
            }
            let insert = Notebook.Statements.InsertNote(
                id: try services.ids.make(), reader: reader, work: work, folder: note.folder.flatMap { folders[$0] },
                title: note.title, spot: note.spot, level: note.visibility ?? level,
                hasOwnLevel: note.visibility != nil, scope: note.scope ?? usual,
                excerpt: Self.excerpt(of: items.map(\.item)),
                items: Int32(items.count), at: createdAt, origin: note.origin)
            entries.append(
                Notebook.Entry(
                    note: insert, items: items,
                    themes: Set(note.themes.compactMap { themes[Notebook.key(of: $0)] }).sorted(),
                    changedAt: min(note.changedAt ?? createdAt, now)))
        }
        let (count, ready) = (Int32(entries.count), entries)
        try await transaction.batch { batch in
            batch.run(Notebook.Statements.Count(reader: reader, work: work, at: now, notes: count))
            for entry in ready { entry.add(to: &batch) }
        }
    }

    /// The themes of a book of a file and of its notes, by their folded names; those that are missing are made.
    private func themes(
        of book: Notebook.Archive.Book, by reader: ID<Accounts.Account>, in work: ID<Catalog.Work>,
        _ basis: Notebook.Basis, in transaction: Transaction
    ) async throws -> (ids: [String: ID<Notebook.Theme>], made: Int) {
        let wanted = book.themes + book.notes.flatMap(\.themes).map { Notebook.NewTheme(name: $0) }
        var byKey: [String: Notebook.NewTheme] = [:]
        for theme in wanted { byKey[Notebook.key(of: theme.name)] = byKey[Notebook.key(of: theme.name)] ?? theme }
        let found = try await transaction.all(
            Notebook.Statements.ThemesNamed(reader: reader, work: work, ids: [], keys: byKey.keys.sorted()))
        var ids = Dictionary(found.map { ($0.key, $0.id) }) { first, _ in first }
        let missing = byKey.filter { ids[$0.key] == nil }.sorted { $0.key < $1.key }
        guard basis.themes + missing.count <= Limits.notebook.themes else { throw Self.tooManyThemes }
        for (key, theme) in missing {
            ids[key] = try await make(theme, key, for: work, by: reader, in: transaction)
        }
        return (ids, missing.count)
    }

    /// The folders of a book of a file by what the file calls them. One of a name below the same folder is taken, each
    /// once; those that are missing are made.
    private func folders(
        of book: Notebook.Archive.Book, by reader: ID<Accounts.Account>, in work: ID<Catalog.Work>,
        _ basis: Notebook.Basis, in transaction: Transaction
    ) async throws -> (ids: [String: ID<Notebook.Folder>], made: Int) {
        guard !book.folders.isEmpty else { return ([:], 0) }
        let there = try await transaction.all(Notebook.Statements.FolderPlaces(reader: reader, work: work))
        var free = Dictionary(grouping: there.reversed(), by: \.place).mapValues { $0.map(\.id) }
        var (ids, made): ([String: ID<Notebook.Folder>], Int) = ([:], 0)
        let now = services.clock.now()
        // In the order of the file, which is that of folders of one name.
        var fresh: [String: ID<Notebook.Folder>] = [:]
        for folder in book.folders { fresh[folder.id] = try services.ids.make() }
        for folder in (book.levels ?? []).joined() {
            let parent = folder.parent.flatMap { ids[$0] }
            let place = Notebook.FolderPlace(parent: parent, key: Notebook.key(of: folder.name))
            if let known = free[place]?.popLast() {
                ids[folder.id] = known
                continue
            }
            guard basis.folders + made < Limits.notebook.folders, let id = fresh[folder.id] else {
                throw Self.tooManyFolders
            }
            try await insert(id, place, named: folder.name, by: reader, in: work, at: now, in: transaction)
            ids[folder.id] = id
            made += 1
        }
        return (ids, made)
    }
}

extension Notebook.Archive.Item.Content {
    var photo: ID<Photos.Photo>? { if case .picture(let photo) = self { photo } else { nil } }

    /// `nil` for a photograph that is not among `photos`.
    fileprivate func written(with photos: Set<ID<Photos.Photo>>) -> Notebook.Written? {
        switch self {
        case .text(let body): Notebook.Written(kind: .text, body: Markdown.clean(body))
        case .quote(let words, let spot): Notebook.Written(kind: .quote, body: Markdown.clean(words), spot: spot)
        case .picture(let photo):
            photo.flatMap { photos.contains($0) ? Notebook.Written(kind: .picture, photo: $0) : nil }
        }
    }
}
