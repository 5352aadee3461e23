import Postgres

extension Activity.Statements {
    /// Notes what was done to one subject, which was made at `since`. Another server's clock may be behind the one that
    /// dated the subject: an act is never dated before it, so that `Undo` finds it.
    ///
    /// What it counts in rankings is decided here (`Ranking`), by the index `activity_weighed`.
    struct Record: Statement {
        static let sql: SQL<Self> = """
            insert into activity (id, reader_id, work_id, kind, at, subject, weight, left_out)
            select \(\.id), \(\.reader), \(\.work), \(\.kind), \(\.dated, "dated"), \(\.subject), case when why.left_out is null then \(\.kind.weight, "weight") else 0 end, why.left_out
              from (select case when \(\.kind.weight, "weight")::smallint = 0 then null
                                when \(\.isLongAgo)
                                     -- Who says of a book that it was read long ago rates it for what it was then.
                                     or \(\.kind) not like 'shelf.%'
                                        and exists (select
                                                  from activity dated
                                                 where dated.reader_id = \(\.reader)
                                                   and dated.work_id = \(\.work)
                                                   and dated.kind = 'shelf.read'
                                                   and dated.left_out = \(Activity.LeftOut.longAgo.rawValue)
                                                   and dated.undone_at is null
                                                   and dated.at >= \(\.newSince, "newSince")) then \(Activity.LeftOut.longAgo.rawValue)
                                when exists (select
                                               from activity earlier
                                              where earlier.reader_id = \(\.reader)
                                                and earlier.work_id = \(\.work)
                                                and earlier.weight >= \(\.kind.weight, "weight")
                                                and earlier.at >= \(\.newSince, "newSince")
                                                -- A clock that is set back finds acts of later days.
                                                and (earlier.at < \(\.day, "day") or earlier.at >= \(\.day, "day")::timestamptz + interval '1 day')) then \(Activity.LeftOut.notNew.rawValue)
                                when (select count(distinct other.work_id)
                                        from activity other
                                       where other.reader_id = \(\.reader)
                                         and other.work_id <> \(\.work)
                                         and other.weight > 0
                                         and other.at >= \(\.day, "day")
                                         and other.at < \(\.day, "day")::timestamptz + interval '1 day') >= \(Limits.ranking.worksPerDay)
                                     then \(Activity.LeftOut.tooMany.rawValue) end as left_out) why
            """
        let id: Int64, reader: ID<Accounts.Account>, work: ID<Catalog.Work>?, kind: Activity.Kind, at: Timestamp
        let subject: Int64, since: Timestamp
        /// The reader says that it was long ago.
        var isLongAgo = false

        private var dated: Timestamp { max(at, since) }
        private var day: Timestamp { dated.day.beginning }
        private var newSince: Timestamp { day - .seconds((Limits.ranking.newAgainDays - 1) * 86_400) }
    }

    /// Takes back what was done to one subject, which was made at `since`, by the index `activity_of_subject`. The date
    /// only spares partitions, with room for what older versions dated by a clock that was behind.
    struct Undo: Statement {
        static let sql: SQL<Self> = """
            update activity
               set undone_at = \(\.at)
             where subject = \(\.subject)
               and at >= \(\.oldest, "oldest")
               and undone_at is null
               and (\(\.kind)::text is null or kind = \(\.kind))
            """
        let subject: Int64, since: Timestamp, kind: Activity.Kind?, at: Timestamp
        private var oldest: Timestamp { since - .seconds(Limits.feed.undoneBeforeDays * 86_400) }
    }

    /// Shows again what was done of a kind to one subject, which was made at `since`, and taken back; of a subject that
    /// has to do with no book. Index `activity_undone`.
    struct Redo: Statement {
        static let sql: SQL<Self> = """
            update activity
               set undone_at = null
             where subject = \(\.subject)
               and at >= \(\.oldest, "oldest")
               and work_id is null
               and undone_at is not null
               and kind = \(\.kind)
            """
        let subject: Int64, since: Timestamp, kind: Activity.Kind
        private var oldest: Timestamp { since - .seconds(Limits.feed.undoneBeforeDays * 86_400) }
    }

    struct ForgetReader: Statement {
        static let sql: SQL<Self> = """
            with last as (
                delete from reader_last_act where reader_id = \(\.reader)
            ), filling as (
                delete from filling_review where reader_id = \(\.reader)
            )
            delete from activity where reader_id = \(\.reader)
            """
        let reader: ID<Accounts.Account>
    }
}
