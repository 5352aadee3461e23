import Postgres

extension Library.Statements {
    /// One of the readings of a book.
    struct OneReading: Statement {
        static let sql: SQL<Self> = """
            select \(readingColumns)
              from reading
             where entry_id = \(\.entry)
               and id = \(\.reading)
            """
        let entry: ID<Library.Entry>, reading: ID<Library.Reading>
        typealias Output = Library.Reading
    }

    /// What a work is to a reader: always one row. Each part is found by a unique index.
    struct GlanceAt: Statement {
        static let sql: SQL<Self> = """
            select entry.status, entry.position, review.rating,
                   exists (select 1 from praise where reader_id = \(\.reader) and kind = 'favourite' and work_id = \(\.work)) as is_favourite,
                   exists (select 1 from praise where reader_id = \(\.reader) and kind = 'recommendation' and work_id = \(\.work)) as is_recommended,
                   taken.is_out as is_checked_out, taken.library_id as checkout_library_id,
                   exists (select from follow where follow.work_id = \(\.work) and follow.reader_id = \(\.reader)) as is_followed,
                   array(\(holding("book_list.id"))) as list_ids, array(\(holding("book_list.title"))) as list_titles
              from (select \(\.reader)::bigint as reader_id, \(\.work)::bigint as work_id) asked
              left join shelf_entry entry on entry.reader_id = asked.reader_id and entry.work_id = asked.work_id
              left join review on review.reader_id = asked.reader_id and review.work_id = asked.work_id
             cross join lateral (select count(*) > 0 as is_out, max(checkout.library_id) as library_id
                                   from checkout
                                  where checkout.reader_id = asked.reader_id and checkout.work_id = asked.work_id
                                    and checkout.returned_at is null) taken
            """
        let reader: ID<Accounts.Account>, work: ID<Catalog.Work>

        /// Something of each of the reader's lists that hold the work. Index `book_list_of_reader`, and the primary key.
        private static func holding(_ column: Fragment) -> SQL<Self> {
            """
            select \(column)
                            from book_list
                            join book_list_item held on held.list_id = book_list.id and held.work_id = \(\.work)
                           where book_list.reader_id = \(\.reader)
                           order by book_list.id desc
            """
        }

        static func decode(_ columns: inout Columns) throws -> Library.Glance {
            let glance = try Library.Glance(
                status: try columns("status"), position: try columns("position"), rating: try columns("rating"),
                isFavourite: try columns("is_favourite"), isRecommended: try columns("is_recommended"),
                isCheckedOut: try columns("is_checked_out"), lender: try columns("checkout_library_id"),
                isFollowed: try columns("is_followed"), lists: Self.lists(&columns))
            return glance
        }

        private static func lists(_ columns: inout Columns) throws -> [Library.ListName] {
            let (ids, titles): ([ID<Library.List>], [String]) = (try columns("list_ids"), try columns("list_titles"))
            return zip(ids, titles).map { Library.ListName(id: $0, title: $1) }
        }
    }
}
