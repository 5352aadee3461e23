import Postgres

extension Library.Statements {
    private static func listColumns<S: ForViewer>() -> SQL<S> {
        """
        book_list.id, \(Accounts.Reader.columns(of: "reader")), book_list.title, book_list.description,
               case when book_list.reader_id = \(.viewer) then \(wanted) end as visibility,
               book_list.hidden_at is not null as is_hidden, book_list.books,
               exists (select from follow
                        where follow.list_id = book_list.id and follow.reader_id = \(.viewer)) as is_followed,
               book_list.version, book_list.created_at, book_list.changed_at
        """
    }

    /// The level that its reader wants for it.
    static let wanted: Fragment =
        "case when book_list.hidden_at is null then book_list.visibility else book_list.hidden_level end"

    private static let listJoins: Fragment = """
        book_list
          join account reader on reader.id = book_list.reader_id
          left join privacy on privacy.reader_id = book_list.reader_id
        """

    /// The number of a reader's lists, whose account is locked, and their usual level. At most `Limits.library.lists`
    /// are counted.
    struct ListsOf: Statement {
        static let sql: SQL<Self> = """
            select (select count(*) from book_list where reader_id = \(\.reader)) as count,
                   coalesce((select privacy.lists from privacy where privacy.reader_id = \(\.reader)), 2)::smallint as usual
            """
        let reader: ID<Accounts.Account>

        static func decode(_ columns: inout Columns) throws -> (count: Int, usual: Visibility) {
            (try columns("count"), try columns("usual"))
        }
    }

    struct InsertList: Statement {
        static let sql: SQL<Self> = """
            insert into book_list (id, reader_id, title, description, visibility, created_at, changed_at)
            values (\(\.id), \(\.reader), \(\.new.title), \(\.new.description), \(\.new.visibility), \(\.at), \(\.at))
            """
        let id: ID<Library.List>, reader: ID<Accounts.Account>, new: Library.NewList, at: Timestamp
    }

    /// One list, where the viewer may see it.
    struct OneList: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select \(listColumns())
              from \(listJoins)
             where book_list.id = \(\.list)
               and \(Visibility.predicate(
                    viewer: .viewer, owner: "book_list.reader_id",
                    level: """
                        case when \(\.isShared)::boolean and book_list.hidden_at is null then 3
                             else \(Privacy.level("book_list.visibility", .lists)) end
                        """))
            """
        let viewer: Viewer, list: ID<Library.List>
        /// Asked for by a link, which shows it whatever its level, unless it is hidden.
        var isShared = false
        typealias Output = Library.List
    }

    /// The lists of a reader that the viewer may see, newest first. Index `book_list_of_reader`.
    struct Lists: ListStatement, ForViewer {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>("book_list.id", "\(\.span.place)", direction)
            return """
                select \(listColumns())
                  from \(listJoins)
                 where book_list.reader_id = \(\.reader)
                   and \(keyset.condition)
                   and \(Library.List.isSeen())
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let viewer: Viewer, reader: ID<Accounts.Account>, span: Span<ID<Library.List>>
        typealias Output = Library.List
    }

    /// A reader's own list, locked against every other change of it or its books. No row for somebody else's.
    struct LockList: Statement {
        static let sql: SQL<Self> = """
            select book_list.title, book_list.description, \(wanted) as visibility, book_list.books,
                   coalesce((select privacy.lists from privacy where privacy.reader_id = \(\.reader)), 2)::smallint as usual,
                   book_list.version
              from book_list
             where book_list.id = \(\.list)
               and book_list.reader_id = \(\.reader)
               for update
            """
        let list: ID<Library.List>, reader: ID<Accounts.Account>

        struct Output: Sendable {
            let new: Library.NewList
            let books: Int
            /// The level of lists without their own.
            let usual: Visibility
            let version: Int
        }

        static func decode(_ columns: inout Columns) throws -> Output {
            Output(
                new: Library.NewList(
                    title: try columns("title"), description: try columns("description"),
                    visibility: try columns("visibility")),
                books: try columns("books"), usual: try columns("usual"), version: try columns("version"))
        }
    }

    struct UpdateList: Statement {
        static let sql: SQL<Self> = """
            update book_list
               set title = \(\.new.title),
                   description = \(\.new.description),
                   visibility = case when hidden_at is null then \(\.new.visibility)::smallint else 0::smallint end,
                   hidden_level = case when hidden_at is not null then \(\.new.visibility)::smallint end,
                   version = version + 1,
                   changed_at = \(\.at)
             where id = \(\.list)
            """
        let list: ID<Library.List>, new: Library.NewList, at: Timestamp
    }

    /// Hides a list (`at`), with the level that it is to come back with, or brings it back; touches no row where it is
    /// so already.
    struct HideList: Statement {
        static let sql: SQL<Self> = """
            update book_list
               set visibility = case when \(\.at)::timestamptz is null then hidden_level else 0::smallint end,
                   hidden_level = case when \(\.at)::timestamptz is not null then visibility end,
                   hidden_at = \(\.at),
                   version = version + 1
             where id = \(\.list)
               and (hidden_at is null) <> (\(\.at)::timestamptz is null)
            """
        let list: ID<Library.List>, at: Timestamp?
    }

    /// Its books go with it. `reader`: where it is theirs; `nil`: of any reader.
    struct DeleteList: Statement {
        static let sql: SQL<Self> =
            "delete from book_list where id = \(\.list) and reader_id = coalesce(\(\.reader), reader_id)"
        let list: ID<Library.List>, reader: ID<Accounts.Account>?
    }
}

extension Library.List: RowReadable {
    /// Reads the columns of `listColumns`.
    package init(_ columns: inout Columns) throws {
        self.init(
            id: try columns("id"), author: try Accounts.Reader(&columns), title: try columns("title"),
            description: try columns("description"), visibility: try columns("visibility"),
            isHidden: try columns("is_hidden"), bookCount: try columns("books"),
            isFollowed: try columns("is_followed"), version: try columns("version"),
            createdAt: try columns("created_at"), changedAt: try columns("changed_at"))
    }
}
