import Postgres

extension Boards.Statements {
    /// Index `thread_hot`, once for each book.
    struct HottestThreads: Statement {
        static let name = "boards.hottest_threads"
        static let sql = threads(
            """
            select \(threadColumns), \(Gate.level(viewer: "$1", work: "thread.work_id")) as level
              from unnest($2::bigint[]) as asked (work_id)
             cross join lateral (
                   select thread.*
                     from (select *
                             from thread
                            where thread.board_id = asked.work_id
                              and thread.group_id is null
                              and thread.hidden_at is null
                            order by thread.hot desc, thread.id desc
                            limit \(Limits.Ranking.threadsLookedAt)) thread
                    where \(threadIsSeen)
                    order by thread.hot desc, thread.id desc
                    limit 1) thread
            """)
        let viewer: Viewer
        let books: [ID<Catalog.Work>]

        func bind(to parameters: inout Parameters) {
            parameters.append(viewer)
            parameters.append(books)
        }

        static func decode(
            _ row: borrowing Row
        ) throws -> (book: ID<Catalog.Work>, thread: Boards.ShownThread) {
            (try row[4], try shownThread(row))
        }
    }
}
