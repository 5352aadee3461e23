import Postgres

extension Places.Statements {
    static let bookmarkStatements: [any Statement.Type] = [
        BookmarksIn.self, InsertBookmark.self, UpdateBookmark.self, DeleteBookmark.self, OneBookmark.self,
        Bookmarks<OldestFirst>.self, Bookmarks<NewestFirst>.self, AllBookmarks<NewestFirst>.self,
        AllBookmarks<OldestFirst>.self, Remember.self, MoveBookmarks.self, RemoveBookmarks.self,
    ]

    /// How many bookmarks a reader has in a work, counted to the limit.
    struct BookmarksIn: Statement {
        static let name = "places.bookmarks_in"
        static let sql: SQL<Self> = """
            select count(*)
              from (select 1 from bookmark where reader_id = \(\.reader) and work_id = \(\.work) limit \(Limits.Places.bookmarks)) held
            """
        let reader: ID<Accounts.Account>
        let work: ID<Catalog.Work>

        typealias Output = Int
    }

    struct InsertBookmark: Statement {
        static let name = "places.insert_bookmark"
        static let sql: SQL<Self> = """
            insert into bookmark (id, reader_id, work_id, position, page, label, created_at, changed_at)
            values (\(\.id), \(\.reader), \(\.work), \(\.position, as: Int16.self), \(\.page, as: Int32.self), \(\.label), \(\.at), \(\.at))
            """
        let id: ID<Places.Bookmark>
        let reader: ID<Accounts.Account>
        let work: ID<Catalog.Work>
        let position: Int
        let page: Int?
        let label: String?
        let at: Timestamp
    }

    struct UpdateBookmark: Statement {
        static let name = "places.update_bookmark"
        static let sql: SQL<Self> = """
            update bookmark
               set position = \(\.position, as: Int16.self),
                   page = \(\.page, as: Int32.self),
                   label = \(\.label),
                   version = version + 1,
                   changed_at = \(\.at)
             where id = \(\.id)
            """
        let id: ID<Places.Bookmark>
        let position: Int
        let page: Int?
        let label: String?
        let at: Timestamp
    }

    struct DeleteBookmark: Statement {
        static let name = "places.delete_bookmark"
        static let sql: SQL<Self> = "delete from bookmark where id = \(\.id) and reader_id = \(\.reader)"
        let id: ID<Places.Bookmark>
        let reader: ID<Accounts.Account>
    }

    private static let bookmarkColumns: Fragment = """
        bookmark.id, bookmark.position, bookmark.page, bookmark.label, bookmark.version, bookmark.created_at,
               bookmark.changed_at, \(Reviews.Statements.book)
        """

    private static func asBookmark(_ row: borrowing Row) throws -> Places.Bookmark {
        let position: Int16 = try row[1]
        let page: Int32? = try row[2]
        let version: Int32 = try row[4]
        return Places.Bookmark(
            id: try row[0], book: try Reviews.Statements.asBook(row, from: 7), position: Int(position),
            page: page.map(Int.init), label: try row[3], version: Int(version), createdAt: try row[5],
            changedAt: try row[6])
    }

    struct OneBookmark: Statement {
        static let name = "places.one_bookmark"
        static let sql: SQL<Self> = """
            select \(bookmarkColumns)
              from bookmark
              join work on work.id = bookmark.work_id
             where bookmark.id = \(\.id)
               and bookmark.reader_id = \(\.reader)
            """
        let id: ID<Places.Bookmark>
        let reader: ID<Accounts.Account>

        static func decode(_ row: borrowing Row) throws -> Places.Bookmark { try asBookmark(row) }
    }

    /// A reader's bookmarks in one work, or in what it was merged into. Index `bookmark_in_book`.
    struct Bookmarks<Way: ListWay>: Statement {
        static var name: String { "places.bookmarks_in_book_\(Way.name)" }
        static var sql: SQL<Self> {
            """
            select \(bookmarkColumns)
              from bookmark
              join work on work.id = bookmark.work_id
             where bookmark.reader_id = \(\.reader)
               and bookmark.work_id = \(Reviews.Statements.target("\(\.work)"))
               and (bookmark.position, bookmark.id) \(Way.comparison) (\(\.place.position, as: Int16.self), \(\.place.id))
             order by bookmark.position \(Way.order), bookmark.id \(Way.order)
             limit \(\.limit)
            """
        }
        let reader: ID<Accounts.Account>
        let work: ID<Catalog.Work>
        let place: Places.BookmarkKey
        let limit: Int

        static func decode(_ row: borrowing Row) throws -> Places.Bookmark { try asBookmark(row) }
    }

    /// A reader's bookmarks in all works. Index `bookmark_of_reader`.
    struct AllBookmarks<Way: ListWay>: Statement {
        static var name: String { "places.all_bookmarks_\(Way.name)" }
        static var sql: SQL<Self> {
            """
            select \(bookmarkColumns)
              from bookmark
              join work on work.id = bookmark.work_id
             where bookmark.reader_id = \(\.reader)
               and bookmark.id \(Way.comparison) \(\.place)
             order by bookmark.id \(Way.order)
             limit \(\.limit)
            """
        }
        let reader: ID<Accounts.Account>
        let place: ID<Places.Bookmark>
        let limit: Int

        static func decode(_ row: borrowing Row) throws -> Places.Bookmark { try asBookmark(row) }
    }

    /// The pages of the reader's own copy, said with a bookmark.
    struct Remember: Statement {
        static let name = "places.remember"
        static let sql: SQL<Self> = "update shelf_entry set pages = \(\.pages, as: Int32.self) where id = \(\.entry)"
        let entry: ID<Library.Entry>
        let pages: Int
    }

    struct MoveBookmarks: Catalog.Moving {
        static let name = "places.move_bookmarks"
        static let sql = "update bookmark set work_id = $2 where work_id = $1"
        let from: ID<Catalog.Work>
        let into: ID<Catalog.Work>
    }

    struct RemoveBookmarks: Statement {
        static let name = "places.remove_bookmarks"
        static let sql: SQL<Self> = "delete from bookmark where reader_id = \(\.reader)"
        let reader: ID<Accounts.Account>
    }
}
