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
                   exists (select 1 from praise where reader_id = \(\.reader) and kind = 'recommendation' and work_id = \(\.work)) as is_recommended
              from (select \(\.reader)::bigint as reader_id, \(\.work)::bigint as work_id) asked
              left join shelf_entry entry on entry.reader_id = asked.reader_id and entry.work_id = asked.work_id
              left join review on review.reader_id = asked.reader_id and review.work_id = asked.work_id
            """
        let reader: ID<Accounts.Account>, work: ID<Catalog.Work>

        static func decode(_ columns: inout Columns) throws -> Library.Glance {
            Library.Glance(
                status: try columns("status"), position: try columns("position"), rating: try columns("rating"),
                isFavourite: try columns("is_favourite"), isRecommended: try columns("is_recommended"))
        }
    }
}
