import Postgres

extension Feed.Statements {
    /// Notes what was done to one subject, which was made at `since`. Another server's clock may be behind the one that
    /// dated the subject: an act is never dated before it, so that `Undo` finds it.
    struct Record: Statement {
        static let name = "feed.record"
        static let sql =
            "insert into activity (id, reader_id, work_id, kind, at, subject) values ($1, $2, $3, $4, $5, $6)"
        let id: Int64
        let reader: ID<Accounts.Account>
        let work: ID<Catalog.Work>
        let kind: Feed.Kind
        let at: Timestamp
        let subject: Int64
        let since: Timestamp

        func bind(to parameters: inout Parameters) {
            parameters.append(id)
            parameters.append(reader)
            parameters.append(work)
            parameters.append(kind)
            parameters.append(max(at, since))
            parameters.append(subject)
        }
    }

    /// Takes back what was done to one subject, which was made at `since`, by the index `activity_of_subject`. The date
    /// only spares partitions, with room for what older versions dated by a clock that was behind.
    struct Undo: Statement {
        static let name = "feed.undo"
        static let sql = """
            update activity
               set undone_at = $4
             where subject = $1
               and at >= $2
               and undone_at is null
               and ($3::text is null or kind = $3)
            """
        let subject: Int64
        let since: Timestamp
        let kind: Feed.Kind?
        let at: Timestamp

        func bind(to parameters: inout Parameters) {
            parameters.append(subject)
            parameters.append(since - .seconds(Limits.Feed.undoneBeforeDays * 86_400))
            parameters.append(kind)
            parameters.append(at)
        }
    }

    struct ForgetReader: Statement {
        static let name = "feed.forget_reader"
        static let sql = """
            with last as (
                delete from reader_last_act where reader_id = $1
            ), filling as (
                delete from filling_review where reader_id = $1
            )
            delete from activity where reader_id = $1
            """
        let reader: ID<Accounts.Account>

        func bind(to parameters: inout Parameters) { parameters.append(reader) }
    }

    /// Makes the partitions of `activity` that are missing until `ahead` and drops those that ended before `keep`.
    struct RunUpkeep: Statement {
        static let name = "feed.upkeep"
        static let sql = "select activity_upkeep($1, $2, $3)"
        let now: Timestamp
        let ahead: Timestamp
        let keep: Timestamp

        func bind(to parameters: inout Parameters) {
            parameters.append(now)
            parameters.append(ahead)
            parameters.append(keep)
        }

        /// Partitions made and dropped.
        static func decode(_ row: borrowing Row) throws -> Int { try row[0] }
    }
}
