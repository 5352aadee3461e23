import Postgres

extension Accounts.Statements {
    /// Tokens of an account that have not run out, newest first; index `access_token_of_account`. At most 50, so
    /// there are no pages.
    struct AccessTokens: Statement {
        static let sql: SQL<Self> = """
            select scopes, id, name, created_at, expires_at, last_used_at
              from access_token
             where account_id = \(\.account)
               and expires_at > \(\.now)
             order by id desc
            """
        let account: ID<Accounts.Account>, now: Timestamp
        static func decode(_ columns: inout Columns) throws -> Accounts.AccessToken {
            let scopes: [String] = try columns("scopes")
            return Accounts.AccessToken(
                id: try columns("id"), name: try columns("name"), scopes: scopes.compactMap(Accounts.Scope.init),
                createdAt: try columns("created_at"),
                expiresAt: try columns("expires_at"), lastUsedAt: try columns("last_used_at"))
        }
    }

    struct InsertAccessToken: Statement {
        static let sql: SQL<Self> = """
            insert into access_token (id, account_id, name, token_hash, scopes, created_at, expires_at)
            values (\(\.made.id), \(\.account), \(\.made.name), \(\.digest), \(\.made.scopes, each: \.description, "made.scopes"), \(\.made.createdAt), \(\.made.expiresAt))
            """
        let made: Accounts.AccessToken, account: ID<Accounts.Account>, digest: Bytes
    }

    struct RevokeAccessToken: Statement {
        static let sql: SQL<Self> = "delete from access_token where id = \(\.token) and account_id = \(\.account)"
        let token: ID<Accounts.AccessToken>, account: ID<Accounts.Account>
    }

    struct RevokeAccessTokens: Statement {
        static let sql: SQL<Self> = "delete from access_token where account_id = \(\.account)"
        let account: ID<Accounts.Account>
    }

    /// Who holds an access token: one row, by the unique index on the hash, or none. One that was never used counts
    /// as used in 1970.
    struct IdentifyAccess: Statement {
        static let sql: SQL<Self> = """
            select access_token.scopes, account.id as account, access_token.id, account.username, account.role,
                   account.state, account.verified_at is not null as is_verified, account.created_at,
                   coalesce(access_token.last_used_at, 'epoch') as last_used_at
              from access_token
              join account on account.id = access_token.account_id
             where access_token.token_hash = \(\.digest)
               and access_token.expires_at > \(\.now)
               and account.state in ('active', 'limited', 'frozen')
               and account.approved_at is not null
            """
        let digest: Bytes, now: Timestamp
        static func decode(_ columns: inout Columns) throws -> Accounts.Identity {
            let scopes: [String] = try columns("scopes")
            return Accounts.Identity(
                account: try columns("account"), session: try columns("id"), username: try columns("username"),
                role: try columns("role"), state: try columns("state"), isVerified: try columns("is_verified"),
                createdAt: try columns("created_at"), lastUsedAt: try columns("last_used_at"),
                scopes: Set(scopes.compactMap(Accounts.Scope.init)))
        }
    }

    /// Notes the use of a token, unless another request has noted it after `before`.
    struct TouchAccess: Statement {
        static let sql: SQL<Self> = """
            update access_token set last_used_at = \(\.now) where id = \(\.token) and coalesce(last_used_at, 'epoch') <= \(\.before)
            """
        let token: ID<Accounts.Session>, now: Timestamp, before: Timestamp
    }

    /// Deletes tokens that are over, at most `limit`; index `access_token_expiry`.
    struct SweepAccessTokens: Statement {
        static let sql: SQL<Self> = """
            delete from access_token
             where id in (select old.id from access_token old where old.expires_at <= \(\.now) limit \(\.limit))
            """
        let now: Timestamp, limit: Int
    }

    /// Ends the sessions of an account but one, and gives them.
    struct EndSessionsBut: Statement {
        static let sql: SQL<Self> =
            "delete from session where account_id = \(\.account) and id <> \(\.kept) returning id"
        let account: ID<Accounts.Account>, kept: ID<Accounts.Session>
        typealias Output = ID<Accounts.Session>
    }
}
