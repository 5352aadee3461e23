import Postgres

extension Library {
    /// A list of books that a reader made.
    package struct List: Hashable, Sendable, Encodable {
        package let id: ID<List>
        package let author: Accounts.Reader
        package let title: String
        package let description: String?
        /// The list's own level; `nil` where the reader's setting decides, and for everybody but the reader.
        package let visibility: Visibility?
        /// A moderator hides it from all but its reader.
        package let isHidden: Bool
        package let bookCount: Int
        /// By the viewer.
        package let isFollowed: Bool
        /// 1, 2, …: rises with every change, of its books too.
        package let version: Int
        package let createdAt: Timestamp
        package let changedAt: Timestamp
    }

    /// A book on a list.
    package struct ListItem: Hashable, Sendable {
        package let book: Catalog.Book
        /// For those who see the list.
        package let note: String?
        package let addedAt: Timestamp
        package let key: ListKey
    }

    /// Where a book stands on a list.
    package struct ListKey: SortKey, Codable {
        package let place: Int64
        package let work: ID<Catalog.Work>

        package static let lowest = ListKey(place: .min, work: .min)
        package static let highest = ListKey(place: .max, work: .max)
    }

    /// What a list is to be.
    package struct NewList: Hashable, Sendable {
        package var title: String
        package var description: String?
        package var visibility: Visibility?

        package init(title: String, description: String? = nil, visibility: Visibility? = nil) {
            self.title = title
            self.description = description
            self.visibility = visibility
        }

        /// Throws `.invalid` with every fault.
        package func validate() throws(Failure) {
            var faults = Faults()
            faults.require(
                Limits.library.listTitle.contains(title.utf8.count), "/title", .tooLong, "1 to 200 bytes of UTF-8")
            faults.require(title.contains { !$0.isWhitespace }, "/title", .tooShort, "holds no text")
            faults.require(
                description.map { Limits.library.listDescription.contains($0.utf8.count) } ?? true, "/description",
                .tooLong, "1 to 5,000 bytes of UTF-8")
            for (pointer, text) in [("/title", title), ("/description", description ?? "")] {
                faults.require(Wording.isPlain(text), pointer, .badFormat, Wording.unplain)
            }
            try faults.check()
        }
    }

    /// What is to change about a list.
    package struct ListChange: Hashable, Sendable {
        package var title: String?
        package var description: FieldChange<String>
        package var visibility: FieldChange<Visibility>

        package init(
            title: String? = nil, description: FieldChange<String> = .keep, visibility: FieldChange<Visibility> = .keep
        ) {
            self.title = title
            self.description = description
            self.visibility = visibility
        }
    }

    /// Where a book goes on a list.
    package enum Spot: Hashable, Sendable {
        /// Where it is; behind the last for a book that is not on the list.
        case keep
        case first
        case after(ID<Catalog.Work>)
    }

    /// The places that a book can go between; `nil`: nothing stands there.
    struct Gap: Sendable {
        let before: Int64?
        let after: Int64?

        static let step: Int64 = 1 << 20

        /// A place within; `nil` where there is no room left.
        var place: Int64? {
            switch (before, after) {
            case (nil, nil): 0
            case (let before?, nil): before + Self.step
            case (nil, let after?): after - Self.step
            case (let before?, let after?): after - before > 1 ? before + (after - before) / 2 : nil
            }
        }
    }
}

extension Library.Store {
    /// Makes a list. Throws `.invalid`, `.forbidden` (`account_frozen`, and `email_unverified` for what more than
    /// friends see), `.conflict` (`too_many_lists`).
    package func make(_ new: Library.NewList, by identity: Accounts.Identity) async throws -> Library.List {
        try new.validate()
        let reader = identity.account
        return try await services.database.transaction { transaction in
            try await lock(reader, in: transaction)
            let lists = try await transaction.one(Library.Statements.ListsOf(reader: reader))
            try identity.mayShow(new.visibility ?? lists.usual)
            guard lists.count < Limits.library.lists else {
                throw Failure.conflict(code: .tooManyLists, "a reader has at most \(Limits.library.lists) lists")
            }
            let id: ID<Library.List> = try services.ids.make()
            try await transaction.run(
                Library.Statements.InsertList(id: id, reader: reader, new: new, at: services.clock.now()))
            return try await list(id, for: .reader(reader), in: transaction)
        }
    }

    /// A list, where the viewer may see it. Throws `.notFound`.
    package func list(_ id: ID<Library.List>, for viewer: Viewer) async throws -> Library.List {
        try await list(id, for: viewer, in: services.database)
    }

    private func list(
        _ id: ID<Library.List>, for viewer: Viewer, in queryable: some Queryable
    ) async throws -> Library.List {
        guard let list = try await queryable.first(Library.Statements.OneList(viewer: viewer, list: id)) else {
            throw Failure.notFound("list \(id)")
        }
        return list
    }

    /// The lists of a reader that the viewer may see, newest first. Throws `.notFound` for a reader whom the viewer may
    /// not see.
    package func lists(
        of username: String, for viewer: Viewer, page: PageRequest<ID<Library.List>>
    ) async throws -> Page<Library.List, ID<Library.List>> {
        try await lists(of: try await reader(username, for: viewer).id, for: viewer, page: page)
    }

    package func lists(
        of reader: ID<Accounts.Account>, for viewer: Viewer, page: PageRequest<ID<Library.List>>
    ) async throws -> Page<Library.List, ID<Library.List>> {
        let database = services.database
        return try await page.read(from: .highest, key: \.id) {
            try await database.all(Library.Statements.Lists(viewer: viewer, reader: reader, span: $0))
        }
    }

    /// The books of a list in its order. Throws `.notFound`.
    package func books(
        on id: ID<Library.List>, for viewer: Viewer, page: PageRequest<Library.ListKey>
    ) async throws -> Page<Library.ListItem, Library.ListKey> {
        _ = try await list(id, for: viewer)
        return try await items(of: id, page: page)
    }

    /// The books of a list that the viewer is known to see.
    func items(
        of id: ID<Library.List>, page: PageRequest<Library.ListKey>
    ) async throws -> Page<Library.ListItem, Library.ListKey> {
        let database = services.database
        return try await page.read(from: .lowest, key: \.key) {
            try await database.all(Library.Statements.Items(list: id, span: $0))
        }
    }

    /// Changes a reader's own list. Throws as `make`, `.notFound`, `.preconditionFailed` where the list has another
    /// version.
    package func change(
        _ id: ID<Library.List>, _ change: Library.ListChange, by identity: Accounts.Identity,
        ifVersion version: Precondition = .none
    ) async throws -> Library.List {
        try await services.database.transaction { transaction in
            let old = try await lock(id, of: identity.account, version, in: transaction)
            let new = Library.NewList(
                title: change.title ?? old.new.title, description: change.description.applied(to: old.new.description),
                visibility: change.visibility.applied(to: old.new.visibility))
            try new.validate()
            try identity.mayShow(new.visibility ?? old.usual)
            if new != old.new {
                try await transaction.run(Library.Statements.UpdateList(list: id, new: new, at: services.clock.now()))
            }
            return try await list(id, for: .reader(identity.account), in: transaction)
        }
    }

    /// Deletes a reader's own list, with its link. Throws `.notFound`, `.forbidden` (`account_frozen`),
    /// `.preconditionFailed`.
    package func remove(
        _ id: ID<Library.List>, by reader: ID<Accounts.Account>, ifVersion version: Precondition = .none
    ) async throws {
        try await services.database.transaction { transaction in
            _ = try await lock(id, of: reader, version, in: transaction)
            guard try await transaction.run(Library.Statements.DeleteList(list: id, reader: reader)) == 1 else {
                throw Failure.notFound("list \(id)")
            }
        }
    }

    /// Puts a book on a reader's own list, or moves it, or changes its note. Gives whether it is new there.
    ///
    /// Throws `.notFound` for the list or the work, `.invalid` (`/after`) where that book is not on the list,
    /// `.conflict` (`list_full`), `.preconditionFailed` where the list has another version.
    package func put(
        _ work: ID<Catalog.Work>, on id: ID<Library.List>, at spot: Library.Spot, note: FieldChange<String> = .keep,
        by identity: Accounts.Identity, ifVersion version: Precondition = .none
    ) async throws -> (item: Library.ListItem, isNew: Bool) {
        try await services.database.transaction { transaction in
            let list = try await lock(id, of: identity.account, version, in: transaction)
            try identity.mayShow(list.new.visibility ?? list.usual)
            guard let book = try await transaction.first(Catalog.HoldBook(work: work)) else {
                throw Failure.notFound("book \(work)")
            }
            let old = try await transaction.first(Library.Statements.Item(list: id, work: book))
            guard old != nil || list.books < Limits.library.listBooks else {
                throw Failure.conflict(code: .listFull, "a list holds at most \(Limits.library.listBooks) books")
            }
            let new = note.applied(to: old?.note)
            if let old, spot == .keep, new == old.note { return (old, false) }
            let now = services.clock.now()
            let place: Int64
            if let old, spot == .keep {
                place = old.key.place
            } else {
                place = try await room(at: spot, for: book, on: id, in: transaction)
            }
            try await transaction.batch { batch in
                batch.run(Library.Statements.PutItem(list: id, work: book, place: place, note: new, at: now))
                batch.run(Library.Statements.ListChanged(list: id, books: old == nil ? 1 : 0, at: now))
            }
            return (try await transaction.one(Library.Statements.Item(list: id, work: book)), old == nil)
        }
    }

    /// A free place at `spot`; moves the others apart where there is no room.
    private func room(
        at spot: Library.Spot, for work: ID<Catalog.Work>, on list: ID<Library.List>, in transaction: Transaction
    ) async throws -> Int64 {
        for _ in 0..<2 {
            let gap: Library.Gap
            switch spot {
            case .keep: gap = try await transaction.one(Library.Statements.Ends(list: list, without: work)).behind
            case .first: gap = try await transaction.one(Library.Statements.Ends(list: list, without: work)).ahead
            case .after(let other):
                guard other != work,
                    let found = try await transaction.first(
                        Library.Statements.GapAfter(list: list, after: other, without: work))
                else { throw Failure.invalid("/after", .unknown, "must be a book of this list") }
                gap = found
            }
            if let place = gap.place { return place }
            try await transaction.run(Library.Statements.SpreadItems(list: list))
        }
        throw Failure.conflict(code: .listFull, "there is no room at this place")
    }

    /// Takes a book off a reader's own list; one that is not on it is off it already. Throws `.notFound` for the list,
    /// `.preconditionFailed`.
    package func take(
        _ work: ID<Catalog.Work>, off id: ID<Library.List>, by identity: Accounts.Identity,
        ifVersion version: Precondition = .none
    ) async throws {
        try await services.database.transaction { transaction in
            _ = try await lock(id, of: identity.account, version, in: transaction)
            guard try await transaction.run(Library.Statements.DeleteItem(list: id, work: work)) == 1 else { return }
            try await transaction.run(Library.Statements.ListChanged(list: id, books: -1, at: services.clock.now()))
        }
    }

    /// Locks the account, then the list.
    private func lock(
        _ id: ID<Library.List>, of reader: ID<Accounts.Account>, _ version: Precondition, in transaction: Transaction
    ) async throws -> Library.Statements.LockList.Output {
        try await lock(reader, in: transaction)
        guard let list = try await transaction.first(Library.Statements.LockList(list: id, reader: reader)) else {
            throw Failure.notFound("list \(id)")
        }
        try version.check(list.version)
        return list
    }
}
