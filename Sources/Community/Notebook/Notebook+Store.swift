import Postgres

extension Notebook {
    /// What readers do with their notebooks: notes (`Noting`), themes and folders (`Filing`).
    package struct Store: Sendable {
        let services: Services

        package init(_ services: Services) { self.services = services }

        var library: Library.Store { Library.Store(services) }
        var places: Places.Store { Places.Store(services) }

        /// Locks the reader's account and a book that is shown, or what it was merged into, and gives that with what is
        /// decided on. Throws `.notFound` for the book, `.forbidden` (`account_frozen`).
        func basis(
            of reader: ID<Accounts.Account>, in work: ID<Catalog.Work>, folder: ID<Folder>? = nil,
            in transaction: Transaction
        ) async throws -> (work: ID<Catalog.Work>, basis: Basis) {
            try await library.lock(reader, holding: work)
            guard let book = try await transaction.first(Catalog.HoldBook(work: work)) else {
                throw Failure.notFound("book \(work)")
            }
            let basis = try await transaction.one(Statements.Basis(reader: reader, work: book, folder: folder))
            return (book, basis)
        }

        /// Where in the book `said` is. Throws `.invalid` at `pointer`.
        func spot(
            _ said: Places.Said?, of reader: ID<Accounts.Account>, in work: ID<Catalog.Work>, at pointer: String,
            in transaction: Transaction
        ) async throws -> Spot? {
            guard let said else { return nil }
            let ground = try await places.ground(of: reader, in: work, for: said, in: transaction)
            do throws(Failure) {
                return Spot(position: try ground.position(of: said), page: said.page)
            } catch {
                guard case .invalid(let faults) = error else { throw error }
                throw Failure.invalid(faults.map { $0.below(pointer) })
            }
        }

        /// What a note without any place gives away.
        func usualScope(
            of reader: ID<Accounts.Account>, in work: ID<Catalog.Work>, in transaction: Transaction
        ) async throws -> Gate.Scope {
            try await Gate.Store(services).usualScope(of: reader, in: work, in: transaction).scope
        }

        /// Gives the notes of a reader, whose account is locked, that have no level of their own another one.
        func follow(_ level: Visibility, of reader: ID<Accounts.Account>, in transaction: Transaction) async throws {
            try await transaction.run(Statements.FollowLevel(reader: reader, level: level))
        }
    }
}

// Reading.
extension Notebook.Store {
    /// A note with its items, where the viewer may know of it. Throws `.notFound`.
    package func note(_ id: ID<Notebook.Note>, for viewer: Viewer) async throws -> Notebook.Shown {
        try await note(id, for: viewer, in: services.database)
    }

    private func note(
        _ id: ID<Notebook.Note>, for viewer: Viewer, in queryable: some Queryable
    ) async throws -> Notebook.Shown {
        guard let listed = try await queryable.first(Notebook.Statements.OneNote(viewer: viewer, note: id)) else {
            throw Thing(id).missing
        }
        switch listed {
        case .gated(let placeholder): return .gated(placeholder)
        case .whole(let summary):
            let stored = try await queryable.all(Notebook.Statements.Items(note: id))
            let items = try await items(stored, of: summary, for: viewer, in: queryable)
            return .whole(Notebook.Note(summary: summary, items: items))
        }
    }

    /// A reader's own note, in the transaction that wrote it.
    func written(
        _ id: ID<Notebook.Note>, by reader: ID<Accounts.Account>, in transaction: Transaction
    ) async throws -> Notebook.Note {
        guard case .whole(let note) = try await note(id, for: .reader(reader), in: transaction) else {
            throw Thing(id).missing
        }
        return note
    }

    /// Notes by their names, as far as the viewer may know of them.
    func notes(
        _ ids: Set<ID<Notebook.Note>>, for viewer: Viewer
    ) async throws -> [ID<Notebook.Note>: Notebook.Listed] {
        let found = try await services.database.all(Notebook.Statements.TheseNotes(viewer: viewer, notes: ids.sorted()))
        return Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
    }

    private func items(
        _ stored: [Notebook.StoredItem], of note: Notebook.Summary, for viewer: Viewer, in queryable: some Queryable
    ) async throws -> [Notebook.Item] {
        let ids = stored.compactMap(\.photo)
        let photos = ids.isEmpty ? [:] : try await Photos.shown(ids, for: viewer, in: queryable)
        return stored.map { item in
            let content: Notebook.Item.Content
            switch item.kind {
            case .text:
                let body = item.body ?? ""
                content = .text(note.unveils ? ShownText(whole: body) : ShownText(veiled: body))
            case .quote: content = .quote(item.body ?? "", item.spot)
            case .picture: content = .picture(item.photo.flatMap { photos[$0] })
            }
            return Notebook.Item(id: item.id, content: content, createdAt: item.createdAt, changedAt: item.changedAt)
        }
    }

    /// A reader's own notes about a book, newest first. Throws `.notFound` for a book that is not there.
    package func notes(
        about work: ID<Catalog.Work>, among range: Notebook.Among, of reader: ID<Accounts.Account>,
        page: PageRequest<ID<Notebook.Note>>
    ) async throws -> Page<Notebook.Listed, ID<Notebook.Note>> {
        let database = services.database
        return try await page.read(from: .highest, key: \.id) {
            try await database.all(
                Notebook.Statements.OwnNotes(
                    viewer: reader, work: work, range: range.range, place: range.place, span: $0))
        }
    }

    /// The notes about a book that others show, of friends or of everybody, newest first.
    package func notes(
        about work: ID<Catalog.Work>, among circle: Circle, for viewer: Viewer, page: PageRequest<ID<Notebook.Note>>
    ) async throws -> Page<Notebook.Listed, ID<Notebook.Note>> {
        let database = services.database
        return try await page.read(from: .highest, key: \.id) {
            try await database.all(
                Notebook.Statements.ShownNotes(viewer: viewer, work: work, circle: circle, span: $0))
        }
    }

    /// The notes that a reader shows, as far as the viewer may see them, newest first. Throws `.notFound` for a reader
    /// whom the viewer may not see.
    package func notes(
        of username: String, for viewer: Viewer, page: PageRequest<ID<Notebook.Note>>
    ) async throws -> Page<Notebook.Listed, ID<Notebook.Note>> {
        let reader = try await library.reader(username, for: viewer).id
        let database = services.database
        return try await page.read(from: .highest, key: \.id) {
            try await database.all(Notebook.Statements.NotesOfReader(viewer: viewer, reader: reader, span: $0))
        }
    }

    /// The books that a reader keeps something about, the one changed last first.
    package func notebooks(
        of reader: ID<Accounts.Account>, page: PageRequest<TimeKey>
    ) async throws -> Page<Notebook.Kept, TimeKey> {
        let database = services.database
        return try await page.read(from: .highest, key: \.key) {
            try await database.all(Notebook.Statements.Notebooks(reader: reader, span: $0))
        }
    }

    /// What a reader keeps about one book. Throws `.notFound` for a book that is not there.
    package func kept(about work: ID<Catalog.Work>, of reader: ID<Accounts.Account>) async throws -> Notebook.Kept {
        guard let kept = try await services.database.first(Notebook.Statements.KeptOf(reader: reader, work: work))
        else { throw Failure.notFound("book \(work)") }
        return kept
    }
}
