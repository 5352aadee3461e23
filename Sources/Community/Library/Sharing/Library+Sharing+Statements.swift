import Postgres

extension Library.Statements {
    struct ShareShelf: Statement {
        static let sql: SQL<Self> = """
            insert into share_link (id, reader_id, digest, shelf, created_at)
            values (\(\.id), \(\.reader), \(\.digest), \(\.shelfName, "shelfName"), \(\.at))
            on conflict (reader_id, shelf) do update
               set id = excluded.id,
                   digest = excluded.digest,
                   created_at = excluded.created_at
            """
        let id: ID<Library.Shared>, reader: ID<Accounts.Account>, digest: Bytes
        /// `nil`: the whole library.
        let shelf: Library.Status?, at: Timestamp
        private var shelfName: String { shelf?.rawValue ?? "all" }
    }

    /// Touches no row where the list is not the reader's.
    struct ShareList: Statement {
        static let sql: SQL<Self> = """
            insert into share_link (id, reader_id, digest, list_id, created_at)
            select \(\.id), reader_id, \(\.digest), id, \(\.at) from book_list where id = \(\.list) and reader_id = \(\.reader)
            on conflict (list_id) do update
               set id = excluded.id,
                   digest = excluded.digest,
                   created_at = excluded.created_at
            """
        let id: ID<Library.Shared>, reader: ID<Accounts.Account>, digest: Bytes, list: ID<Library.List>, at: Timestamp
    }

    struct UnshareShelf: Statement {
        static let sql: SQL<Self> =
            "delete from share_link where reader_id = \(\.reader) and shelf = \(\.shelfName, "shelfName")"
        let reader: ID<Accounts.Account>
        /// `nil`: the whole library.
        let shelf: Library.Status?
        private var shelfName: String { shelf?.rawValue ?? "all" }
    }

    struct UnshareList: Statement {
        static let sql: SQL<Self> = "delete from share_link where reader_id = \(\.reader) and list_id = \(\.list)"
        let reader: ID<Accounts.Account>, list: ID<Library.List>
    }

    /// What a link names, where the viewer may see anything public of its reader.
    struct LinkOf: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select \(Accounts.Reader.columns(of: "reader")), nullif(share_link.shelf, 'all') as shelf, share_link.list_id
              from share_link
              join account reader on reader.id = share_link.reader_id
             where share_link.digest = \(\.digest)
               and \(Visibility.predicate(viewer: .viewer, owner: "share_link.reader_id", level: "3"))
            """
        let viewer: Viewer, digest: Bytes

        struct Output: Sendable {
            let reader: Accounts.Reader
            /// `nil` for a list, and for the whole library.
            let shelf: Library.Status?
            let list: ID<Library.List>?
        }

        static func decode(_ columns: inout Columns) throws -> Output {
            Output(reader: try Accounts.Reader(&columns), shelf: try columns("shelf"), list: try columns("list_id"))
        }
    }
}
