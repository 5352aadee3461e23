import Postgres

extension Lending.Statements {
    /// Counts a checkout, unless the reader, whose account is locked, took the same book that day before. The row's
    /// lock makes writers of one work take turns until they commit, so this goes last in its transaction. Index
    /// `checkout_day`.
    struct Count: Statement {
        static let sql: SQL<Self> = """
            insert into work_checkout (work_id, n)
            select \(\.work), 1
             where not exists (select 1 from checkout
                                where reader_id = \(\.reader)
                                  and work_id = \(\.work)
                                  and day = \(\.day)
                                  and id <> \(\.checkout))
            on conflict (work_id) do update
               set n = work_checkout.n + 1
            """
        let work: ID<Catalog.Work>, reader: ID<Accounts.Account>, day: CalendarDate, checkout: ID<Lending.Checkout>
    }

    /// How often a book was checked out; no row where never.
    struct CountOfWork: Statement {
        static let sql: SQL<Self> = "select n from work_checkout where work_id = \(\.work)"
        let work: ID<Catalog.Work>
        typealias Output = Int
    }

    /// Marks what is due before `before` as told at `stage`, at most `limit`; gives the checkouts and their readers.
    /// Index `checkout_due`.
    struct ToBeTold: Statement {
        static let sql: SQL<Self> = """
            update checkout
               set notice = \(\.stage, as: Int16.self)
             where id in (select id
                            from checkout
                           where returned_at is null
                             and due_at is not null
                             and notice < 2
                             and notice < \(\.stage, as: Int16.self)
                             and due_at <= \(\.before)
                           order by due_at
                           limit \(\.limit)
                             for update skip locked)
            returning id, reader_id
            """
        let before: Timestamp, stage: Int, limit: Int

        static func decode(_ columns: inout Columns) throws -> (
            checkout: ID<Lending.Checkout>, reader: ID<Accounts.Account>
        ) {
            (try columns("id"), try columns("reader_id"))
        }
    }
}
