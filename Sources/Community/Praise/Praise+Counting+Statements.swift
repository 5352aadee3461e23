import Postgres

extension Praise {
    /// What `commonplace check` looks at.
    package static let recounts: [any Recount.Type] = [
        Recounts.Recommends.self, Recounts.HiddenAreNotCounted.self, Recounts.Acts.self,
    ]

    enum Recounts {}
}

extension Praise.Statements {
    /// Brings `counted` of every recommendation of one reader in line with what the account and its settings are now.
    /// Gives the works where that changed something, in their order.
    struct CountMarksOf: Statement {
        static let sql: SQL<Self> = """
            with reader as (
                select reader.id, \(Reviews.Statements.counts(isLoopback: "\(\.counting.isLoopback)", bornBefore: "\(\.counting.bornBefore)")) as counts,
                       coalesce((select privacy.reviews from privacy where privacy.reader_id = \(\.reader)), 3) as usual
                  from account reader
                 where reader.id = \(\.reader)
            ), changed as (
                update praise
                   set counted = not praise.counted
                  from reader
                 where praise.reader_id = reader.id
                   and praise.kind = 'recommendation'
                   and praise.counted <> (reader.counts and coalesce(praise.visibility, reader.usual) >= 2
                                          and (praise.counted or \(Catalog.isOut("praise.work_id", today: "\(\.counting.today)"))))
                returning praise.work_id, praise.counted
            )
            select work_id, counted from changed order by work_id
            """
        let reader: ID<Accounts.Account>, counting: Reviews.Counting

        static func decode(_ columns: inout Columns) throws -> (work: ID<Catalog.Work>, isCounted: Bool) {
            (try columns("work_id"), try columns("counted"))
        }
    }

    /// Gives the works whose counters had one of them, in their order.
    struct RemoveAll: Statement {
        static let sql: SQL<Self> = """
            with gone as (delete from praise where reader_id = \(\.reader) returning work_id, counted)
            select work_id from gone where counted order by work_id
            """
        let reader: ID<Accounts.Account>
        typealias Output = ID<Catalog.Work>
    }

    /// Marks of readers who hold up both works: the one that stays and the one that goes.
    private static func doubles<S>(_ from: SQL<S>, _ into: SQL<S>) -> SQL<S> {
        """
        doubles as (
            select kept.id as kept, gone.id as gone
              from praise kept
              join praise gone on gone.reader_id = kept.reader_id and gone.kind = kept.kind and gone.work_id = \(from)
             where kept.work_id = \(into)
        )
        """
    }

    /// One act stands for a mark: that of the one that stays.
    struct UndoDoubleActs: Statement {
        static let sql: SQL<Self> = """
            with \(doubles("\(\.from)", "\(\.into)"))
            update activity
               set undone_at = \(\.at)
              from doubles
             where activity.subject = doubles.gone
               and activity.undone_at is null
            """
        let from: ID<Catalog.Work>, into: ID<Catalog.Work>, at: Timestamp
    }

    /// Seen by those who could see both.
    struct JoinMarks: Statement {
        static let sql: SQL<Self> = """
            with \(doubles("\(\.from)", "\(\.into)")), joined as (
                select doubles.kept, gone.created_at, gone.counted, usual.level as usual,
                       case when kept.visibility is not null or gone.visibility is not null
                            then least(coalesce(kept.visibility, usual.level), coalesce(gone.visibility, usual.level))
                       end as visibility
                  from doubles
                  join praise kept on kept.id = doubles.kept
                  join praise gone on gone.id = doubles.gone
                  left join privacy on privacy.reader_id = kept.reader_id
                 cross join lateral (select (case kept.kind when 'favourite' then coalesce(privacy.favourites, 2)
                                                            else coalesce(privacy.reviews, 3) end)::smallint as level) usual
            )
            update praise
               set visibility = joined.visibility,
                   counted = (praise.counted or joined.counted) and coalesce(joined.visibility, joined.usual) >= 2,
                   created_at = least(praise.created_at, joined.created_at)
              from joined
             where praise.id = joined.kept
            """
        let from: ID<Catalog.Work>, into: ID<Catalog.Work>
    }

    struct DropDoubles: Statement {
        static let sql: SQL<Self> = """
            with \(doubles("\(\.from)", "\(\.into)"))
            delete from praise using doubles where praise.id = doubles.gone
            """
        let from: ID<Catalog.Work>, into: ID<Catalog.Work>
    }

    struct MoveMarks: Statement {
        static let sql: SQL<Self> = "update praise set work_id = \(\.into) where work_id = \(\.from)"
        let from: ID<Catalog.Work>, into: ID<Catalog.Work>
    }

    /// The recommends of these works from their counted recommendations.
    struct CountRecommendsAnew: Statement {
        static let sql: SQL<Self> = """
            update work_popularity
               set recommends = (select count(*) from praise where praise.work_id = work_popularity.work_id and counted)
             where work_id = any(\(\.works))
            """
        let works: [ID<Catalog.Work>]
    }
}

extension Praise.Recounts {
    struct Recommends: Recount {
        static let rule = "A work is recommended by as many readers as have a counted recommendation of it."
        static let sql: SQL<Self> = """
            select 'book ' || coalesce(work_popularity.work_id, counted.work_id) || ': stored '
                   || coalesce(work_popularity.recommends, 0) || ' recommends, counted ' || coalesce(counted.recommends, 0)
              from work_popularity
              full join (select work_id, count(*) as recommends from praise where counted group by work_id) counted
                on counted.work_id = work_popularity.work_id
             where coalesce(work_popularity.recommends, 0) <> coalesce(counted.recommends, 0)
             limit 1000
            """
    }

    struct HiddenAreNotCounted: Recount {
        static let name = "praise.recount_hidden"
        static let rule = "What only its reader or friends may see is not counted."
        static let sql: SQL<Self> = """
            select 'recommendation ' || praise.id || ' is counted'
              from praise
              left join privacy on privacy.reader_id = praise.reader_id
             where praise.counted
               and coalesce(praise.visibility, privacy.reviews, 3) < 2
             limit 1000
            """
    }

    struct Acts: Recount {
        static let rule = "Every act of holding a book up that stands has its mark, once, and the same reader and work."
        static let sql: SQL<Self> = """
            select 'mark ' || coalesce(activity.subject, 0) || ' has ' || count(*) || ' acts ' || activity.kind
              from activity
              left join praise on praise.id = activity.subject
                              and praise.reader_id = activity.reader_id
                              and praise.work_id = activity.work_id
             where activity.undone_at is null
               and activity.kind in ('book.favourited', 'book.recommended')
             group by activity.subject, activity.kind
            having count(*) > 1 or count(praise.id) = 0
             limit 1000
            """
    }
}
