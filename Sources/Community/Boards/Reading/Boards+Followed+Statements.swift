import Postgres

extension Boards.Statements {
    /// Threads that the viewer follows and sees, last written in first; index `thread_reader_watched`. All are sorted
    /// by what each thread says of itself, so that a post changes one row and not that of each follower: 2 ms for a
    /// thousand, hence `Limits.boards.watchedThreads`. What else there is to say of them, and whether they are seen, is
    /// asked for as many as a page has.
    struct FollowedThreads: ListStatement, ForViewer {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>("thread.last_post_id", "\(\.span.place)", direction)
            let sorted = Keyset<Self>("followed.last_post_id", "\(\.span.place)", direction)
            return threads(
                """
                select thread.*, \(Gate.level(viewer: .viewer, work: "thread.work_id")) as level
                  from (select thread.id, thread.last_post_id
                          from thread_reader followed
                          join thread on thread.id = followed.thread_id
                         where followed.reader_id = \(\.viewer)
                           and followed.watching is not null
                           and followed.watching = 'followed'
                           and \(keyset.condition)
                         order by \(keyset.order)) followed
                 cross join lateral (
                       select \(threadColumns)
                         from thread
                        where thread.id = followed.id
                          and \(threadIsSeen())
                        limit 1) thread
                 order by \(sorted.order)
                 limit \(\.span.limit)
                """, keys: ["thread.last_post_id"], order: " order by \(keyset.order)")
        }
        let viewer: ID<Accounts.Account>, span: Span<Int64>

        static func decode(_ columns: inout Columns) throws -> Keyed<Boards.ShownThread, Int64> {
            let key: Int64 = try columns("last_post_id")
            return Keyed(item: try Boards.ShownThread(&columns), key: key)
        }
    }
}
