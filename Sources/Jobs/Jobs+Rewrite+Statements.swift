import Postgres

extension Jobs {
    /// What the job of a kind and key that waits or runs is to do; its row is locked.
    struct LockedPayload: Statement {
        static let name = "jobs.locked_payload"
        static let sql = """
            select payload
              from job
             where kind = $1
               and unique_key = $2
               and unique_key is not null
               and state in ('ready', 'running')
               for update
            """
        let kind: String
        let key: String

        func bind(to parameters: inout Parameters) {
            parameters.append(kind)
            parameters.append(key)
        }

        static func decode(_ row: borrowing Row) throws -> JSON { try row[0] }
    }

    /// Puts another payload in the place of that one; affects 0 rows where there is none, and without a key.
    struct Rewrite: Statement {
        static let name = "jobs.rewrite"
        static let sql = """
            update job
               set payload = $3
             where kind = $1
               and unique_key = $2
               and unique_key is not null
               and state in ('ready', 'running')
            """
        let kind: String
        let key: String?
        let payload: JSON

        func bind(to parameters: inout Parameters) {
            parameters.append(kind)
            parameters.append(key)
            parameters.append(payload)
        }
    }

    /// Removes jobs that wait or run, and gives what they were to do.
    struct Take: Statement {
        static let name = "jobs.take"
        static let sql = """
            with held as materialized (
                select id
                  from job
                 where kind = $1
                   and unique_key = any($2)
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
        let kind: String
        let keys: [String]

        func bind(to parameters: inout Parameters) {
            parameters.append(kind)
            parameters.append(keys)
        }

        static func decode(_ row: borrowing Row) throws -> JSON { try row[0] }
    }
}
