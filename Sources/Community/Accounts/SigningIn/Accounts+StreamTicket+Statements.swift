import Postgres

extension Accounts.Statements {
    /// Ends the tickets of a session or access token that have run out, and the oldest beyond `kept`. Sees the few rows
    /// of one account in index `stream_ticket_of_account`; the account is locked and each new ticket trims.
    struct TrimStreamTickets: Statement {
        static let sql: SQL<Self> = """
            delete from stream_ticket
             where account_id = \(\.account)
               and coalesce(session_id, access_token_id) = \(\.proof)
               and id not in (select kept.id
                                from stream_ticket kept
                               where kept.account_id = \(\.account)
                                 and coalesce(kept.session_id, kept.access_token_id) = \(\.proof)
                                 and kept.expires_at > \(\.now)
                               order by kept.id desc
                               limit \(\.kept))
            """
        let account: ID<Accounts.Account>, proof: ID<Accounts.Session>, now: Timestamp, kept: Int
    }

    struct InsertStreamTicket: Statement {
        static let sql: SQL<Self> = """
            insert into stream_ticket (id, account_id, session_id, access_token_id, token_hash, origin, expires_at)
            values (\(\.id), \(\.account), \(\.session), \(\.accessToken), \(\.digest), \(\.origin), \(\.expiresAt))
            """
        let id: ID<Accounts.StreamTicket>, account: ID<Accounts.Account>
        let session: ID<Accounts.Session>?, accessToken: ID<Accounts.AccessToken>?
        let digest: Bytes, origin: String?, expiresAt: Timestamp
    }

    /// Spends a ticket and gives who asked for it, as `Identify` and `IdentifyAccess` do: one row, by the unique index on
    /// the hash. The ticket goes in any case; no row where it does not hold, or where its session is over. Of two at once
    /// one finds it.
    struct RedeemStreamTicket: Statement {
        static let sql: SQL<Self> = """
              with spent as (
                       delete from stream_ticket
                        where token_hash = \(\.digest)
                       returning session_id, access_token_id, origin, expires_at
                   )
            select access_token.scopes, account.id as account, coalesce(session.id, access_token.id) as id,
                   account.username, account.role, account.state, account.verified_at is not null as is_verified,
                   account.created_at,
                   coalesce(session.last_used_at, access_token.last_used_at, 'epoch') as last_used_at
              from spent
              left join session on session.id = spent.session_id
                               and session.expires_at > \(\.now)
                               and session.last_used_at > \(\.idleSince)
              left join access_token on access_token.id = spent.access_token_id
                                    and access_token.expires_at > \(\.now)
              join account on account.id = coalesce(session.account_id, access_token.account_id)
             where spent.expires_at > \(\.now)
               and spent.origin is not distinct from \(\.origin)
               and account.state in ('active', 'limited', 'frozen')
               and account.approved_at is not null
            """
        let digest: Bytes, origin: String?, now: Timestamp
        /// Sessions that were last used before this are over.
        let idleSince: Timestamp
        static func decode(_ columns: inout Columns) throws -> Accounts.Identity {
            let scopes: [String]? = try columns("scopes")
            return Accounts.Identity(
                account: try columns("account"), session: try columns("id"), username: try columns("username"),
                role: try columns("role"), state: try columns("state"), isVerified: try columns("is_verified"),
                createdAt: try columns("created_at"), lastUsedAt: try columns("last_used_at"),
                scopes: scopes.map { Set($0.compactMap(Accounts.Scope.init)) })
        }
    }

    /// A ticket that holds for this page, which stays unspent; unique index on the hash.
    struct HoldingStreamTicket: Statement {
        static let sql: SQL<Self> = """
            select id
              from stream_ticket
             where token_hash = \(\.digest)
               and expires_at > \(\.now)
               and origin is not distinct from \(\.origin)
            """
        let digest: Bytes, origin: String?, now: Timestamp
        typealias Output = ID<Accounts.StreamTicket>
    }

    /// Deletes tickets that have run out, at most `limit`; index `stream_ticket_expiry`.
    struct SweepStreamTickets: Statement {
        static let sql: SQL<Self> = """
            delete from stream_ticket
             where id in (select old.id from stream_ticket old where old.expires_at <= \(\.now) limit \(\.limit))
            """
        let now: Timestamp, limit: Int
    }
}
