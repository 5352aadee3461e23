import Postgres

extension Feed.Statements {
    /// Notes what was done to one subject, which was made at `since`. Another server's clock may be behind the one that
    /// dated the subject: an act is never dated before it, so that `Undo` finds it.
    ///
    /// What it counts in rankings is decided here (`Ranking`), by the index `activity_weighed`.
    struct Record: PositionalStatement {
        static let name = "feed.record"
        static let sql = """
            insert into activity (id, reader_id, work_id, kind, at, subject, weight, left_out)
            select $1, $2, $3, $4, $5, $6, case when why.left_out is null then $7 else 0 end, why.left_out
              from (select case when $7::smallint = 0 then null
                                when $10
                                     -- Who says of a book that it was read long ago rates it for what it was then.
                                     or $4 not like 'shelf.%'
                                        and exists (select
                                                  from activity dated
                                                 where dated.reader_id = $2
                                                   and dated.work_id = $3
                                                   and dated.kind = 'shelf.read'
                                                   and dated.left_out = \(Ranking.LeftOut.longAgo.rawValue)
                                                   and dated.undone_at is null
                                                   and dated.at >= $8) then \(Ranking.LeftOut.longAgo.rawValue)
                                when exists (select
                                               from activity earlier
                                              where earlier.reader_id = $2
                                                and earlier.work_id = $3
                                                and earlier.weight >= $7
                                                and earlier.at >= $8
                                                -- A clock that is set back finds acts of later days.
                                                and (earlier.at < $9 or earlier.at >= $9::timestamptz + interval '1 day')) then \(Ranking.LeftOut.notNew.rawValue)
                                when (select count(distinct other.work_id)
                                        from activity other
                                       where other.reader_id = $2
                                         and other.work_id <> $3
                                         and other.weight > 0
                                         and other.at >= $9
                                         and other.at < $9::timestamptz + interval '1 day') >= \(Limits.Ranking.worksPerDay)
                                     then \(Ranking.LeftOut.tooMany.rawValue) end as left_out) why
            """
        let id: Int64
        let reader: ID<Accounts.Account>
        let work: ID<Catalog.Work>
        let kind: Feed.Kind
        let at: Timestamp
        let subject: Int64
        let since: Timestamp
        /// The reader says that it was long ago.
        var isLongAgo = false

        func bind(to parameters: inout Parameters) {
            let dated = max(at, since)
            let day = dated.day.beginning
            parameters.append(id)
            parameters.append(reader)
            parameters.append(work)
            parameters.append(kind)
            parameters.append(dated)
            parameters.append(subject)
            parameters.append(kind.weight)
            parameters.append(day - .seconds((Limits.Ranking.newAgainDays - 1) * 86_400))
            parameters.append(day)
            parameters.append(isLongAgo)
        }
    }

    /// Takes back what was done to one subject, which was made at `since`, by the index `activity_of_subject`. The date
    /// only spares partitions, with room for what older versions dated by a clock that was behind.
    struct Undo: Statement {
        static let name = "feed.undo"
        static let sql: SQL<Self> = """
            update activity
               set undone_at = \(\.at)
             where subject = \(\.subject)
               and at >= \(\.oldest, "oldest")
               and undone_at is null
               and (\(\.kind)::text is null or kind = \(\.kind))
            """
        let subject: Int64
        let since: Timestamp
        let kind: Feed.Kind?
        let at: Timestamp
        private var oldest: Timestamp { since - .seconds(Limits.Feed.undoneBeforeDays * 86_400) }
    }

    struct ForgetReader: Statement {
        static let name = "feed.forget_reader"
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

    /// Makes the partitions of `activity` that are missing until `ahead` and drops those that ended before `keep`.
    struct RunUpkeep: Statement {
        static let name = "feed.upkeep"
        static let sql: SQL<Self> = "select activity_upkeep(\(\.now), \(\.ahead), \(\.keep))"
        let now: Timestamp
        let ahead: Timestamp
        let keep: Timestamp

        /// Partitions made and dropped.
        typealias Output = Int
    }
}
