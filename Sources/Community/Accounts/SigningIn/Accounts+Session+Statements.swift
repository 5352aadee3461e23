import Postgres

extension Accounts.Statements {
    struct InsertSession: Statement {
        static let sql: SQL<Self> = """
            insert into session (id, account_id, token_hash, created_at, last_used_at, expires_at, device, network)
            values (\(\.id), \(\.account), \(\.digest), \(\.now), \(\.now), \(\.expiresAt), \(\.device), \(\.network))
            """
        let id: ID<Accounts.Session>, account: ID<Accounts.Account>, digest: Bytes, now: Timestamp, expiresAt: Timestamp
        let device: String?, network: String?
    }

    /// Ends the least recently used sessions beyond `kept` and gives them. Sees at most `kept` + 1 rows of index
    /// `session_of_account`, because the account is locked and each log-in trims.
    struct TrimSessions: Statement {
        static let sql: SQL<Self> = """
            delete from session
             where account_id = \(\.account)
               and id not in (select kept.id
                                from session kept
                               where kept.account_id = \(\.account)
                               order by kept.last_used_at desc, kept.id desc
                               limit \(\.kept))
            returning id
            """
        let account: ID<Accounts.Account>, kept: Int
        typealias Output = ID<Accounts.Session>
    }

    /// Living sessions of an account, the last used first: at most 20, so there are no pages.
    struct Sessions: Statement {
        static let sql: SQL<Self> = """
            select id, created_at, last_used_at, expires_at, device, network
              from session
             where account_id = \(\.account)
               and expires_at > \(\.now)
               and last_used_at > \(\.idleSince)
             order by last_used_at desc, id desc
            """
        let account: ID<Accounts.Account>, now: Timestamp, idleSince: Timestamp
        static func decode(_ columns: inout Columns) throws -> Accounts.Session {
            Accounts.Session(
                id: try columns("id"), createdAt: try columns("created_at"), lastUsedAt: try columns("last_used_at"),
                expiresAt: try columns("expires_at"), device: try columns("device"), network: try columns("network"))
        }
    }

    /// Those of `sessions`, access tokens among them, that are not over and whose account may be signed in. Served by
    /// the primary keys.
    struct Living: Statement {
        static let name = "accounts.living_sessions"
        static let sql: SQL<Self> = """
            select session.id
              from session
              join account on account.id = session.account_id
             where session.id = any(\(\.sessions))
               and session.expires_at > \(\.now)
               and account.state in ('active', 'limited', 'frozen')
               and account.approved_at is not null
             union all
            select access_token.id
              from access_token
              join account on account.id = access_token.account_id
             where access_token.id = any(\(\.sessions))
               and access_token.expires_at > \(\.now)
               and account.state in ('active', 'limited', 'frozen')
               and account.approved_at is not null
            """
        let sessions: [Int64], now: Timestamp
        typealias Output = Int64
    }

    struct EndSession: Statement {
        static let sql: SQL<Self> = "delete from session where id = \(\.session) and account_id = \(\.account)"
        let session: ID<Accounts.Session>, account: ID<Accounts.Account>
    }

    /// Ends every session of an account.
    struct EndSessions: Statement {
        static let sql: SQL<Self> = "delete from session where account_id = \(\.account)"
        let account: ID<Accounts.Account>
    }

    /// Ends every session of everybody: after a backup was restored, in which some stand that were ended since.
    package struct EndAllSessions: Statement {
        package static let sql: SQL<Self> = "delete from session"

        package init() {}
    }

    /// Deletes sessions that are over, at most `limit`; indexes `session_expiry` and `session_idle`. Nobody is told:
    /// they were over.
    struct SweepSessions: Statement {
        static let sql: SQL<Self> = """
            delete from session
             where id in (select over.id from session over where over.expires_at <= \(\.now)
                          union
                          select idle.id from session idle where idle.last_used_at <= \(\.idleSince)
                          limit \(\.limit))
            """
        let now: Timestamp, idleSince: Timestamp, limit: Int
    }
}
