import Postgres

extension Lending {
    static let copyStatements: [any Statement.Type] = [
        Statements.BookOf.self, Statements.EditionOf.self, Statements.InsertCopy.self, Statements.CountCopies.self,
        Statements.PlaceOf.self, Statements.OneCopy.self, Statements.LockCopy.self, Statements.UpdateCopy.self,
        Statements.DeleteCopy.self, Statements.WithdrawLoansOf.self,
        Statements.CopiesAfter<CopiesByAdded>.self, Statements.CopiesBefore<CopiesByAdded>.self,
        Statements.CopiesAfter<CopiesByTitle>.self, Statements.CopiesBefore<CopiesByTitle>.self,
        Statements.CopiesAfter<CopiesByAuthor>.self, Statements.CopiesBefore<CopiesByAuthor>.self,
    ]

    /// One library's copies as one viewer asks for them.
    struct CopyQuery: Sendable {
        let viewer: Viewer
        let library: ID<SharedLibrary>
        /// The viewer may know who has what and who added it.
        let isInformed: Bool
        /// Words somewhere in the first 80 bytes of title or first author, folded.
        let words: String?

        // Folded words hold letters and digits only: nothing in them means anything to `like`.
        var pattern: String? { words.map { "%" + Search.Normaliser.fold($0) + "%" } }
    }

    /// One way to sort a library. Each has an index with the same columns behind `library_id`.
    protocol CopyOrder: Sendable {
        static var name: String { get }
        /// What comes before the id, and the parts of a key that those are compared with.
        static var columns: [Fragment] { get }
        static var parameters: [SQL<CopyKey>] { get }
        static var isAscending: Bool { get }
        /// Before the first copy.
        static var first: CopyKey { get }
        /// What a key needs of the whole place.
        static func key(_ key: CopyKey) -> CopyKey
    }

    enum CopiesByAdded: CopyOrder {
        static let name = "added"
        static let columns: [Fragment] = []
        static let parameters: [SQL<CopyKey>] = []
        static let isAscending = false
        static let first = CopyKey(id: .max)
        static func key(_ key: CopyKey) -> CopyKey { CopyKey(id: key.id) }
    }

    enum CopiesByTitle: CopyOrder {
        static let name = "title"
        static let columns: [Fragment] = ["copy.title_key"]
        static let parameters: [SQL<CopyKey>] = ["\(\.title)"]
        static let isAscending = true
        static let first = CopyKey(id: .min)
        static func key(_ key: CopyKey) -> CopyKey { CopyKey(title: key.title, id: key.id) }
    }

    enum CopiesByAuthor: CopyOrder {
        static let name = "author"
        static let columns: [Fragment] = ["copy.author_key", "copy.title_key"]
        static let parameters: [SQL<CopyKey>] = ["\(\.author)", "\(\.title)"]
        static let isAscending = true
        static let first = CopyKey(id: .min)
        static func key(_ key: CopyKey) -> CopyKey { key }
    }
}

extension Lending.Statements {
    /// A book, or what it was merged into, held against being merged; no row where it is not there or was withdrawn.
    struct BookOf: Statement {
        static let name = "lending.book_of"
        static let sql: SQL<Self> = """
            with target as (
                select coalesce(merged_into, id) as id from work where id = \(\.work) for share
            )
            select \(Reviews.Statements.book)
              from work
             where work.id = (select id from target)
               and work.title is not null
               and work.withdrawn_at is null
            """
        let work: ID<Catalog.Work>

        static func decode(_ row: borrowing Row) throws -> Reviews.Book { try Reviews.Statements.asBook(row, from: 0) }
    }

    /// The edition that an id means, or what it was merged into, where it is one of a work.
    struct EditionOf: Statement {
        static let name = "lending.edition_of"
        static let sql: SQL<Self> = """
            select id
              from edition
             where id = (select coalesce(named.merged_into, named.id) from edition named where named.id = \(\.edition))
               and work_id = \(\.work)
               and withdrawn_at is null
            """
        let work: ID<Catalog.Work>
        let edition: ID<Catalog.Edition>

        typealias Output = ID<Catalog.Edition>
    }

    struct InsertCopy: Statement {
        static let name = "lending.insert_copy"
        static let sql: SQL<Self> = """
            insert into copy (id, library_id, work_id, edition_id, label, added_by, title_key, author_key, added_at)
            values (\(\.id), \(\.library), \(\.book.id), \(\.edition), \(\.label), \(\.by), \(\.book.titleKey, "book.titleKey"), \(\.book.authorKey, "book.authorKey"), \(\.at))
            """
        let id: ID<Lending.Copy>
        let library: ID<Lending.SharedLibrary>
        let book: Reviews.Book
        let edition: ID<Catalog.Edition>?
        let label: String?
        let by: ID<Accounts.Account>?
        let at: Timestamp
    }

    /// Of a library that is locked.
    struct CountCopies: Statement {
        static let name = "lending.count_copies"
        static let sql: SQL<Self> =
            "update library set copies = copies + \(\.by, as: Int32.self) where id = \(\.library)"
        let library: ID<Lending.SharedLibrary>
        let by: Int
    }

    /// The library of a copy. Whether it may be seen is asked of the library.
    struct PlaceOf: Statement {
        static let name = "lending.place_of"
        static let sql: SQL<Self> = "select library_id from copy where id = \(\.copy)"
        let copy: ID<Lending.Copy>

        typealias Output = ID<Lending.SharedLibrary>
    }

    /// The columns that a copy is read from; those of `copyJoins` must be in scope.
    private static func copyColumns<S: ForViewer>() -> SQL<S> {
        """
        copy.id, copy.library_id, copy.edition_id, copy.label, adder.id, adder.username,
               \(Privacy.shown("adder.name", .name, viewer: .viewer, owner: "adder.id")), copy.added_at, open.out_at, open.due_at,
               holder.id, holder.username, \(Privacy.shown("holder.name", .name, viewer: .viewer, owner: "holder.id")),
               \(Reviews.Statements.book)
        """
    }

    /// `isInformed`: whether the viewer may know who has what and who added it.
    private static func copyJoins<S: ForViewer>(isInformed: SQL<S>) -> SQL<S> {
        """
        copy
          join work on work.id = copy.work_id
          left join account adder on adder.id = copy.added_by
           and \(isInformed)::boolean
           and \(Visibility.predicate(viewer: .viewer, owner: "copy.added_by", level: "2"))
          left join checkout open on open.copy_id = copy.id and open.returned_at is null
          left join account holder on holder.id = open.reader_id
           and (holder.id = \(.viewer)
                or \(isInformed)::boolean and \(Visibility.predicate(viewer: .viewer, owner: "open.reader_id", level: "2")))
        """
    }

    private static func asCopy(_ row: borrowing Row) throws -> Lending.Copy {
        let adder: ID<Accounts.Account>? = try row[4]
        let holder: ID<Accounts.Account>? = try row[10]
        let since: Timestamp? = try row[8]
        let dueAt: Timestamp? = try row[9]
        let reader = holder == nil ? nil : try Reviews.Statements.asReader(row, from: 10)
        return Lending.Copy(
            id: try row[0], library: try row[1], book: try Reviews.Statements.asBook(row, from: 13),
            edition: try row[2], label: try row[3],
            addedBy: adder == nil ? nil : try Reviews.Statements.asReader(row, from: 4), addedAt: try row[7],
            out: since.map { Lending.Copy.Out(since: $0, dueAt: dueAt, reader: reader) })
    }

    /// A copy of a library that the viewer is known to see.
    struct OneCopy: Statement, ForViewer {
        static let name = "lending.one_copy"
        static let sql: SQL<Self> =
            "select \(copyColumns()) from \(copyJoins(isInformed: "\(\.isInformed)")) where copy.id = \(\.copy)"
        let viewer: Viewer
        let copy: ID<Lending.Copy>
        let isInformed: Bool

        static func decode(_ row: borrowing Row) throws -> Lending.Copy { try asCopy(row) }
    }

    /// Locked against being taken.
    struct LockCopy: Statement {
        static let name = "lending.lock_copy"
        static let sql: SQL<Self> =
            "select work_id, edition_id, label, holder_id from copy where id = \(\.copy) for update"
        let copy: ID<Lending.Copy>

        struct Output: Sendable {
            let work: ID<Catalog.Work>
            let edition: ID<Catalog.Edition>?
            let label: String?
            let holder: ID<Accounts.Account>?
        }

        static func decode(_ columns: inout Columns) throws -> Output {
            Output(
                work: try columns("work_id"), edition: try columns("edition_id"), label: try columns("label"),
                holder: try columns("holder_id"))
        }
    }

    struct UpdateCopy: Statement {
        static let name = "lending.update_copy"
        static let sql: SQL<Self> = "update copy set edition_id = \(\.edition), label = \(\.label) where id = \(\.copy)"
        let copy: ID<Lending.Copy>
        let edition: ID<Catalog.Edition>?
        let label: String?
    }

    /// What was taken of it before says so no more; what it was taken for stays.
    struct DeleteCopy: Statement {
        static let name = "lending.delete_copy"
        static let sql: SQL<Self> = "delete from copy where id = \(\.copy)"
        let copy: ID<Lending.Copy>
    }

    /// Questions about a copy that is about to go.
    struct WithdrawLoansOf: Statement {
        static let name = "lending.withdraw_loans_of"
        static let sql: SQL<Self> = """
            update loan set state = 'declined', changed_at = \(\.at) where copy_id = \(\.copy) and state in ('asked', 'agreed')
            """
        let copy: ID<Lending.Copy>
        let at: Timestamp
    }

    /// A library after a place, in the order `Order`; served by that order's index, whatever the depth.
    struct CopiesAfter<Order: Lending.CopyOrder>: Statement, ForViewer {
        static var name: String { "lending.copies_by_\(Order.name)" }
        static var sql: SQL<Self> { copies(by: Order.self, isForward: true, \.query, \.key, limit: "\(\.limit)") }
        let query: Lending.CopyQuery
        var viewer: Viewer { query.viewer }
        let key: Lending.CopyKey
        let limit: Int
        static func decode(_ row: borrowing Row) throws -> Lending.Placed { try placed(row, Order.self) }
    }

    /// The same the other way: the page before.
    struct CopiesBefore<Order: Lending.CopyOrder>: Statement, ForViewer {
        static var name: String { "lending.copies_before_by_\(Order.name)" }
        static var sql: SQL<Self> { copies(by: Order.self, isForward: false, \.query, \.key, limit: "\(\.limit)") }
        let query: Lending.CopyQuery
        var viewer: Viewer { query.viewer }
        let key: Lending.CopyKey
        let limit: Int
        static func decode(_ row: borrowing Row) throws -> Lending.Placed { try placed(row, Order.self) }
    }

    private static func placed<Order: Lending.CopyOrder>(
        _ row: borrowing Row, _: Order.Type
    ) throws -> Lending.Placed {
        let copy = try asCopy(row)
        let whole = Lending.CopyKey(title: try row[17], author: try row[18], id: copy.id)
        return Lending.Placed(copy: copy, key: Order.key(whole))
    }

    private static func copies<S: ForViewer, Order: Lending.CopyOrder>(
        by _: Order.Type, isForward: Bool, _ query: any KeyPath<S, Lending.CopyQuery> & Sendable,
        _ key: any KeyPath<S, Lending.CopyKey> & Sendable, limit: SQL<S>
    ) -> SQL<S> {
        let isAscending = Order.isAscending == isForward
        let keys = Order.columns + ["copy.id"]
        let limits = Order.parameters + ["\(\.id)"]
        let (comparison, direction): (Fragment, Fragment) = isAscending ? (">", "asc") : ("<", "desc")
        let (library, isInformed): (SQL<Lending.CopyQuery>, SQL<Lending.CopyQuery>) = (
            "\(\.library)", "\(\.isInformed)"
        )
        let words: SQL<Lending.CopyQuery> = """
            (\(\.pattern, "pattern")::text is null or copy.title_key like \(\.pattern, "pattern")
                    or copy.author_key like \(\.pattern, "pattern"))
            """
        return """
            select \(copyColumns()), copy.title_key, copy.author_key
              from \(copyJoins(isInformed: isInformed.of(query)))
             where copy.library_id = \(library.of(query))
               and (\(keys.joined(separator: ", "))) \(comparison) (\(limits.map { $0.of(key) }.joined(separator: ", ")))
               and \(words.of(query))
             order by \(keys.map { "\($0) \(direction)" as Fragment }.joined(separator: ", "))
             limit \(limit)
            """
    }
}
