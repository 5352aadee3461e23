import Postgres

extension Accounts.Statements {
    /// Those of `sessions` that are not over and whose account may be signed in. Served by the primary keys.
    struct Living: Statement {
        static let name = "accounts.living_sessions"
        static let sql = """
            select session.id
              from session
              join account on account.id = session.account_id
             where session.id = any($1)
               and session.expires_at > $2
               and account.state in ('active', 'limited', 'frozen')
               and account.approved_at is not null
            """
        let sessions: [Int64]
        let now: Timestamp
        func bind(to parameters: inout Parameters) {
            parameters.append(sessions)
            parameters.append(now)
        }
        static func decode(_ row: borrowing Row) throws -> Int64 { try row[0] }
    }
}

extension Accounts.Store {
    /// Those of `sessions` that still hold: what an open socket asks from time to time. An open socket is use, so idleness does not count.
    package func living(sessions: [Int64]) async throws -> Set<Int64> {
        Set(try await house.database.all(Accounts.Statements.Living(sessions: sessions, now: house.clock.now())))
    }
}
