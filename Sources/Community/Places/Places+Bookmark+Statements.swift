import Postgres

extension Places.Statements {
    /// How many bookmarks a reader has in a work, counted to the limit.
    struct BookmarksIn: Statement {
        static let sql: SQL<Self> = """
            select count(*)
              from (select 1 from bookmark where reader_id = \(\.reader) and work_id = \(\.work) limit \(Limits.places.bookmarks)) held
            """
        let reader: ID<Accounts.Account>, work: ID<Catalog.Work>
        typealias Output = Int
    }

    struct InsertBookmark: Statement {
        static let sql: SQL<Self> = """
            insert into bookmark (id, reader_id, work_id, position, page, ebook_id, ebook_chapter, ebook_start, ebook_words, label,
                                  created_at, changed_at)
            values (\(\.id), \(\.reader), \(\.work), \(\.mark.position, as: Int16.self), \(\.mark.page, as: Int32.self), \(\.mark.ebook),
                    \(\.mark.chapter, as: Int32.self), \(\.mark.start, as: Int32.self), \(\.mark.words), \(\.label), \(\.at), \(\.at))
            """
        let id: ID<Places.Bookmark>, reader: ID<Accounts.Account>, work: ID<Catalog.Work>, mark: Places.Mark
        let label: String?, at: Timestamp
    }

    struct UpdateBookmark: Statement {
        static let sql: SQL<Self> = """
            update bookmark
               set position = \(\.mark.position, as: Int16.self),
                   page = \(\.mark.page, as: Int32.self),
                   ebook_id = \(\.mark.ebook),
                   ebook_chapter = \(\.mark.chapter, as: Int32.self),
                   ebook_start = \(\.mark.start, as: Int32.self),
                   ebook_words = \(\.mark.words),
                   label = \(\.label),
                   version = version + 1,
                   changed_at = \(\.at)
             where id = \(\.id)
            """
        let id: ID<Places.Bookmark>, mark: Places.Mark, label: String?, at: Timestamp
    }

    /// Where a bookmark lies, as it was kept.
    struct MarkOf: Statement {
        static let sql: SQL<Self> = """
            select position, page, ebook_id, ebook_chapter, ebook_start, ebook_words from bookmark where id = \(\.bookmark)
            """
        let bookmark: ID<Places.Bookmark>

        static func decode(_ columns: inout Columns) throws -> Places.Mark {
            Places.Mark(
                position: try columns("position"), page: try columns("page"), anchor: try Places.Anchor(&columns),
                words: try columns("ebook_words"))
        }
    }

    struct DeleteBookmark: Statement {
        static let sql: SQL<Self> = "delete from bookmark where id = \(\.id) and reader_id = \(\.reader)"
        let id: ID<Places.Bookmark>, reader: ID<Accounts.Account>
    }

    private static let bookmarkColumns: Fragment = """
        bookmark.id, \(Catalog.Book.columns), bookmark.position,
               coalesce(\(Ebooks.page(of: "bookmark")), bookmark.page) as page,
               coalesce(\(Ebooks.pages(of: "bookmark")),
                        (select coalesce(entry.pages, edition.pages)
                           from shelf_entry entry
                           left join edition on edition.id = entry.edition_id
                          where entry.reader_id = bookmark.reader_id
                            and entry.work_id = bookmark.work_id)) as pages,
               bookmark.label, bookmark.ebook_id, bookmark.version,
               bookmark.created_at, bookmark.changed_at
        """

    struct OneBookmark: Statement {
        static let sql: SQL<Self> = """
            select \(bookmarkColumns)
              from bookmark
              join work on work.id = bookmark.work_id
             where bookmark.id = \(\.id)
               and bookmark.reader_id = \(\.reader)
            """
        let id: ID<Places.Bookmark>, reader: ID<Accounts.Account>
        typealias Output = Places.Bookmark
    }

    /// A reader's bookmarks in one work, or in what it was merged into. Index `bookmark_in_book`.
    struct Bookmarks: ListStatement {
        static let name = "places.bookmarks_in_book"
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>(
                ["bookmark.position", "bookmark.id"],
                ["\(\.span.place.position, as: Int16.self)", "\(\.span.place.id)"], isAscending: true, direction)
            return """
                select \(bookmarkColumns)
                  from bookmark
                  join work on work.id = bookmark.work_id
                 where bookmark.reader_id = \(\.reader)
                   and bookmark.work_id = \(Catalog.resolved("\(\.work)"))
                   and \(keyset.condition)
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let reader: ID<Accounts.Account>, work: ID<Catalog.Work>, span: Span<Places.BookmarkKey>
        typealias Output = Places.Bookmark
    }

    /// A reader's bookmarks in all works. Index `bookmark_of_reader`.
    struct AllBookmarks: ListStatement {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>("bookmark.id", "\(\.span.place)", direction)
            return """
                select \(bookmarkColumns)
                  from bookmark
                  join work on work.id = bookmark.work_id
                 where bookmark.reader_id = \(\.reader)
                   and \(keyset.condition)
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let reader: ID<Accounts.Account>, span: Span<ID<Places.Bookmark>>
        typealias Output = Places.Bookmark
    }

    /// The pages of the reader's own copy, said with a bookmark.
    struct Remember: Statement {
        static let sql: SQL<Self> = "update shelf_entry set pages = \(\.pages, as: Int32.self) where id = \(\.entry)"
        let entry: ID<Library.Entry>, pages: Int
    }

    struct RemoveBookmarks: Statement {
        static let sql: SQL<Self> = "delete from bookmark where reader_id = \(\.reader)"
        let reader: ID<Accounts.Account>
    }
}

extension Places.Bookmark: RowReadable {
    /// Reads the columns of `bookmarkColumns`.
    package init(_ columns: inout Columns) throws {
        self.init(
            id: try columns("id"), book: try Catalog.Book(&columns), position: try columns("position"),
            page: try columns("page"), pages: try columns("pages"), label: try columns("label"),
            ebook: try columns("ebook_id"), version: try columns("version"),
            createdAt: try columns("created_at"), changedAt: try columns("changed_at"))
    }
}
