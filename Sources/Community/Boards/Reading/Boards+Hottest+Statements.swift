import Postgres

extension Boards.Statements {
    /// Index `thread_hot`, once for each book.
    struct HottestThreads: Statement, ForViewer {
        /// Planning takes ten times as long as looking.
        static let isPlannedOnce = true

        static let sql: SQL<Self> = threads(
            """
            select \(threadColumns), \(Gate.level(viewer: .viewer, work: "thread.work_id")) as level
              from unnest(\(\.books)::bigint[]) as asked (work_id)
             cross join lateral (
                   select thread.*
                     from (select *
                             from thread
                            where thread.board_id = asked.work_id
                              and thread.group_id is null
                              and thread.hidden_at is null
                            order by thread.hot desc, thread.id desc
                            limit \(Limits.ranking.threadsLookedAt)) thread
                    where \(threadIsSeen())
                    order by thread.hot desc, thread.id desc
                    limit 1) thread
            """, keys: ["thread.work_id"])
        let viewer: Viewer, books: [ID<Catalog.Work>]

        static func decode(_ columns: inout Columns) throws -> (book: ID<Catalog.Work>, thread: Boards.ShownThread) {
            (try columns("work_id"), try Boards.ShownThread(&columns))
        }
    }
}
