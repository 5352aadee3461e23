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

        /// $1 to $5.
        func bind(to parameters: inout Parameters, limit: Int) {
            parameters.append(viewer)
            parameters.append(library)
            parameters.append(isInformed)
            parameters.append(limit)
            // Folded words hold letters and digits only: nothing in them means anything to `like`.
            parameters.append(words.map { "%" + Search.Normaliser.fold($0) + "%" })
        }
    }

    /// One way to sort a library. Each has an index with the same columns behind `library_id`.
    protocol CopyOrder: Sendable {
        static var name: String { get }
        /// SQL of what comes before the id; compared with the parameters from $6 on.
        static var columns: [String] { get }
        static var isAscending: Bool { get }
        /// Before the first copy.
        static var first: CopyKey { get }
        static func bind(_ key: CopyKey, to parameters: inout Parameters)
        /// What a key needs of the whole place.
        static func key(_ key: CopyKey) -> CopyKey
    }

    enum CopiesByAdded: CopyOrder {
        static let name = "added"
        static let columns: [String] = []
        static let isAscending = false
        static let first = CopyKey(id: .max)
        static func bind(_ key: CopyKey, to parameters: inout Parameters) {}
        static func key(_ key: CopyKey) -> CopyKey { CopyKey(id: key.id) }
    }

    enum CopiesByTitle: CopyOrder {
        static let name = "title"
        static let columns = ["copy.title_key"]
        static let isAscending = true
        static let first = CopyKey(id: .min)
        static func bind(_ key: CopyKey, to parameters: inout Parameters) { parameters.append(key.title) }
        static func key(_ key: CopyKey) -> CopyKey { CopyKey(title: key.title, id: key.id) }
    }

    enum CopiesByAuthor: CopyOrder {
        static let name = "author"
        static let columns = ["copy.author_key", "copy.title_key"]
        static let isAscending = true
        static let first = CopyKey(id: .min)
        static func bind(_ key: CopyKey, to parameters: inout Parameters) {
            parameters.append(key.author)
            parameters.append(key.title)
        }
        static func key(_ key: CopyKey) -> CopyKey { key }
    }
}

extension Lending.Statements {
    /// A book, or what it was merged into, held against being merged; no row where it is not there or was withdrawn.
    struct BookOf: Statement {
        static let name = "lending.book_of"
        static let sql = """
            with target as (
                select coalesce(merged_into, id) as id from work where id = $1 for share
            )
            select \(Reviews.Statements.book)
              from work
             where work.id = (select id from target)
               and work.title is not null
               and work.withdrawn_at is null
            """
        let work: ID<Catalog.Work>

        func bind(to parameters: inout Parameters) { parameters.append(work) }
        static func decode(_ row: borrowing Row) throws -> Reviews.Book { try Reviews.Statements.asBook(row, from: 0) }
    }

    /// The edition that an id means, or what it was merged into, where it is one of a work.
    struct EditionOf: Statement {
        static let name = "lending.edition_of"
        static let sql = """
            select id
              from edition
             where id = (select coalesce(named.merged_into, named.id) from edition named where named.id = $2)
               and work_id = $1
               and withdrawn_at is null
            """
        let work: ID<Catalog.Work>
        let edition: ID<Catalog.Edition>

        func bind(to parameters: inout Parameters) {
            parameters.append(work)
            parameters.append(edition)
        }
        static func decode(_ row: borrowing Row) throws -> ID<Catalog.Edition> { try row[0] }
    }

    struct InsertCopy: Statement {
        static let name = "lending.insert_copy"
        static let sql = """
            insert into copy (id, library_id, work_id, edition_id, label, added_by, title_key, author_key, added_at)
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            """
        let id: ID<Lending.Copy>
        let library: ID<Lending.SharedLibrary>
        let book: Reviews.Book
        let edition: ID<Catalog.Edition>?
        let label: String?
        let by: ID<Accounts.Account>?
        let at: Timestamp

        func bind(to parameters: inout Parameters) {
            parameters.append(id)
            parameters.append(library)
            parameters.append(book.id)
            parameters.append(edition)
            parameters.append(label)
            parameters.append(by)
            parameters.append(book.titleKey)
            parameters.append(book.authorKey)
            parameters.append(at)
        }
    }

    /// Of a library that is locked.
    struct CountCopies: Statement {
        static let name = "lending.count_copies"
        static let sql = "update library set copies = copies + $2 where id = $1"
        let library: ID<Lending.SharedLibrary>
        let by: Int

        func bind(to parameters: inout Parameters) {
            parameters.append(library)
            parameters.append(Int32(by))
        }
    }

    /// The library of a copy. Whether it may be seen is asked of the library.
    struct PlaceOf: Statement {
        static let name = "lending.place_of"
        static let sql = "select library_id from copy where id = $1"
        let copy: ID<Lending.Copy>

        func bind(to parameters: inout Parameters) { parameters.append(copy) }
        static func decode(_ row: borrowing Row) throws -> ID<Lending.SharedLibrary> { try row[0] }
    }

    /// The columns that a copy is read from; those of `copyJoins` must be in scope.
    private static let copyColumns = """
        copy.id, copy.library_id, copy.edition_id, copy.label, adder.id, adder.username,
               \(Privacy.shown("adder.name", .name, viewer: "$1", owner: "adder.id")), copy.added_at, open.out_at, open.due_at,
               holder.id, holder.username, \(Privacy.shown("holder.name", .name, viewer: "$1", owner: "holder.id")),
               \(Reviews.Statements.book)
        """

    /// $1 looks; $3: whether that viewer is informed.
    private static let copyJoins = """
        copy
          join work on work.id = copy.work_id
          left join account adder on adder.id = copy.added_by
           and $3::boolean
           and \(Visibility.predicate(viewer: "$1", owner: "copy.added_by", level: "2"))
          left join checkout open on open.copy_id = copy.id and open.returned_at is null
          left join account holder on holder.id = open.reader_id
           and (holder.id = $1
                or $3::boolean and \(Visibility.predicate(viewer: "$1", owner: "open.reader_id", level: "2")))
        """

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
    struct OneCopy: Statement {
        static let name = "lending.one_copy"
        static let sql = "select \(copyColumns) from \(copyJoins) where copy.id = $2"
        let viewer: Viewer
        let copy: ID<Lending.Copy>
        let isInformed: Bool

        func bind(to parameters: inout Parameters) {
            parameters.append(viewer)
            parameters.append(copy)
            parameters.append(isInformed)
        }
        static func decode(_ row: borrowing Row) throws -> Lending.Copy { try asCopy(row) }
    }

    /// Locked against being taken.
    struct LockCopy: Statement {
        static let name = "lending.lock_copy"
        static let sql = "select work_id, edition_id, label, holder_id from copy where id = $1 for update"
        let copy: ID<Lending.Copy>

        func bind(to parameters: inout Parameters) { parameters.append(copy) }

        struct Output: Sendable {
            let work: ID<Catalog.Work>
            let edition: ID<Catalog.Edition>?
            let label: String?
            let holder: ID<Accounts.Account>?
        }

        static func decode(_ row: borrowing Row) throws -> Output {
            Output(work: try row[0], edition: try row[1], label: try row[2], holder: try row[3])
        }
    }

    struct UpdateCopy: Statement {
        static let name = "lending.update_copy"
        static let sql = "update copy set edition_id = $2, label = $3 where id = $1"
        let copy: ID<Lending.Copy>
        let edition: ID<Catalog.Edition>?
        let label: String?

        func bind(to parameters: inout Parameters) {
            parameters.append(copy)
            parameters.append(edition)
            parameters.append(label)
        }
    }

    /// What was taken of it before says so no more; what it was taken for stays.
    struct DeleteCopy: Statement {
        static let name = "lending.delete_copy"
        static let sql = "delete from copy where id = $1"
        let copy: ID<Lending.Copy>

        func bind(to parameters: inout Parameters) { parameters.append(copy) }
    }

    /// Questions about a copy that is about to go.
    struct WithdrawLoansOf: Statement {
        static let name = "lending.withdraw_loans_of"
        static let sql = """
            update loan set state = 'declined', changed_at = $2 where copy_id = $1 and state in ('asked', 'agreed')
            """
        let copy: ID<Lending.Copy>
        let at: Timestamp

        func bind(to parameters: inout Parameters) {
            parameters.append(copy)
            parameters.append(at)
        }
    }

    /// A library after a place, in the order `Order`; served by that order's index, whatever the depth.
    struct CopiesAfter<Order: Lending.CopyOrder>: Statement {
        static var name: String { "lending.copies_by_\(Order.name)" }
        static var sql: String { copies(Order.self, isForward: true) }
        let query: Lending.CopyQuery
        let key: Lending.CopyKey
        let limit: Int

        func bind(to parameters: inout Parameters) {
            query.bind(to: &parameters, limit: limit)
            Order.bind(key, to: &parameters)
            parameters.append(key.id)
        }
        static func decode(_ row: borrowing Row) throws -> Lending.Placed { try placed(row, Order.self) }
    }

    /// The same the other way: the page before.
    struct CopiesBefore<Order: Lending.CopyOrder>: Statement {
        static var name: String { "lending.copies_before_by_\(Order.name)" }
        static var sql: String { copies(Order.self, isForward: false) }
        let query: Lending.CopyQuery
        let key: Lending.CopyKey
        let limit: Int

        func bind(to parameters: inout Parameters) {
            query.bind(to: &parameters, limit: limit)
            Order.bind(key, to: &parameters)
            parameters.append(key.id)
        }
        static func decode(_ row: borrowing Row) throws -> Lending.Placed { try placed(row, Order.self) }
    }

    private static func placed<Order: Lending.CopyOrder>(
        _ row: borrowing Row, _: Order.Type
    ) throws -> Lending.Placed {
        let copy = try asCopy(row)
        let whole = Lending.CopyKey(title: try row[17], author: try row[18], id: copy.id)
        return Lending.Placed(copy: copy, key: Order.key(whole))
    }

    private static func copies<Order: Lending.CopyOrder>(_: Order.Type, isForward: Bool) -> String {
        let isAscending = Order.isAscending == isForward
        let keys = Order.columns + ["copy.id"]
        let limits = keys.indices.map { "$\(6 + $0)" }
        let direction = isAscending ? "asc" : "desc"
        return """
            select \(copyColumns), copy.title_key, copy.author_key
              from \(copyJoins)
             where copy.library_id = $2
               and (\(keys.joined(separator: ", "))) \(isAscending ? ">" : "<") (\(limits.joined(separator: ", ")))
               and ($5::text is null or copy.title_key like $5 or copy.author_key like $5)
             order by \(keys.map { "\($0) \(direction)" }.joined(separator: ", "))
             limit $4
            """
    }
}
