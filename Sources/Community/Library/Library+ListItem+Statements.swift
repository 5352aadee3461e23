import Postgres

extension Library {
    static let itemStatements: [any Statement.Type] = [
        Statements.ItemsAfter.self, Statements.ItemsBefore.self, Statements.Item.self,
        Statements.Ends.self, Statements.GapAfter.self, Statements.SpreadItems.self, Statements.PutItem.self,
        Statements.ListChanged.self, Statements.DeleteItem.self,
    ]
}

extension Library.Statements {
    private static let itemColumns = """
        book_list_item.place, book_list_item.note, book_list_item.added_at, \(Reviews.Statements.book)
        """

    private static func asItem(_ row: borrowing Row) throws -> Library.ListItem {
        let book = try Reviews.Statements.asBook(row, from: 3)
        return Library.ListItem(
            book: book, note: try row[1], addedAt: try row[2], key: Library.ListKey(place: try row[0], work: book.id))
    }

    /// The books of a list in its order; who may see the list is asked before. Index `book_list_item_place`.
    struct ItemsAfter: Statement {
        static let name = "library.items_after"
        static let sql = """
            select \(itemColumns)
              from book_list_item
              join work on work.id = book_list_item.work_id
             where book_list_item.list_id = $1
               and (book_list_item.place, book_list_item.work_id) > ($2, $3)
             order by book_list_item.place, book_list_item.work_id
             limit $4
            """
        let list: ID<Library.List>
        let after: Library.ListKey
        let limit: Int

        func bind(to parameters: inout Parameters) {
            parameters.append(list)
            parameters.append(after.place)
            parameters.append(after.work)
            parameters.append(limit)
        }
        static func decode(_ row: borrowing Row) throws -> Library.ListItem { try asItem(row) }
    }

    /// The same the other way: the page before.
    struct ItemsBefore: Statement {
        static let name = "library.items_before"
        static let sql = """
            select \(itemColumns)
              from book_list_item
              join work on work.id = book_list_item.work_id
             where book_list_item.list_id = $1
               and (book_list_item.place, book_list_item.work_id) < ($2, $3)
             order by book_list_item.place desc, book_list_item.work_id desc
             limit $4
            """
        let list: ID<Library.List>
        let before: Library.ListKey
        let limit: Int

        func bind(to parameters: inout Parameters) {
            parameters.append(list)
            parameters.append(before.place)
            parameters.append(before.work)
            parameters.append(limit)
        }
        static func decode(_ row: borrowing Row) throws -> Library.ListItem { try asItem(row) }
    }

    struct Item: Statement {
        static let name = "library.item"
        static let sql = """
            select \(itemColumns)
              from book_list_item
              join work on work.id = book_list_item.work_id
             where book_list_item.list_id = $1
               and book_list_item.work_id = $2
            """
        let list: ID<Library.List>
        let work: ID<Catalog.Work>

        func bind(to parameters: inout Parameters) {
            parameters.append(list)
            parameters.append(work)
        }
        static func decode(_ row: borrowing Row) throws -> Library.ListItem { try asItem(row) }
    }

    /// Before the first and behind the last book of a list, `without` one that is about to move. Index `book_list_item_place`.
    struct Ends: Statement {
        static let name = "library.ends"
        static let sql = """
            select (select place from book_list_item where list_id = $1 and work_id <> $2 order by place, work_id limit 1),
                   (select place from book_list_item where list_id = $1 and work_id <> $2 order by place desc, work_id desc limit 1)
            """
        let list: ID<Library.List>
        let without: ID<Catalog.Work>

        func bind(to parameters: inout Parameters) {
            parameters.append(list)
            parameters.append(without)
        }

        static func decode(_ row: borrowing Row) throws -> (ahead: Library.Gap, behind: Library.Gap) {
            (Library.Gap(before: nil, after: try row[0]), Library.Gap(before: try row[1], after: nil))
        }
    }

    /// Between a book of a list and the next, `without` one that is about to move. No row where the book is not on the list.
    struct GapAfter: Statement {
        static let name = "library.gap_after"
        static let sql = """
            select item.place, (select next.place
                                  from book_list_item next
                                 where next.list_id = $1
                                   and (next.place, next.work_id) > (item.place, item.work_id)
                                   and next.work_id <> $3
                                 order by next.place, next.work_id
                                 limit 1)
              from book_list_item item
             where item.list_id = $1
               and item.work_id = $2
            """
        let list: ID<Library.List>
        let after: ID<Catalog.Work>
        let without: ID<Catalog.Work>

        func bind(to parameters: inout Parameters) {
            parameters.append(list)
            parameters.append(after)
            parameters.append(without)
        }

        static func decode(_ row: borrowing Row) throws -> Library.Gap {
            let before: Int64 = try row[0]
            return Library.Gap(before: before, after: try row[1])
        }
    }

    /// Makes room between all books of a list. Their order stays.
    struct SpreadItems: Statement {
        static let name = "library.spread_items"
        static let sql = """
            update book_list_item item
               set place = spread.number * \(Library.Gap.step)
              from (select work_id, row_number() over (order by place, work_id) as number
                      from book_list_item
                     where list_id = $1) spread
             where item.list_id = $1
               and item.work_id = spread.work_id
            """
        let list: ID<Library.List>

        func bind(to parameters: inout Parameters) { parameters.append(list) }
    }

    struct PutItem: Statement {
        static let name = "library.put_item"
        static let sql = """
            insert into book_list_item (list_id, work_id, place, note, added_at)
            values ($1, $2, $3, $4, $5)
            on conflict (list_id, work_id) do update
               set place = excluded.place,
                   note = excluded.note
            """
        let list: ID<Library.List>
        let work: ID<Catalog.Work>
        let place: Int64
        let note: String?
        let at: Timestamp

        func bind(to parameters: inout Parameters) {
            parameters.append(list)
            parameters.append(work)
            parameters.append(place)
            parameters.append(note)
            parameters.append(at)
        }
    }

    /// Counts what came onto the list or left it.
    struct ListChanged: Statement {
        static let name = "library.list_changed"
        static let sql =
            "update book_list set books = books + $2, version = version + 1, changed_at = $3 where id = $1"
        let list: ID<Library.List>
        let books: Int32
        let at: Timestamp

        func bind(to parameters: inout Parameters) {
            parameters.append(list)
            parameters.append(books)
            parameters.append(at)
        }
    }

    /// Also by the work that a merged one became.
    struct DeleteItem: Statement {
        static let name = "library.delete_item"
        static let sql = """
            delete from book_list_item
             where list_id = $1
               and work_id = (select coalesce(merged_into, id) from work where id = $2)
            """
        let list: ID<Library.List>
        let work: ID<Catalog.Work>

        func bind(to parameters: inout Parameters) {
            parameters.append(list)
            parameters.append(work)
        }
    }
}
