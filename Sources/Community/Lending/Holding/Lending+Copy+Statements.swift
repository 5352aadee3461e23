import Postgres

extension Lending {
    /// One library's copies as one viewer asks for them.
    struct CopyQuery: Sendable {
        let viewer: Viewer
        let library: ID<SharedLibrary>
        /// The viewer may know who has what and who added it.
        let isInformed: Bool
        /// Words somewhere in the first 80 bytes of title or first author, folded.
        let words: String?

        // Folded words hold letters and digits only: nothing in them means anything to `like`.
        var pattern: String? { words.map { "%" + Normaliser.fold($0) + "%" } }
    }

}

/// Each has an index with the same columns behind `library_id`.
extension Lending.Sort: ListOrder {
    var columns: [Fragment] {
        switch self {
        case .added: ["copy.id"]
        case .title: ["copy.title_key", "copy.id"]
        case .author: ["copy.author_key", "copy.title_key", "copy.id"]
        }
    }

    var parameters: [SQL<Lending.CopyKey>] {
        switch self {
        case .added: ["\(\.id)"]
        case .title: ["\(\.title)", "\(\.id)"]
        case .author: ["\(\.author)", "\(\.title)", "\(\.id)"]
        }
    }

    var isAscending: Bool { self != .added }
    var first: Lending.CopyKey { Lending.CopyKey(id: isAscending ? .min : .max) }
    var last: Lending.CopyKey {
        switch self {
        case .added: Lending.CopyKey(id: .min)
        case .title: Lending.CopyKey(title: Catalog.Browse.beyond, id: .max)
        case .author: Lending.CopyKey(title: Catalog.Browse.beyond, author: Catalog.Browse.beyond, id: .max)
        }
    }

    /// What it needs of the whole key.
    func key(_ whole: Lending.CopyKey) -> Lending.CopyKey {
        switch self {
        case .added: Lending.CopyKey(id: whole.id)
        case .title: Lending.CopyKey(title: whole.title, id: whole.id)
        case .author: whole
        }
    }
}

extension Lending.Statements {
    /// A book, or what it was merged into, held against being merged; no row where it is not there or was withdrawn.
    struct BookOf: Statement {
        static let sql: SQL<Self> = """
            with target as (
                \(Catalog.held("\(\.work)"))
            )
            select \(Catalog.Book.columns)
              from work
             where work.id = (select id from target)
               and work.title is not null
               and work.withdrawn_at is null
            """
        let work: ID<Catalog.Work>
        typealias Output = Catalog.Book
    }

    /// The edition that an id means, or what it was merged into, where it is one of a work.
    struct EditionOf: Statement {
        static let sql: SQL<Self> = """
            select id
              from edition
             where id = (select coalesce(named.merged_into, named.id) from edition named where named.id = \(\.edition))
               and work_id = \(\.work)
               and withdrawn_at is null
            """
        let work: ID<Catalog.Work>, edition: ID<Catalog.Edition>
        typealias Output = ID<Catalog.Edition>
    }

    struct InsertCopy: Statement {
        static let sql: SQL<Self> = """
            insert into copy (id, library_id, work_id, edition_id, label, added_by, title_key, author_key, added_at)
            values (\(\.id), \(\.library), \(\.book.id), \(\.edition), \(\.label), \(\.by), \(\.book.titleKey, "book.titleKey"), \(\.book.authorKey, "book.authorKey"), \(\.at))
            """
        let id: ID<Lending.Copy>, library: ID<Lending.SharedLibrary>, book: Catalog.Book, edition: ID<Catalog.Edition>?
        let label: String?, by: ID<Accounts.Account>?, at: Timestamp
    }

    /// Of a library that is locked.
    struct CountCopies: Statement {
        static let sql: SQL<Self> =
            "update library set copies = copies + \(\.by, as: Int32.self) where id = \(\.library)"
        let library: ID<Lending.SharedLibrary>, by: Int
    }

    /// The library of a copy. Whether it may be seen is asked of the library.
    struct PlaceOf: Statement {
        static let sql: SQL<Self> = "select library_id from copy where id = \(\.copy)"
        let copy: ID<Lending.Copy>
        typealias Output = ID<Lending.SharedLibrary>
    }

    /// The columns that a copy is read from; those of `copyJoins` must be in scope.
    private static func copyColumns<S: ForViewer>() -> SQL<S> {
        """
        copy.id, copy.library_id, \(Catalog.Book.columns), copy.edition_id, copy.label,
               \(Accounts.Reader.columns(of: "adder")), copy.added_at, open.out_at, open.due_at,
               \(Accounts.Reader.columns(of: "holder"))
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

    /// A copy of a library that the viewer is known to see.
    struct OneCopy: Statement, ForViewer {
        static let sql: SQL<Self> =
            "select \(copyColumns()) from \(copyJoins(isInformed: "\(\.isInformed)")) where copy.id = \(\.copy)"
        let viewer: Viewer, copy: ID<Lending.Copy>, isInformed: Bool
        typealias Output = Lending.Copy
    }

    /// Locked against being taken.
    struct LockCopy: Statement {
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
        static let sql: SQL<Self> = "update copy set edition_id = \(\.edition), label = \(\.label) where id = \(\.copy)"
        let copy: ID<Lending.Copy>, edition: ID<Catalog.Edition>?, label: String?
    }

    /// What was taken of it before says so no more; what it was taken for stays.
    struct DeleteCopy: Statement {
        static let sql: SQL<Self> = "delete from copy where id = \(\.copy)"
        let copy: ID<Lending.Copy>
    }

    /// Questions about a copy that is about to go.
    struct WithdrawLoansOf: Statement {
        static let sql: SQL<Self> = """
            update loan set state = 'declined', changed_at = \(\.at) where copy_id = \(\.copy) and state in ('asked', 'agreed')
            """
        let copy: ID<Lending.Copy>, at: Timestamp
    }

    /// A part of a library, served by the index of its order, whatever the depth.
    struct CopiesBy: ListStatement, ForViewer {
        static func sql(_ variation: Both<Lending.Sort, Direction>) -> SQL<Self> {
            let keyset = variation.first.keyset(at: \Self.span.place, variation.second)
            return """
                select \(copyColumns()), copy.title_key, copy.author_key
                  from \(copyJoins(isInformed: "\(\.query.isInformed)"))
                 where copy.library_id = \(\.query.library)
                   and \(keyset.condition)
                   and (\(\.query.pattern, "query.pattern")::text is null or copy.title_key like \(\.query.pattern, "query.pattern")
                        or copy.author_key like \(\.query.pattern, "query.pattern"))
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }

        let query: Lending.CopyQuery, sort: Lending.Sort, span: Span<Lending.CopyKey>
        var viewer: Viewer { query.viewer }
        var variation: Both<Lending.Sort, Direction> { Both(sort, span.direction) }

        /// The key is whole, whatever the order.
        static func decode(_ columns: inout Columns) throws -> Lending.Placed {
            let copy = try Lending.Copy(&columns)
            return Lending.Placed(
                copy: copy,
                key: Lending.CopyKey(title: try columns("title_key"), author: try columns("author_key"), id: copy.id))
        }
    }
}

extension Lending.Copy: RowReadable {
    /// Reads the columns of `copyColumns`.
    package init(_ columns: inout Columns) throws {
        self.init(
            id: try columns("id"), library: try columns("library_id"), book: try Catalog.Book(&columns),
            edition: try columns("edition_id"), label: try columns("label"),
            addedBy: try columns.part(through: "shown", Accounts.Reader.init), addedAt: try columns("added_at"),
            out: try columns.part(through: "shown") {
                Out(
                    outAt: try $0("out_at"), dueAt: try $0("due_at"),
                    reader: try $0.part(through: "shown", Accounts.Reader.init))
            })
    }
}
