import Postgres

extension Boards.Statements {
    /// Marks all threads of a board as read, those of boards that were merged into it among them: one row for each of these boards, whatever
    /// stands on it. An account that is over marks nothing.
    ///
    /// A row says: all posts up to an identifier. Those are made before posts get their numbers, so it is one from before anything that may still
    /// be on its way (`settled`), and the threads that were written in since, the last ones of them at most, get markers of their own.
    struct MarkBoard: Statement {
        static let sql: SQL<Self> = """
            with reader as materialized (
                select id from account where id = \(\.reader) and state <> 'deleted' for share
            ), board as materialized (
                select \(\.board)::bigint as id
                 union all
                select work.id from work where work.merged_into = \(\.board)
            ), recent as materialized (
                select thread.id, thread.posts, thread.last_post_id
                  from thread
                 where thread.board_id = \(\.board)
                   and thread.hidden_at is null
                   and thread.last_post_id > \(\.settled)
                 order by thread.last_post_id desc
                 limit \(Limits.Boards.markedThreads)
            ), bound as materialized (
                select greatest(\(\.settled), case when count(*) = \(Limits.Boards.markedThreads) then min(last_post_id) end) as id
                  from recent
            ), marked as (
                insert into board_read as mine (reader_id, board_id, upto_id, at)
                select reader.id, board.id, bound.id, \(\.at)
                  from reader
                 cross join board
                 cross join bound
                 order by board.id
                    on conflict (reader_id, board_id) do update
                   set upto_id = greatest(mine.upto_id, excluded.upto_id), marks = mine.marks + 1, at = excluded.at
            )
            insert into thread_reader as mine (reader_id, thread_id, read_number, at)
            select reader.id, recent.id, recent.posts, \(\.at)
              from reader
             cross join recent
             order by recent.id
                on conflict (reader_id, thread_id) do update
               set read_number = excluded.read_number, at = excluded.at
             where mine.read_number < excluded.read_number
            """
        let reader: ID<Accounts.Account>, board: Int64, settled: ID<Boards.Post>, at: Timestamp
    }
}
