import Postgres

extension Accounts.Statements {
    struct InsertSession: Statement {
        static let name = "accounts.insert_session"
        static let sql = """
            insert into session (id, account_id, token_hash, created_at, last_used_at, expires_at, device, network)
            values ($1, $2, $3, $4, $4, $5, $6, $7)
            """
        let id: ID<Accounts.Session>
        let account: ID<Accounts.Account>
        let digest: Bytes
        let now: Timestamp
        let expiresAt: Timestamp
        let device: String?
        let network: String?
        func bind(to parameters: inout Parameters) {
            parameters.append(id)
            parameters.append(account)
            parameters.append(digest)
            parameters.append(now)
            parameters.append(expiresAt)
            parameters.append(device)
            parameters.append(network)
        }
    }

    /// Ends the least recently used sessions beyond `kept` and gives them. Sees at most `kept` + 1 rows of index `session_of_account`,
    /// because the account is locked and each log-in trims.
    struct TrimSessions: Statement {
        static let name = "accounts.trim_sessions"
        static let sql = """
            delete from session
             where account_id = $1
               and id not in (select kept.id
                                from session kept
                               where kept.account_id = $1
                               order by kept.last_used_at desc, kept.id desc
                               limit $2)
            returning id
            """
        let account: ID<Accounts.Account>
        let kept: Int
        func bind(to parameters: inout Parameters) {
            parameters.append(account)
            parameters.append(kept)
        }
        static func decode(_ row: borrowing Row) throws -> ID<Accounts.Session> { try row[0] }
    }

    /// Living sessions of an account, the last used first: at most 20, so there are no pages.
    struct Sessions: Statement {
        static let name = "accounts.sessions"
        static let sql = """
            select id, created_at, last_used_at, expires_at, device, network
              from session
             where account_id = $1
               and expires_at > $2
               and last_used_at > $3
             order by last_used_at desc, id desc
            """
        let account: ID<Accounts.Account>
        let now: Timestamp
        let idleSince: Timestamp
        func bind(to parameters: inout Parameters) {
            parameters.append(account)
            parameters.append(now)
            parameters.append(idleSince)
        }
        static func decode(_ row: borrowing Row) throws -> Accounts.Session {
            Accounts.Session(
                id: try row[0], createdAt: try row[1], lastUsedAt: try row[2], expiresAt: try row[3],
                device: try row[4],
                network: try row[5])
        }
    }

    /// Those of `sessions`, access tokens among them, that are not over and whose account may be signed in. Served by the primary keys.
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
             union all
            select access_token.id
              from access_token
              join account on account.id = access_token.account_id
             where access_token.id = any($1)
               and access_token.expires_at > $2
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

    struct EndSession: Statement {
        static let name = "accounts.end_session"
        static let sql = "delete from session where id = $1 and account_id = $2"
        let session: ID<Accounts.Session>
        let account: ID<Accounts.Account>
        func bind(to parameters: inout Parameters) {
            parameters.append(session)
            parameters.append(account)
        }
    }

    /// Ends every session of an account.
    struct EndSessions: Statement {
        static let name = "accounts.end_sessions"
        static let sql = "delete from session where account_id = $1"
        let account: ID<Accounts.Account>
        func bind(to parameters: inout Parameters) { parameters.append(account) }
    }

    /// Ends every session of everybody: after a backup was restored, in which some stand that were ended since.
    package struct EndAllSessions: Statement {
        package static let name = "accounts.end_all_sessions"
        package static let sql = "delete from session"

        package init() {}
    }

    /// Deletes sessions that are over, at most `limit`; indexes `session_expiry` and `session_idle`. Nobody is told: they were over.
    struct SweepSessions: Statement {
        static let name = "accounts.sweep_sessions"
        static let sql = """
            delete from session
             where id in (select over.id from session over where over.expires_at <= $1
                          union
                          select idle.id from session idle where idle.last_used_at <= $2
                          limit $3)
            """
        let now: Timestamp
        let idleSince: Timestamp
        let limit: Int
        func bind(to parameters: inout Parameters) {
            parameters.append(now)
            parameters.append(idleSince)
            parameters.append(limit)
        }
    }
}
