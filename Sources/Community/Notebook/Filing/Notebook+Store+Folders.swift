import Postgres

extension Notebook {
    /// What becomes of what stands in a folder that goes.
    package enum FolderContents: String, Sendable, CaseIterable {
        /// It stands where the folder stood.
        case keep
        /// It goes, too.
        case delete
    }

    /// What the deletion of a folder did.
    package struct Emptied: Hashable, Sendable, Encodable {
        package let deletedFolderCount: Int
        package let deletedNoteCount: Int
        /// Notes and folders that stand where the folder stood.
        package let keptNoteCount: Int
        package let keptFolderCount: Int
    }
}

extension Notebook.Store {
    /// Makes a folder for a book, in another one or in none. Throws `.invalid`, `.notFound` for the book, `.forbidden`
    /// (`account_frozen`), `.conflict` (`too_many_folders`, `folders_too_deep`).
    package func makeFolder(
        _ name: String, in parent: ID<Notebook.Folder>?, for work: ID<Catalog.Work>, by reader: ID<Accounts.Account>
    ) async throws -> Notebook.Folder {
        try Self.check(name)
        return try await services.database.transaction { transaction in
            let (work, basis) = try await basis(of: reader, in: work, folder: parent, in: transaction)
            guard parent == nil || basis.folder != nil else { throw Self.noParent }
            guard basis.folders < Limits.notebook.folders else { throw Self.tooManyFolders }
            if let parent { try await mustBeRoom(for: 1, below: parent, in: transaction) }
            let (id, now): (ID<Notebook.Folder>, Timestamp) = (try services.ids.make(), services.clock.now())
            let place = Notebook.FolderPlace(parent: parent, key: Notebook.key(of: name))
            try await insert(id, place, named: name, by: reader, in: work, at: now, in: transaction)
            return try await folder(id, of: reader, in: transaction)
        }
    }

    func insert(
        _ id: ID<Notebook.Folder>, _ place: Notebook.FolderPlace, named name: String, by reader: ID<Accounts.Account>,
        in work: ID<Catalog.Work>, at now: Timestamp, in transaction: Transaction
    ) async throws {
        try await transaction.batch { batch in
            batch.run(Notebook.Statements.Count(reader: reader, work: work, at: now, folders: 1))
            batch.run(
                Notebook.Statements.InsertFolder(
                    id: id, reader: reader, work: work, parent: place.parent, name: name, key: place.key, at: now))
            if let parent = place.parent { batch.run(Notebook.Statements.CountWithin(folder: parent, folders: 1)) }
        }
    }

    private static func check(_ name: String) throws(Failure) {
        var faults = Faults()
        Notebook.check(name: name, at: "/name", into: &faults)
        try faults.check()
    }

    static let tooManyFolders = Failure.conflict(
        code: .tooManyFolders, "you may keep at most \(Limits.notebook.folders) folders about one book")

    private static let noParent = Failure.invalid("/parent_id", .unknown, "must be a folder of this notebook")

    /// Throws `.conflict` (`folders_too_deep`) unless so many folders, one in the other, have room below `parent`. Gives
    /// the folders in which they stand then.
    @discardableResult
    private func mustBeRoom(
        for levels: Int, below parent: ID<Notebook.Folder>, in transaction: Transaction
    ) async throws -> [ID<Notebook.Folder>] {
        let above = try await transaction.all(Notebook.Statements.Above(folder: parent))
        guard above.count + levels <= Limits.notebook.depth else {
            throw Failure.conflict(
                code: .foldersTooDeep, "folders stand in each other at most \(Limits.notebook.depth) deep")
        }
        return above
    }

    /// A reader's own folder. Throws `.notFound`.
    package func folder(_ id: ID<Notebook.Folder>, of reader: ID<Accounts.Account>) async throws -> Notebook.Folder {
        try await folder(id, of: reader, in: services.database)
    }

    private func folder(
        _ id: ID<Notebook.Folder>, of reader: ID<Accounts.Account>, in queryable: some Queryable
    ) async throws -> Notebook.Folder {
        guard let folder = try await queryable.first(Notebook.Statements.OneFolder(folder: id, reader: reader)) else {
            throw Failure.notFound("folder \(id)")
        }
        return folder
    }

    /// A reader's folders for a book, by name.
    package func folders(
        for work: ID<Catalog.Work>, _ range: Notebook.FoldersIn, of reader: ID<Accounts.Account>,
        page: PageRequest<Notebook.NameKey<Notebook.Folder>>
    ) async throws -> Page<Notebook.Folder, Notebook.NameKey<Notebook.Folder>> {
        let database = services.database
        let (way, parent): (Notebook.FolderRange, Int64) =
            switch range {
            case .all: (.all, 0)
            case .outside: (.outside, 0)
            case .folder(let folder): (.within, folder.rawValue)
            }
        return try await page.read(from: .lowest, key: \.key) {
            try await database.all(
                Notebook.Statements.Folders(reader: reader, work: work, range: way, parent: parent, span: $0))
        }
    }

    /// Gives a folder another name, or moves it with all that stands in it. Throws `.invalid` (`/parent_id`, also
    /// where that stands in the folder itself), `.notFound`, `.forbidden` (`account_frozen`), `.conflict`
    /// (`folders_too_deep`), `.preconditionFailed`.
    package func change(
        _ id: ID<Notebook.Folder>, name: String?, parent: FieldChange<ID<Notebook.Folder>>,
        by reader: ID<Accounts.Account>, ifVersion version: Precondition = .none
    ) async throws -> Notebook.Folder {
        if let name { try Self.check(name) }
        return try await services.database.transaction { transaction in
            let old = try await lock(id, of: reader, version, in: transaction)
            let (newName, newParent) = (name ?? old.name, parent.applied(to: old.parent))
            guard (newName, newParent) != (old.name, old.parent) else { return old }
            if let newParent, newParent != old.parent {
                try await mayStand(id, of: old.book, in: newParent, of: reader, in: transaction)
            }
            let now = services.clock.now()
            try await transaction.batch { batch in
                batch.run(
                    Notebook.Statements.UpdateFolder(
                        folder: id, parent: newParent, name: newName, key: Notebook.key(of: newName), at: now))
                if newParent != old.parent {
                    if let from = old.parent { batch.run(Notebook.Statements.CountWithin(folder: from, folders: -1)) }
                    if let newParent { batch.run(Notebook.Statements.CountWithin(folder: newParent, folders: 1)) }
                }
                batch.run(Notebook.Statements.Count(reader: reader, work: old.book, at: now))
            }
            return try await folder(id, of: reader, in: transaction)
        }
    }

    /// Throws unless a folder may go into `parent`.
    private func mayStand(
        _ id: ID<Notebook.Folder>, of book: ID<Catalog.Work>, in parent: ID<Notebook.Folder>,
        of reader: ID<Accounts.Account>, in transaction: Transaction
    ) async throws {
        let target = try await transaction.first(Notebook.Statements.OneFolder(folder: parent, reader: reader))
        guard target?.book == book else { throw Self.noParent }
        let levels = try await transaction.all(Notebook.Statements.Below(folder: id)).map(\.level).max() ?? 1
        let above = try await transaction.all(Notebook.Statements.Above(folder: parent))
        guard !above.contains(id) else {
            throw Failure.invalid("/parent_id", .mismatch, "must not stand inside the folder that moves")
        }
        try await mustBeRoom(for: levels, below: parent, in: transaction)
    }

    /// Deletes a folder, and says what became of what stood in it. Throws `.notFound`, `.forbidden`
    /// (`account_frozen`), `.preconditionFailed`.
    package func remove(
        _ id: ID<Notebook.Folder>, _ contents: Notebook.FolderContents, by reader: ID<Accounts.Account>,
        ifVersion version: Precondition = .none
    ) async throws -> Notebook.Emptied {
        try await services.database.transaction { transaction in
            let old = try await lock(id, of: reader, version, in: transaction)
            let now = services.clock.now()
            switch contents {
            case .keep:
                try await transaction.batch { batch in
                    batch.run(Notebook.Statements.EmptyFolder(folder: id, parent: old.parent, at: now))
                    if let parent = old.parent {
                        batch.run(
                            Notebook.Statements.CountWithin(
                                folder: parent, folders: Int32(old.folders) - 1, notes: Int32(old.notes)))
                    }
                    batch.run(Notebook.Statements.DeleteFolders(folders: [id]))
                    batch.run(Notebook.Statements.Count(reader: reader, work: old.book, at: now, folders: -1))
                }
                return Notebook.Emptied(
                    deletedFolderCount: 1, deletedNoteCount: 0, keptNoteCount: old.notes, keptFolderCount: old.folders)
            case .delete:
                let folders = try await transaction.all(Notebook.Statements.Below(folder: id)).map(\.id)
                let notes = try await transaction.all(Notebook.Statements.NotesWithin(folders: folders))
                try await erase(notes, of: reader, in: old.book, in: transaction)
                try await transaction.batch { batch in
                    if let parent = old.parent {
                        batch.run(Notebook.Statements.CountWithin(folder: parent, folders: -1))
                    }
                    batch.run(Notebook.Statements.DeleteFolders(folders: folders))
                    batch.run(
                        Notebook.Statements.Count(
                            reader: reader, work: old.book, at: now, folders: -Int32(folders.count)))
                }
                return Notebook.Emptied(
                    deletedFolderCount: folders.count, deletedNoteCount: notes.count, keptNoteCount: 0,
                    keptFolderCount: 0)
            }
        }
    }

    /// Locks the account: writers of one reader take turns.
    private func lock(
        _ id: ID<Notebook.Folder>, of reader: ID<Accounts.Account>, _ version: Precondition,
        in transaction: Transaction
    ) async throws -> Notebook.Folder {
        try await library.lock(reader, in: transaction)
        let folder = try await folder(id, of: reader, in: transaction)
        try version.check(folder.version)
        return folder
    }
}
