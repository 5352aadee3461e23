import Postgres

extension Jobs {
    /// What the job of a kind and key that waits or runs is to do; its row is locked.
    struct LockedPayload: Statement {
        static let sql: SQL<Self> = """
            select payload
              from job
             where kind = \(\.kind)
               and unique_key = \(\.key)
               and unique_key is not null
               and state in ('ready', 'running')
               for update
            """
        let kind: String, key: String
        typealias Output = JSON
    }

    /// Puts another payload in the place of that one; affects 0 rows where there is none, and without a key.
    struct Rewrite: Statement {
        static let sql: SQL<Self> = """
            update job
               set payload = \(\.payload)
             where kind = \(\.kind)
               and unique_key = \(\.key)
               and unique_key is not null
               and state in ('ready', 'running')
            """
        let kind: String, key: String?, payload: JSON
    }

    /// Removes jobs that wait or run, and gives what they were to do.
    struct Take: Statement {
        static let sql: SQL<Self> = """
            with held as materialized (
                select id
                  from job
                 where kind = \(\.kind)
                   and unique_key = any(\(\.keys))
                   and unique_key is not null
                   and state in ('ready', 'running')
                 order by id
                   for update
            )
            delete from job
             using held
             where job.id = held.id
            returning job.payload
            """
        let kind: String, keys: [String]
        typealias Output = JSON
    }
}
