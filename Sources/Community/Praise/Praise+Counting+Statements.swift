import Postgres

extension Praise {
    /// What `commonplace check` looks at.
    package static let recounts: [Recount] = [
        Recount(
            "recommends", "A work is recommended by as many readers as have a counted recommendation of it.",
            """
            select 'book ' || coalesce(work_popularity.work_id, counted.work_id) || ': stored '
                   || coalesce(work_popularity.recommends, 0) || ' recommends, counted ' || coalesce(counted.recommends, 0)
              from work_popularity
              full join (select work_id, count(*) as recommends from praise where counted group by work_id) counted
                on counted.work_id = work_popularity.work_id
             where coalesce(work_popularity.recommends, 0) <> coalesce(counted.recommends, 0)
            """),
        Recount(
            "hidden", "What only its reader or friends may see is not counted.",
            """
            select 'recommendation ' || praise.id || ' is counted'
              from praise
              left join privacy on privacy.reader_id = praise.reader_id
             where praise.counted
               and \(Privacy.level("praise.visibility", .reviews)) < 2
            """),
        Recount(
            "acts", "Every act of holding a book up that stands has its mark, once, and the same reader and work.",
            """
            select 'mark ' || coalesce(activity.subject, 0) || ' has ' || count(*) || ' acts ' || activity.kind
              from activity
              left join praise on praise.id = activity.subject
                              and praise.reader_id = activity.reader_id
                              and praise.work_id = activity.work_id
             where activity.undone_at is null
               and activity.kind in ('book.favourited', 'book.recommended')
             group by activity.subject, activity.kind
            having count(*) > 1 or count(praise.id) = 0
            """),
    ]
}

extension Praise.Statements {
    /// Brings `counted` of every recommendation of one reader in line with what the account and its settings are now.
    /// Gives the works where that changed something, in their order.
    struct CountMarksOf: Statement {
        static let sql: SQL<Self> = """
            with reader as (
                select reader.id, \(Accounts.Statements.counts(isLoopback: "\(\.counting.isLoopback)", bornBefore: "\(\.counting.bornBefore)")) as counts,
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
        let reader: ID<Accounts.Account>, counting: Accounts.Counting

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

}
