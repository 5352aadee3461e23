import MarkdownReading
import Postgres

extension Notebook.Store {
    /// Writes a note about a book, or about what it was merged into.
    ///
    /// One transaction: the note, its items, its themes, the counters, the words. Throws `.invalid`; `.notFound` for
    /// the book; `.forbidden` (`account_frozen`, and `email_unverified` for what more than friends see); `.conflict`
    /// (`too_many_notes`, `too_many_themes`).
    package func write(
        _ new: Notebook.NewNote, about work: ID<Catalog.Work>, by identity: Accounts.Identity
    ) async throws -> Notebook.Note {
        try new.validate()
        let reader = identity.account
        return try await services.database.transaction { transaction in
            let (work, basis) = try await basis(of: reader, in: work, folder: new.folder, in: transaction)
            let level = new.visibility ?? basis.usual
            try identity.mayShow(level)
            guard basis.notes < Limits.notebook.notes else { throw Self.tooManyNotes }
            guard new.folder == nil || basis.folder != nil else { throw Self.noFolder }
            let spot = try await spot(new.place, of: reader, in: work, at: "/place", in: transaction)
            var items: [Notebook.Written] = []
            for (index, item) in new.items.enumerated() {
                items.append(try await written(item, at: "/items/\(index)", of: reader, in: work, in: transaction))
            }
            let now = services.clock.now()
            let usual = try await usualScope(of: reader, in: work, in: transaction)
            let themes = try await themes(new.themes, of: reader, in: work, basis, in: transaction)
            let id: ID<Notebook.Note> = try services.ids.make()
            let note = Notebook.Statements.InsertNote(
                id: id, reader: reader, work: work, folder: new.folder, title: new.title, spot: spot, level: level,
                hasOwnLevel: new.visibility != nil, scope: usual, excerpt: Self.excerpt(of: items),
                items: Int32(items.count), at: now)
            let entry = Notebook.Entry(
                note: note, items: try items.map { ($0, try services.ids.make(), now) }, themes: themes, changedAt: now)
            try await transaction.batch { batch in
                batch.run(Notebook.Statements.Count(reader: reader, work: work, at: now, notes: 1))
                entry.add(to: &batch)
            }
            return try await self.written(id, by: reader, in: transaction)
        }
    }

    /// Changes a reader's own note; its items are changed one by one. Throws as `write`, `.notFound`,
    /// `.preconditionFailed` where the note has another version.
    package func change(
        _ id: ID<Notebook.Note>, _ change: Notebook.NoteChange, by identity: Accounts.Identity,
        ifVersion version: Precondition = .none
    ) async throws -> Notebook.Note {
        var faults = Faults()
        Notebook.check(name: change.title.value, at: "/title", into: &faults)
        if let themes = change.themes { Notebook.check(themes, into: &faults) }
        try faults.check()
        return try await rewrite(id, by: identity.account, version) { old, transaction in
            let reader = identity.account
            var new = old
            new.title = change.title.applied(to: old.title)
            if case .set(let said) = change.place {
                new.spot = try await spot(said, of: reader, in: old.work, at: "/place", in: transaction)
            }
            if case .set(let visibility) = change.visibility {
                (new.level, new.hasOwnLevel) = (visibility ?? old.usual, visibility != nil)
            }
            try identity.mayShow(new.level)
            if case .set(let folder) = change.folder { new.folder = folder }
            let basis = try await transaction.one(
                Notebook.Statements.Basis(reader: reader, work: old.work, folder: new.folder))
            guard new.folder == nil || basis.folder != nil else { throw Self.noFolder }
            var isChanged = false
            if let chosen = change.themes {
                let themes = try await themes(chosen, of: reader, in: old.work, basis, in: transaction)
                isChanged = try await attach(Set(themes), to: id, in: transaction)
            }
            guard new != old else { return isChanged }
            let (after, title) = (new, new.title ?? "")
            try await transaction.batch { batch in
                batch.run(Notebook.Statements.UpdateNote(note: id, to: after))
                if after.title != old.title {
                    batch.run(OwnWords.Put(.note, id, of: reader, in: old.work, plain: title))
                }
                if after.folder != old.folder {
                    for (folder, by) in [(old.folder, -1), (after.folder, 1)] as [(ID<Notebook.Folder>?, Int32)] {
                        if let folder { batch.run(Notebook.Statements.CountWithin(folder: folder, notes: by)) }
                    }
                }
            }
            return true
        }
    }

    /// Puts these themes on a note and takes all others off. False where they are on it already.
    private func attach(
        _ themes: Set<ID<Notebook.Theme>>, to id: ID<Notebook.Note>, in transaction: Transaction
    ) async throws -> Bool {
        let before = Set(try await transaction.all(Notebook.Statements.ThemesOf(note: id)))
        try await transaction.batch { batch in
            for theme in before.subtracting(themes).sorted() {
                batch.run(Notebook.Statements.Detach(note: id, theme: theme))
            }
            for theme in themes.subtracting(before).sorted() {
                batch.run(Notebook.Statements.Attach(note: id, theme: theme))
            }
        }
        return themes != before
    }

    /// Puts a theme on a note, or takes it off; twice is once. Throws `.notFound` for the note, and for a theme that is
    /// none of its book, `.conflict` (`too_many_themes`), `.preconditionFailed`.
    package func label(
        _ id: ID<Notebook.Note>, with theme: ID<Notebook.Theme>, isOn: Bool, by reader: ID<Accounts.Account>,
        ifVersion version: Precondition = .none
    ) async throws {
        _ = try await rewrite(id, by: reader, version) { old, transaction in
            guard
                let known = try await transaction.first(Notebook.Statements.OneTheme(theme: theme, reader: reader)),
                known.book == old.work
            else { throw Failure.notFound("theme \(theme)") }
            let before = try await transaction.all(Notebook.Statements.ThemesOf(note: id))
            guard before.contains(theme) != isOn else { return false }
            guard !isOn || before.count < Limits.notebook.noteThemes else {
                throw Failure.conflict(
                    code: .tooManyThemes, "a note has at most \(Limits.notebook.noteThemes) themes")
            }
            if isOn {
                try await transaction.run(Notebook.Statements.Attach(note: id, theme: theme))
            } else {
                try await transaction.run(Notebook.Statements.Detach(note: id, theme: theme))
            }
            return true
        }
    }

    /// Deletes a reader's own note with all that it holds; photographs stay. Throws `.notFound`, `.forbidden`
    /// (`account_frozen`), `.preconditionFailed`.
    package func remove(
        _ id: ID<Notebook.Note>, by reader: ID<Accounts.Account>, ifVersion version: Precondition = .none
    ) async throws {
        try await services.database.transaction { transaction in
            let old = try await lock(id, of: reader, version, in: transaction)
            try await erase(id, old, of: reader, in: transaction)
        }
    }

    func erase(
        _ id: ID<Notebook.Note>, _ old: Notebook.Held, of reader: ID<Accounts.Account>, in transaction: Transaction
    ) async throws {
        try await erase([id], of: reader, in: old.work, in: transaction)
        if let folder = old.folder {
            try await transaction.run(Notebook.Statements.CountWithin(folder: folder, notes: -1))
        }
    }

    /// Deletes notes of one notebook, but does not count them out of their folders.
    func erase(
        _ notes: [ID<Notebook.Note>], of reader: ID<Accounts.Account>, in work: ID<Catalog.Work>,
        in transaction: Transaction
    ) async throws {
        let now = services.clock.now()
        try await transaction.batch { batch in
            batch.run(Notebook.Statements.DropWords(notes: notes))
            batch.run(Notebook.Statements.DetachAll(notes: notes))
            batch.run(Notebook.Statements.DeleteNotes(notes: notes))
            batch.run(
                Notebook.Statements.Count(reader: reader, work: work, at: now, notes: -Int32(notes.count)))
        }
    }

    /// Locks the account, then the note.
    func lock(
        _ id: ID<Notebook.Note>, of reader: ID<Accounts.Account>, _ version: Precondition, in transaction: Transaction
    ) async throws -> Notebook.Held {
        try await library.lock(reader, in: transaction)
        guard let note = try await transaction.first(Notebook.Statements.LockNote(note: id, reader: reader)) else {
            throw Thing(id).missing
        }
        try version.check(note.version)
        return note
    }

    /// Changes a note under its lock by `body`, which says whether anything became another; brings it in line then.
    func rewrite(
        _ id: ID<Notebook.Note>, by reader: ID<Accounts.Account>, _ version: Precondition,
        _ body: @Sendable (Notebook.Held, Transaction) async throws -> Bool
    ) async throws -> Notebook.Note {
        try await services.database.transaction { transaction in
            let old = try await lock(id, of: reader, version, in: transaction)
            if try await body(old, transaction) { try await settle(id, of: reader, in: old.work, in: transaction) }
            return try await self.written(id, by: reader, in: transaction)
        }
    }

    /// Brings a note in line with its items, which have changed: another version of it.
    func settle(
        _ id: ID<Notebook.Note>, of reader: ID<Accounts.Account>, in work: ID<Catalog.Work>,
        in transaction: Transaction
    ) async throws {
        let first = try await transaction.first(Notebook.Statements.FirstWords(note: id))
        let usual = try await usualScope(of: reader, in: work, in: transaction)
        let now = services.clock.now()
        let settle = Notebook.Statements.Settle(
            note: id, usual: usual, excerpt: Self.excerpt(of: first), isNew: false, at: now)
        try await transaction.batch { batch in
            batch.run(settle)
            batch.run(Notebook.Statements.Count(reader: reader, work: work, at: now))
        }
    }

    /// An item with its place in the book worked out, and its photograph held. Throws `.invalid` at `pointer`.
    func written(
        _ item: Notebook.NewItem, at pointer: String, of reader: ID<Accounts.Account>, in work: ID<Catalog.Work>,
        in transaction: Transaction
    ) async throws -> Notebook.Written {
        switch item {
        case .text(let body): return Notebook.Written(kind: .text, body: Markdown.clean(body))
        case .quote(let words, let said):
            let spot = try await spot(said, of: reader, in: work, at: pointer + "/place", in: transaction)
            return Notebook.Written(kind: .quote, body: Markdown.clean(words), spot: spot)
        case .picture(let photo):
            try await hold(photo, at: pointer + "/photo_id", of: reader, in: work, in: transaction)
            return Notebook.Written(kind: .picture, photo: photo)
        }
    }

    /// Throws `.invalid` at `pointer` unless the photograph is the reader's own of that book.
    func hold(
        _ photo: ID<Photos.Photo>, at pointer: String, of reader: ID<Accounts.Account>, in work: ID<Catalog.Work>,
        in transaction: Transaction
    ) async throws {
        guard try await !Photos.hold([photo], of: reader, in: work, transaction).isEmpty else {
            throw Failure.invalid(pointer, .unknown, "must be one of your photographs of this book")
        }
    }

    static let tooManyNotes = Failure.conflict(
        code: .tooManyNotes, "you may keep at most \(Limits.notebook.notes) notes about one book")

    static let noFolder = Failure.invalid("/folder_id", .unknown, "must be a folder of this notebook")

    static func excerpt(of items: [Notebook.Written]) -> String? { excerpt(of: items.first { $0.body != nil }?.body) }

    /// How a text or quote begins; `nil` for none.
    static func excerpt(of body: String?) -> String? {
        body.flatMap { Boards.excerpt(of: Markdown.render($0)) }
    }
}

extension Notebook {
    /// A note that goes in, with its items and themes.
    struct Entry: Sendable {
        let note: Statements.InsertNote
        let items: [(item: Written, id: ID<Item>, at: Timestamp)]
        let themes: [ID<Theme>]
        let changedAt: Timestamp

        /// All but the notebook's count: run `Count` first.
        func add(to batch: inout Batch) {
            batch.run(note)
            if let title = note.title {
                batch.run(OwnWords.Put(.note, note.id, of: note.reader, in: note.work, plain: title))
            }
            if let folder = note.folder { batch.run(Statements.CountWithin(folder: folder, notes: 1)) }
            for (index, (item, id, at)) in items.enumerated() {
                let place = Int64(index) * Library.Gap.step
                batch.run(Statements.InsertItem(id: id, note: note.id, place: place, item: item, at: at))
                if let words = item.words(id, of: note.reader, in: note.work) { batch.run(words) }
            }
            for theme in themes { batch.run(Statements.Attach(note: note.id, theme: theme)) }
            batch.run(
                Statements.Settle(
                    note: note.id, usual: note.scope, excerpt: note.excerpt, isNew: true, at: changedAt))
        }
    }
}

extension Notebook.Written {
    /// What makes its words found; `nil` for a photograph, which has its own.
    func words(
        _ id: ID<Notebook.Item>, of reader: ID<Accounts.Account>, in work: ID<Catalog.Work>
    ) -> OwnWords.Put? {
        switch kind {
        case .text: OwnWords.Put(.text, id, of: reader, in: work, plain: body ?? "")
        case .quote: OwnWords.Put(.quote, id, of: reader, in: work, plain: body ?? "")
        case .picture: nil
        }
    }
}
