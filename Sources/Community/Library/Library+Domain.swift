import Jobs
import Postgres

extension Library: Domain {
    package static let things: [any ThingKind.Type] = [List.self]
    package static let worksOfReaders = [WorkColumn("shelf_entry"), WorkColumn("book_list_item")]
    package static var eventKinds: [String] { EventKind.names }
    package static let eventSubjects = [EventSubject.shelf]

    package static func standingChanges(
        of account: ID<Accounts.Account>, in queryable: some Queryable
    ) async throws {
        try await CountReader(reader: account).enqueue(in: queryable)
    }

    /// Deletes a reader's library, lists and links, in `queryable`'s transaction: for the end of an account. Tells
    /// nobody one by one.
    package static func accountEnds(
        _ account: ID<Accounts.Account>, of services: Services, in transaction: Transaction
    ) async throws {
        try await transaction.run(Accounts.Statements.LockState(reader: account))
        _ = try await transaction.one(Library.Statements.RemoveAll(reader: account))
    }

    package static func worksAreToMerge(_ merge: Merge<Catalog.Work>, in transaction: Transaction) async throws {
        try await transaction.run(Statements.LockReadersOf(works: [merge.from, merge.into]))
    }

    package static func worksChange(_ change: WorksChange, in transaction: Transaction) async throws {
        switch change {
        case .byHand(let works), .imported(let works): try await sortAnew(works, in: transaction)
        case .renamed(let authors): try await sortAnew(worksOf: authors, in: transaction)
        }
    }

    /// Whose the rows of each table are.
    package static let personalTables: [PersonalTable] = [
        // Books on shelves.
        .init("shelf_entry", hidden: ["title_key", "author_key", "year"], work: "t.work_id"),
        // Each time that a book was read.
        .init(
            "reading", source: "reading t join shelf_entry on shelf_entry.id = t.entry_id", work: "shelf_entry.work_id"),
        // How many books stand on each shelf.
        .init("shelf_tally", key: "hashtext(t.shelf)::bigint", secondKey: "t.level::bigint"),
        // Lists of books.
        .init("book_list"),
        // The books on them.
        .init(
            "book_list_item", source: "book_list_item t join book_list on book_list.id = t.list_id",
            owner: "book_list.reader_id", key: "t.list_id", secondKey: "t.work_id", work: "t.work_id"),
        // Links that open one shelf or list.
        .init("share_link", hidden: ["digest"]),
    ]
}

extension Library.List: ThingKind {
    package static let facts = ThingFacts(
        name: "list", table: "book_list", joins: "left join privacy on privacy.reader_id = book_list.reader_id",
        author: "book_list.reader_id", title: "book_list.title",
        said: "jsonb_build_object('title', book_list.title, 'description', book_list.description)",
        isHidden: "(book_list.hidden_at is not null)", isHeld: true)

    /// With the owner's `privacy` in scope.
    package static func isSeen<S: ForViewer>() -> SQL<S> {
        Visibility.predicate(
            viewer: .viewer, owner: "book_list.reader_id",
            level: Privacy.level("book_list.visibility", .lists))
    }
}

extension Library.List: Utterance {
    package static let saying = SayingFacts(
        text: "concat_ws(chr(10), book_list.title, book_list.description)",
        isOpen: "coalesce(\(Library.Statements.wanted), privacy.lists, 2) >= \(Visibility.members.rawValue)")
}

extension Library.List: Deletable {
    package static func setHidden(
        _ isHidden: Bool, _ id: ID<Self>, of services: Services, in transaction: Transaction
    ) async throws -> Bool {
        let change = Library.Statements.HideList(list: id, at: isHidden ? services.clock.now() : nil)
        return try await transaction.run(change) > 0
    }

    package static func erase(_ id: ID<Self>, of services: Services, in transaction: Transaction) async throws {
        try await transaction.run(Library.Statements.DeleteList(list: id, reader: nil))
    }
}

extension Thing {
    package static func list(_ id: ID<Library.List>) -> Thing { Thing(id) }
}

extension EventSubject {
    /// The id of an entry on a shelf: told to those to whom the reader's settings tell it.
    static let shelf = EventSubject(
        name: "shelf",
        joins: """
            left join shelf_entry on asked.kind = 'shelf' and shelf_entry.id = asked.value
            left join privacy on privacy.reader_id = shelf_entry.reader_id
            """,
        isTold: """
            shelf_entry.id is not null
            and \(Visibility.predicate(viewer: "viewer.id", owner: "shelf_entry.reader_id", level: Library.Statements.told))
            """)
}

extension Community {
    package var library: Library.Store { Library.Store(services) }
}
