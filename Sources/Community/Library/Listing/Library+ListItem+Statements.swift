import Postgres

extension Library.Statements {
    private static let itemColumns: Fragment = """
        \(Catalog.Book.columns), book_list_item.note, book_list_item.added_at, book_list_item.place
        """

    /// The books of a list in its order; who may see the list is asked before. Index `book_list_item_place`.
    struct Items: ListStatement {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>(
                ["book_list_item.place", "book_list_item.work_id"], ["\(\.span.place.place)", "\(\.span.place.work)"],
                isAscending: true, direction)
            return """
                select \(itemColumns)
                  from book_list_item
                  join work on work.id = book_list_item.work_id
                 where book_list_item.list_id = \(\.list)
                   and \(keyset.condition)
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let list: ID<Library.List>, span: Span<Library.ListKey>
        typealias Output = Library.ListItem
    }

    struct Item: Statement {
        static let sql: SQL<Self> = """
            select \(itemColumns)
              from book_list_item
              join work on work.id = book_list_item.work_id
             where book_list_item.list_id = \(\.list)
               and book_list_item.work_id = \(\.work)
            """
        let list: ID<Library.List>, work: ID<Catalog.Work>
        typealias Output = Library.ListItem
    }

    /// Before the first and behind the last book of a list, `without` one that is about to move. Index
    /// `book_list_item_place`.
    struct Ends: Statement {
        static let sql: SQL<Self> = """
            select (select place from book_list_item where list_id = \(\.list) and work_id <> \(\.without) order by place, work_id limit 1) as ahead,
                   (select place from book_list_item where list_id = \(\.list) and work_id <> \(\.without) order by place desc, work_id desc limit 1) as behind
            """
        let list: ID<Library.List>, without: ID<Catalog.Work>

        static func decode(_ columns: inout Columns) throws -> (ahead: Library.Gap, behind: Library.Gap) {
            (
                Library.Gap(before: nil, after: try columns("ahead")),
                Library.Gap(before: try columns("behind"), after: nil)
            )
        }
    }

    /// Between a book of a list and the next, `without` one that is about to move. No row where the book is not on the
    /// list.
    struct GapAfter: Statement {
        static let sql: SQL<Self> = """
            select item.place, (select next.place
                                  from book_list_item next
                                 where next.list_id = \(\.list)
                                   and (next.place, next.work_id) > (item.place, item.work_id)
                                   and next.work_id <> \(\.without)
                                 order by next.place, next.work_id
                                 limit 1) as after
              from book_list_item item
             where item.list_id = \(\.list)
               and item.work_id = \(\.after)
            """
        let list: ID<Library.List>, after: ID<Catalog.Work>, without: ID<Catalog.Work>

        static func decode(_ columns: inout Columns) throws -> Library.Gap {
            let before: Int64 = try columns("place")
            return Library.Gap(before: before, after: try columns("after"))
        }
    }

    /// Makes room between all books of a list. Their order stays.
    struct SpreadItems: Statement {
        static let sql: SQL<Self> = """
            update book_list_item item
               set place = spread.number * \(Library.Gap.step)
              from (select work_id, row_number() over (order by place, work_id) as number
                      from book_list_item
                     where list_id = \(\.list)) spread
             where item.list_id = \(\.list)
               and item.work_id = spread.work_id
            """
        let list: ID<Library.List>
    }

    struct PutItem: Statement {
        static let sql: SQL<Self> = """
            insert into book_list_item (list_id, work_id, place, note, added_at)
            values (\(\.list), \(\.work), \(\.place), \(\.note), \(\.at))
            on conflict (list_id, work_id) do update
               set place = excluded.place,
                   note = excluded.note
            """
        let list: ID<Library.List>, work: ID<Catalog.Work>, place: Int64, note: String?, at: Timestamp
    }

    /// Counts what came onto the list or left it.
    struct ListChanged: Statement {
        static let sql: SQL<Self> =
            "update book_list set books = books + \(\.books), version = version + 1, changed_at = \(\.at) where id = \(\.list)"
        let list: ID<Library.List>, books: Int32, at: Timestamp
    }

    /// Also by the work that a merged one became.
    struct DeleteItem: Statement {
        static let sql: SQL<Self> = """
            delete from book_list_item
             where list_id = \(\.list)
               and work_id = \(Catalog.resolved("\(\.work)"))
            """
        let list: ID<Library.List>, work: ID<Catalog.Work>
    }
}

extension Library.ListItem: RowReadable {
    /// Reads the columns of `itemColumns`.
    package init(_ columns: inout Columns) throws {
        let book = try Catalog.Book(&columns)
        self.init(
            book: book, note: try columns("note"), addedAt: try columns("added_at"),
            key: Library.ListKey(place: try columns("place"), work: book.id))
    }
}
