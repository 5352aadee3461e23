import Postgres

extension Library {
    static let listStatements: [any Statement.Type] = [
        Statements.ListsOf.self, Statements.InsertList.self, Statements.OneList.self, Statements.ListsAfter.self,
        Statements.ListsBefore.self, Statements.LockList.self, Statements.UpdateList.self, Statements.DeleteList.self,
    ]
}

extension Library.Statements {
    private static let listColumns = """
        book_list.id, reader.id, reader.username, \(Privacy.shown("reader.name", .name, viewer: "$1", owner: "reader.id")), book_list.title, book_list.description,
               case when book_list.reader_id = $1 then book_list.visibility end, book_list.books, book_list.version,
               book_list.created_at, book_list.changed_at
        """

    private static let listJoins = """
        book_list
          join account reader on reader.id = book_list.reader_id
          left join privacy on privacy.reader_id = book_list.reader_id
        """

    private static let listSeen = Visibility.predicate(
        viewer: "$1", owner: "book_list.reader_id", level: "coalesce(book_list.visibility, privacy.lists, 2)")

    private static func asList(_ row: borrowing Row) throws -> Library.List {
        let books: Int32 = try row[7]
        let version: Int32 = try row[8]
        return Library.List(
            id: try row[0], reader: try Reviews.Statements.asReader(row, from: 1), title: try row[4],
            description: try row[5], visibility: try row[6], books: Int(books), version: Int(version),
            createdAt: try row[9], changedAt: try row[10])
    }

    /// The number of a reader's lists, whose account is locked, and their usual level. At most `Limits.Library.lists` are counted.
    struct ListsOf: Statement {
        static let name = "library.lists_of"
        static let sql = """
            select (select count(*) from book_list where reader_id = $1),
                   coalesce((select privacy.lists from privacy where privacy.reader_id = $1), 2)::smallint
            """
        let reader: ID<Accounts.Account>

        func bind(to parameters: inout Parameters) { parameters.append(reader) }
        static func decode(_ row: borrowing Row) throws -> (count: Int, usual: Visibility) { (try row[0], try row[1]) }
    }

    struct InsertList: Statement {
        static let name = "library.insert_list"
        static let sql = """
            insert into book_list (id, reader_id, title, description, visibility, created_at, changed_at)
            values ($1, $2, $3, $4, $5, $6, $6)
            """
        let id: ID<Library.List>
        let reader: ID<Accounts.Account>
        let new: Library.NewList
        let at: Timestamp

        func bind(to parameters: inout Parameters) {
            parameters.append(id)
            parameters.append(reader)
            parameters.append(new.title)
            parameters.append(new.description)
            parameters.append(new.visibility)
            parameters.append(at)
        }
    }

    /// One list, where the viewer may see it.
    struct OneList: Statement {
        static let name = "library.one_list"
        static let sql = """
            select \(listColumns)
              from \(listJoins)
             where book_list.id = $2
               and \(Visibility.predicate(
                    viewer: "$1", owner: "book_list.reader_id",
                    level: "case when $3::boolean then 3 else coalesce(book_list.visibility, privacy.lists, 2) end"))
            """
        let viewer: Viewer
        let list: ID<Library.List>
        /// Asked for by a link, which shows it whatever its level.
        var isShared = false

        func bind(to parameters: inout Parameters) {
            parameters.append(viewer)
            parameters.append(list)
            parameters.append(isShared)
        }
        static func decode(_ row: borrowing Row) throws -> Library.List { try asList(row) }
    }

    /// The lists of a reader that the viewer may see, newest first. Index `book_list_of_reader`.
    struct ListsAfter: Statement {
        static let name = "library.lists_after"
        static let sql = """
            select \(listColumns)
              from \(listJoins)
             where book_list.reader_id = $2
               and book_list.id < $3
               and \(listSeen)
             order by book_list.id desc
             limit $4
            """
        let viewer: Viewer
        let reader: ID<Accounts.Account>
        let after: ID<Library.List>
        let limit: Int

        func bind(to parameters: inout Parameters) {
            parameters.append(viewer)
            parameters.append(reader)
            parameters.append(after)
            parameters.append(limit)
        }
        static func decode(_ row: borrowing Row) throws -> Library.List { try asList(row) }
    }

    /// The same the other way, oldest first: the page before.
    struct ListsBefore: Statement {
        static let name = "library.lists_before"
        static let sql = """
            select \(listColumns)
              from \(listJoins)
             where book_list.reader_id = $2
               and book_list.id > $3
               and \(listSeen)
             order by book_list.id
             limit $4
            """
        let viewer: Viewer
        let reader: ID<Accounts.Account>
        let before: ID<Library.List>
        let limit: Int

        func bind(to parameters: inout Parameters) {
            parameters.append(viewer)
            parameters.append(reader)
            parameters.append(before)
            parameters.append(limit)
        }
        static func decode(_ row: borrowing Row) throws -> Library.List { try asList(row) }
    }

    /// A reader's own list, locked against every other change of it or its books. No row for somebody else's.
    struct LockList: Statement {
        static let name = "library.lock_list"
        static let sql = """
            select book_list.title, book_list.description, book_list.visibility, book_list.books,
                   coalesce((select privacy.lists from privacy where privacy.reader_id = $2), 2)::smallint,
                   book_list.version
              from book_list
             where book_list.id = $1
               and book_list.reader_id = $2
               for update
            """
        let list: ID<Library.List>
        let reader: ID<Accounts.Account>

        func bind(to parameters: inout Parameters) {
            parameters.append(list)
            parameters.append(reader)
        }

        struct Output: Sendable {
            let new: Library.NewList
            let books: Int
            /// The level of lists without their own.
            let usual: Visibility
            let version: Int
        }

        static func decode(_ row: borrowing Row) throws -> Output {
            let (books, version): (Int32, Int32) = (try row[3], try row[5])
            return Output(
                new: Library.NewList(title: try row[0], description: try row[1], visibility: try row[2]),
                books: Int(books), usual: try row[4], version: Int(version))
        }
    }

    struct UpdateList: Statement {
        static let name = "library.update_list"
        static let sql = """
            update book_list
               set title = $2,
                   description = $3,
                   visibility = $4,
                   version = version + 1,
                   changed_at = $5
             where id = $1
            """
        let list: ID<Library.List>
        let new: Library.NewList
        let at: Timestamp

        func bind(to parameters: inout Parameters) {
            parameters.append(list)
            parameters.append(new.title)
            parameters.append(new.description)
            parameters.append(new.visibility)
            parameters.append(at)
        }
    }

    /// Its books go with it.
    struct DeleteList: Statement {
        static let name = "library.delete_list"
        static let sql = "delete from book_list where id = $1 and reader_id = $2"
        let list: ID<Library.List>
        let reader: ID<Accounts.Account>

        func bind(to parameters: inout Parameters) {
            parameters.append(list)
            parameters.append(reader)
        }
    }
}
