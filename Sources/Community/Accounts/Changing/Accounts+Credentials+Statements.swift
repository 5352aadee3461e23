import Postgres

extension Accounts.Statements {
    // MARK: Passwords

    struct InsertReset: Statement {
        static let sql: SQL<Self> = """
            insert into password_reset (token_hash, account_id, created_at, expires_at) values (\(\.digest), \(\.account), \(\.now), \(\.expiresAt))
            """
        let digest: Bytes, account: ID<Accounts.Account>, now: Timestamp, expiresAt: Timestamp
    }

    /// Whose password a code would set now.
    struct FindReset: Statement {
        static let sql: SQL<Self> = """
            select account.id, account.username, account.email
              from password_reset
              join account on account.id = password_reset.account_id
             where password_reset.token_hash = \(\.digest)
               and password_reset.expires_at > \(\.now)
               and account.state in ('active', 'limited', 'frozen', 'leaving')
            """
        let digest: Bytes, now: Timestamp
        typealias Output = Accounts.Addressee
    }

    /// Forgets every open reset of an account; index `password_reset_of_account`.
    struct DropResets: Statement {
        static let sql: SQL<Self> = "delete from password_reset where account_id = \(\.account)"
        let account: ID<Accounts.Account>
    }

    /// The account of an address that may have a new password.
    struct FindForReset: Statement {
        static let sql: SQL<Self> = """
            select id, username, email
              from account
             where email_folded = \(\.emailFolded)
               and state in ('active', 'limited', 'frozen', 'leaving')
            """
        let emailFolded: String
        typealias Output = Accounts.Addressee
    }

    /// Where mails to an account go.
    struct AddresseeOf: Statement {
        static let sql: SQL<Self> =
            "select id, username, email from account where id = \(\.account) and state <> 'deleted'"
        let account: ID<Accounts.Account>
        typealias Output = Accounts.Addressee
    }

    /// The same, where the address is proven.
    struct ProvenAddressee: Statement {
        static let sql: SQL<Self> = """
            select id, username, email
              from account
             where id = \(\.account)
               and state <> 'deleted'
               and verified_at is not null
            """
        let account: ID<Accounts.Account>
        typealias Output = Accounts.Addressee
    }

    struct SetPassword: Statement {
        static let sql: SQL<Self> =
            "update account set password_hash = \(\.hash.text) where id = \(\.account) and state <> 'deleted'"
        let account: ID<Accounts.Account>, hash: PasswordHash
    }

    /// Deletes resets that are over, at most `limit`; index `password_reset_expiry`.
    struct SweepResets: Statement {
        static let sql: SQL<Self> = """
            delete from password_reset
             where token_hash in (select old.token_hash from password_reset old where old.expires_at <= \(\.now) limit \(\.limit))
            """
        let now: Timestamp, limit: Int
    }

    // MARK: Addresses

    /// An account's wish for another address, in the place of the one before.
    struct PutEmailChange: Statement {
        static let sql: SQL<Self> = """
            insert into email_change (account_id, token_hash, email, created_at, expires_at)
            values (\(\.account), \(\.digest), \(\.email), \(\.now), \(\.expiresAt))
                on conflict (account_id) do update
               set token_hash = excluded.token_hash,
                   email = excluded.email,
                   created_at = excluded.created_at,
                   expires_at = excluded.expires_at
            """
        let account: ID<Accounts.Account>, digest: Bytes, email: String, now: Timestamp, expiresAt: Timestamp
    }

    /// Whose address a code would change now.
    struct FindEmailChange: Statement {
        static let sql: SQL<Self> =
            "select account_id from email_change where token_hash = \(\.digest) and expires_at > \(\.now)"
        let digest: Bytes, now: Timestamp
        typealias Output = ID<Accounts.Account>
    }

    /// Uses up a code: of callers at the same time exactly one gets the address.
    struct TakeEmailChange: Statement {
        static let sql: SQL<Self> =
            "delete from email_change where token_hash = \(\.digest) and expires_at > \(\.now) returning email"
        let digest: Bytes, now: Timestamp
        typealias Output = String
    }

    struct DropEmailChange: Statement {
        static let sql: SQL<Self> = "delete from email_change where account_id = \(\.account)"
        let account: ID<Accounts.Account>
    }

    /// Gives an account another address. Violates `account_email_key` where it is somebody's.
    struct SetEmail: Statement {
        static let sql: SQL<Self> = """
            update account
               set email = \(\.email),
                   email_folded = \(\.folded, "folded"),
                   verified_at = coalesce(\(\.verifiedAt), verified_at)
             where id = \(\.account)
            """
        let account: ID<Accounts.Account>, email: String
        /// When it was proven; `nil` where nothing was.
        let verifiedAt: Timestamp?
        private var folded: String { Accounts.Email.fold(email) }
    }

    /// Deletes wishes that are over, at most `limit`; index `email_change_expiry`.
    struct SweepEmailChanges: Statement {
        static let sql: SQL<Self> = """
            delete from email_change
             where account_id in (select old.account_id from email_change old where old.expires_at <= \(\.now) limit \(\.limit))
            """
        let now: Timestamp, limit: Int
    }
}

extension Accounts.Addressee: RowReadable {
    init(_ columns: inout Columns) throws {
        self.init(account: try columns("id"), username: try columns("username"), email: try columns("email"))
    }
}
