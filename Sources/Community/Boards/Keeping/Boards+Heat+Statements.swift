import Postgres

extension Boards.Statements {
    /// SQL: the heat of the `thread` in scope at a time: log10 of its replies and reactions, over its age and two hours
    /// to the power of 1.8.
    static func heat<S>(
        replies: SQL<S> = "thread.replies", reactions: SQL<S> = "thread.reactions", now: SQL<S>
    ) -> SQL<S> {
        """
        log(1 + greatest(\(replies) + \(reactions), 0)::float8)
                 / power(greatest(extract(epoch from \(now) - thread.created_at)::float8, 0) / 3600 + 2, 1.8)
        """
    }

    /// The next threads with heat after `after`, computed anew; served by the index `thread_cooling`. Rows are locked
    /// in the order of their ids. Heat below a ten-thousandth is none.
    struct CoolThreads: Statement {
        static let sql: SQL<Self> = """
            with batch as (
                select thread.id
                  from thread
                 where thread.hot > 0
                   and thread.id > \(\.after)
                 order by thread.id
                 limit \(\.limit)
                   for no key update
            )
            update thread
               set hot = case when thread.created_at < \(\.oldest) or \(heat(now: "\(\.now)::timestamptz")) < 1e-4 then 0
                              else \(heat(now: "\(\.now)::timestamptz")) end
              from batch
             where thread.id = batch.id
            returning thread.id
            """
        let after: ID<Boards.Thread>, now: Timestamp
        /// Threads opened before this have no heat.
        let oldest: Timestamp, limit: Int
        typealias Output = ID<Boards.Thread>
    }
}
