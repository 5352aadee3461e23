import Postgres

extension Library {
    static let sharingStatements: [any Statement.Type] = [
        Statements.ShareShelf.self, Statements.ShareList.self, Statements.UnshareShelf.self,
        Statements.UnshareList.self, Statements.LinkOf.self,
    ]
}

extension Library.Statements {
    struct ShareShelf: Statement {
        static let name = "library.share_shelf"
        static let sql = """
            insert into share_link (id, reader_id, digest, shelf, created_at)
            values ($1, $2, $3, $4, $5)
            on conflict (reader_id, shelf) do update
               set id = excluded.id,
                   digest = excluded.digest,
                   created_at = excluded.created_at
            """
        let id: ID<Library.Shared>
        let reader: ID<Accounts.Account>
        let digest: Bytes
        /// `nil`: the whole library.
        let shelf: Library.Status?
        let at: Timestamp

        func bind(to parameters: inout Parameters) {
            parameters.append(id)
            parameters.append(reader)
            parameters.append(digest)
            parameters.append(shelf?.rawValue ?? "all")
            parameters.append(at)
        }
    }

    /// Touches no row where the list is not the reader's.
    struct ShareList: Statement {
        static let name = "library.share_list"
        static let sql = """
            insert into share_link (id, reader_id, digest, list_id, created_at)
            select $1, reader_id, $3, id, $5 from book_list where id = $4 and reader_id = $2
            on conflict (list_id) do update
               set id = excluded.id,
                   digest = excluded.digest,
                   created_at = excluded.created_at
            """
        let id: ID<Library.Shared>
        let reader: ID<Accounts.Account>
        let digest: Bytes
        let list: ID<Library.List>
        let at: Timestamp

        func bind(to parameters: inout Parameters) {
            parameters.append(id)
            parameters.append(reader)
            parameters.append(digest)
            parameters.append(list)
            parameters.append(at)
        }
    }

    struct UnshareShelf: Statement {
        static let name = "library.unshare_shelf"
        static let sql = "delete from share_link where reader_id = $1 and shelf = $2"
        let reader: ID<Accounts.Account>
        /// `nil`: the whole library.
        let shelf: Library.Status?

        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(shelf?.rawValue ?? "all")
        }
    }

    struct UnshareList: Statement {
        static let name = "library.unshare_list"
        static let sql = "delete from share_link where reader_id = $1 and list_id = $2"
        let reader: ID<Accounts.Account>
        let list: ID<Library.List>

        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(list)
        }
    }

    /// What a link names, where the viewer may see anything public of its reader.
    struct LinkOf: Statement {
        static let name = "library.link_of"
        static let sql = """
            select reader.id, reader.username,
                   \(Privacy.shown("reader.name", .name, viewer: "$1", owner: "reader.id")),
                   nullif(share_link.shelf, 'all'), share_link.list_id
              from share_link
              join account reader on reader.id = share_link.reader_id
             where share_link.digest = $2
               and \(Visibility.predicate(viewer: "$1", owner: "share_link.reader_id", level: "3"))
            """
        let viewer: Viewer
        let digest: Bytes

        struct Output: Sendable {
            let reader: Accounts.Reader
            /// `nil` for a list, and for the whole library.
            let shelf: Library.Status?
            let list: ID<Library.List>?
        }

        func bind(to parameters: inout Parameters) {
            parameters.append(viewer)
            parameters.append(digest)
        }

        static func decode(_ row: borrowing Row) throws -> Output {
            Output(reader: try Reviews.Statements.asReader(row, from: 0), shelf: try row[3], list: try row[4])
        }
    }
}
