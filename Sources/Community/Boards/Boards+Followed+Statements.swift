import Postgres

extension Boards.Statements {
    /// Threads that the viewer follows and sees, last written in first; index `thread_reader_watched`. They are sorted before it is asked, for
    /// as many as a page has, whether they are seen.
    struct FollowedThreads<Way: Direction>: Statement {
        static var name: String { "boards.followed_threads_\(Way.name)" }
        static var sql: String {
            let keyset = Keyset(["thread.last_post_id"], ["$2"], isAscending: false, Way.self)
            return threads(
                """
                select \(threadColumns), \(Gate.level(viewer: "$1", work: "thread.work_id")) as level
                  from (select \(threadColumns), thread.hidden_at
                          from thread_reader followed
                          join thread on thread.id = followed.thread_id
                         where followed.reader_id = $1
                           and followed.watching = 'followed'
                           and \(keyset.condition)
                         order by \(keyset.order)) thread
                 where \(threadIsSeen)
                 limit $3
                """, order: " order by " + keyset.order)
        }
        let reader: ID<Accounts.Account>
        let place: Int64
        let limit: Int

        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(place)
            parameters.append(limit)
        }

        static func decode(_ row: borrowing Row) throws -> Boards.Placed<Boards.ShownThread, Int64> {
            Boards.Placed(item: try shownThread(row), key: try row[19])
        }
    }
}
