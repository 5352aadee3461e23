import Postgres

extension Boards.Statements {
    /// The next threads with heat after `after`, computed anew; served by the index `thread_cooling`. Rows are locked in the order of their
    /// ids. Heat below a ten-thousandth is none.
    struct CoolThreads: Statement {
        static let name = "boards.cool_threads"
        static let sql = """
            with batch as (
                select thread.id
                  from thread
                 where thread.hot > 0
                   and thread.id > $1
                 order by thread.id
                 limit $4
                   for no key update
            )
            update thread
               set hot = case when thread.created_at < $3 or \(heat(now: "$2::timestamptz")) < 1e-4 then 0
                              else \(heat(now: "$2::timestamptz")) end
              from batch
             where thread.id = batch.id
            returning thread.id
            """
        let after: ID<Boards.Thread>
        let now: Timestamp
        /// Threads opened before this have no heat.
        let oldest: Timestamp
        let limit: Int

        func bind(to parameters: inout Parameters) {
            parameters.append(after)
            parameters.append(now)
            parameters.append(oldest)
            parameters.append(limit)
        }

        static func decode(_ row: borrowing Row) throws -> ID<Boards.Thread> { try row[0] }
    }
}
