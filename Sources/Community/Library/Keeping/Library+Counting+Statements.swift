import Postgres

extension Library.Statements {
    /// One book fewer on these shelves. The account is locked, so its rows have one writer.
    struct TakeOffTally: Statement {
        static let sql: SQL<Self> =
            "update shelf_tally set n = n - 1 where reader_id = \(\.reader) and shelf = any(\(\.shelves)) and level = \(\.level)"
        let reader: ID<Accounts.Account>, shelves: [String], level: Int16
    }

    /// One book more on these shelves.
    struct PutOnTally: Statement {
        static let sql: SQL<Self> = """
            insert into shelf_tally (reader_id, shelf, level, n)
            select \(\.reader), shelf, \(\.level), 1 from unnest(\(\.shelves)::text[]) shelf
            on conflict (reader_id, shelf, level) do update
               set n = shelf_tally.n + 1
            """
        let reader: ID<Accounts.Account>, shelves: [String], level: Int16
    }

    /// Adds to a work's counters. The row's lock makes writers of one work take turns until they commit, so this goes
    /// last in its transaction.
    struct Count: Statement {
        static let sql: SQL<Self> = """
            insert into work_shelf (work_id, want, reading, read)
            values (\(\.work), greatest(\(\.by.want, as: Int32.self), 0), greatest(\(\.by.reading, as: Int32.self), 0), greatest(\(\.by.read, as: Int32.self), 0))
            on conflict (work_id) do update
               set want = work_shelf.want + \(\.by.want, as: Int32.self),
                   reading = work_shelf.reading + \(\.by.reading, as: Int32.self),
                   read = work_shelf.read + \(\.by.read, as: Int32.self)
            """
        let work: ID<Catalog.Work>, by: Library.Share
    }

    /// The counters of a work; no row where there are none.
    struct ShelvedOf: Statement {
        static let sql: SQL<Self> = "select want, reading, read from work_shelf where work_id = \(\.work)"
        let work: ID<Catalog.Work>

        static func decode(_ columns: inout Columns) throws -> Library.Share {
            Library.Share(want: try columns("want"), reading: try columns("reading"), read: try columns("read"))
        }
    }

    /// What an entry in scope adds to `work_shelf` where it is counted.
    private static let shares: Fragment = """
        (status = 'want')::int as want, (status in ('reading', 'paused'))::int as reading, (times_read > 0)::int as read
        """

    /// Takes the entries in `gone` (`work_id`, `want`, `reading`, `read`) out of the counters; locks those in the order
    /// of their works.
    private static let takeOut: Fragment = """
        locked as (
                select work_shelf.work_id
                  from work_shelf
                 where work_id in (select work_id from gone)
                 order by work_id
                   for update
            ), removed as (
                update work_shelf counter
                   set want = counter.want - gone.want,
                       reading = counter.reading - gone.reading,
                       read = counter.read - gone.read
                  from gone
                  join locked on locked.work_id = gone.work_id
                 where counter.work_id = locked.work_id
            )
        """

    /// Brings `counted` of every entry of one reader in line with what the account and its settings are now, and the
    /// counters with it.
    struct CountEntriesOf: Statement {
        static let sql: SQL<Self> = """
            with reader as (
                select reader.id, \(Accounts.Statements.counts(isLoopback: "\(\.counting.isLoopback)", bornBefore: "\(\.counting.bornBefore)")) as counts,
                       coalesce((select privacy.shelves from privacy where privacy.reader_id = \(\.reader)), 2) as usual
                  from account reader
                 where reader.id = \(\.reader)
            ), changed as (
                update shelf_entry
                   set counted = not shelf_entry.counted
                  from reader
                 where shelf_entry.reader_id = reader.id
                   and shelf_entry.counted <> (reader.counts and coalesce(shelf_entry.visibility, reader.usual) >= 2
                                               and (shelf_entry.counted or \(Catalog.isOut("shelf_entry.work_id", today: "\(\.counting.today)"))))
                returning work_id, counted, \(shares)
            ), added as (
                insert into work_shelf as counter (work_id, want, reading, read)
                select work_id, want, reading, read from changed where counted order by work_id
                on conflict (work_id) do update
                   set want = counter.want + excluded.want,
                       reading = counter.reading + excluded.reading,
                       read = counter.read + excluded.read
            ), gone as (
                select work_id, want, reading, read from changed where not counted
            ), \(takeOut)
            select count(*) from changed
            """
        let reader: ID<Accounts.Account>, counting: Accounts.Counting

        /// Entries that changed.
        typealias Output = Int
    }

    /// Readers after `after` with some entry or recommendation that should be counted and is not, or is and should not
    /// be. At most `limit`.
    struct ReadersToCount: Statement {
        static let sql: SQL<Self> = """
            select reader.id
              from account reader
              left join privacy on privacy.reader_id = reader.id
             where reader.id > \(\.after)
               and (exists (select 1 from shelf_entry
                            where shelf_entry.reader_id = reader.id
                              and shelf_entry.counted <> (\(Accounts.Statements.counts(isLoopback: "\(\.counting.isLoopback)", bornBefore: "\(\.counting.bornBefore)"))
                                  and \(Privacy.level("shelf_entry.visibility", .shelves)) >= 2
                                  and (shelf_entry.counted or \(Catalog.isOut("shelf_entry.work_id", today: "\(\.counting.today)")))))
                    or exists (select 1 from praise
                                where praise.reader_id = reader.id
                                  and praise.kind = 'recommendation'
                                  and praise.counted <> (\(Accounts.Statements.counts(isLoopback: "\(\.counting.isLoopback)", bornBefore: "\(\.counting.bornBefore)"))
                                      and \(Privacy.level("praise.visibility", .reviews)) >= 2
                                      and (praise.counted or \(Catalog.isOut("praise.work_id", today: "\(\.counting.today)"))))))
             order by reader.id
             limit \(\.limit)
            """
        let counting: Accounts.Counting, after: ID<Accounts.Account>, limit: Int
        typealias Output = ID<Accounts.Account>
    }

    /// Deletes a reader's whole library and takes what was counted out of the counters.
    struct RemoveAll: Statement {
        static let sql: SQL<Self> = """
            with entries as (
                delete from shelf_entry
                 where reader_id = \(\.reader)
                returning work_id, counted, \(shares)
            ), tallies as (
                delete from shelf_tally where reader_id = \(\.reader)
            ), links as (
                delete from share_link where reader_id = \(\.reader)
            ), lists as (
                delete from book_list where reader_id = \(\.reader)
            ), gone as (
                select work_id, want, reading, read from entries where counted
            ), \(takeOut)
            select count(*) from entries
            """
        let reader: ID<Accounts.Account>

        /// Books that were in it.
        typealias Output = Int
    }

    /// What the entries of a work are sorted and filtered by. No row for a work that does not exist.
    struct SortKeys: Statement {
        static let sql: SQL<Self> = "select \(Catalog.Book.columns) from work where id = \(\.work)"
        let work: ID<Catalog.Work>
        typealias Output = Catalog.Book
    }

    struct SortAnew: Statement {
        static let sql: SQL<Self> = """
            update shelf_entry
               set title_key = \(\.book.titleKey, "book.titleKey"),
                   author_key = \(\.book.authorKey, "book.authorKey"),
                   year = \(\.book.shelfYear, "book.shelfYear")
             where work_id = \(\.book.id)
               and (title_key, author_key, year) is distinct from (\(\.book.titleKey, "book.titleKey"), \(\.book.authorKey, "book.authorKey"), \(\.book.shelfYear, "book.shelfYear")::smallint)
            """
        let book: Catalog.Book
    }
}
