import Postgres

extension Ranking.Statements {
    /// Replaces the list of boards. Posts of the last days are found by their ids, which ascend in time.
    struct HeatBoards: Statement {
        static let sql: SQL<Self> = """
            with written as materialized (
                select thread.work_id, count(distinct post.author_id) as writers
                  from post
                  join thread on thread.id = post.thread_id
                  join account reader on reader.id = post.author_id
                 where post.id >= \(\.since)
                   and thread.group_id is null
                   and thread.hidden_at is null
                   and \(Boards.Statements.postStands)
                   and \(Accounts.Statements.counts(isLoopback: "\(\.counting.isLoopback)", bornBefore: "\(\.counting.bornBefore)"))
                 group by thread.work_id
            ), listed as materialized (
                select row_number() over (order by written.writers desc, written.work_id) as place, written.work_id, written.writers
                  from written
                  join work_popularity on work_popularity.work_id = written.work_id and work_popularity.listed
                 order by place
                 limit \(Limits.ranking.boards)
            ), put as (
                insert into hot_board (place, work_id, writers) select place, work_id, writers from listed
                    on conflict (place) do update set work_id = excluded.work_id, writers = excluded.writers
            )
            delete from hot_board where place > (select count(*) from listed)
            """
        let since: ID<Boards.Post>, counting: Accounts.Counting
    }

    struct HotBoards: ListStatement {
        /// Nothing is weighed: a hundred places at most.
        static let isPlannedOnce = true

        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>("board.place", "\(\.span.place)", isAscending: true, direction)
            return """
                select board.place, board.work_id, board.writers
                  from hot_board board
                  join work_popularity on work_popularity.work_id = board.work_id and work_popularity.listed
                 where \(keyset.condition)
                   and not exists (select from ranking_hold held where held.work_id = board.work_id and held.until > \(\.now))
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let span: Span<Int>, now: Timestamp

        static func decode(_ columns: inout Columns) throws -> (place: Int, work: ID<Catalog.Work>, writers: Int) {
            (try columns("place"), try columns("work_id"), try columns("writers"))
        }
    }
}
