import Postgres

extension Accounts {
    /// Who writes, as the account's locked row says.
    struct Writer: Sendable {
        let reader: Accounts.Reader
        /// By the name that is told to everybody.
        let told: Accounts.Reader
        private(set) var role: Accounts.Role
        /// The access token with which they write; `nil` without one.
        private(set) var token: ID<Accounts.AccessToken>?
        let state: Accounts.State
        let isVerified: Bool
        let bornAt: Timestamp
        /// Who sees what they say on boards, members at most.
        let level: Visibility

        var id: ID<Accounts.Account> { reader.id }
        var isModerator: Bool { role >= .moderator }
        var actor: Moderation.Actor { .account(id, role, token: token) }

        /// In no higher role than a request allows.
        func limited(by identity: Accounts.Identity?) -> Self {
            guard let identity else { return self }
            var limited = self
            (limited.role, limited.token) = (min(role, identity.office), identity.accessToken)
            return limited
        }

        /// Throws `.forbidden`: `account_frozen`, `email_unverified`.
        func mayPost(on services: Services) throws(Failure) {
            try state.mayWrite()
            guard isVerified || services.settings.isLoopback else { throw .unverified }
        }
    }
}

extension Accounts.Statements {
    /// Who writes, locked: what one account says takes turns, so that limits are exact, and it does not end, is not
    /// blocked and blocks nobody meanwhile. No row where the account is over.
    struct LockWriter: Statement {
        static let sql: SQL<Self> = """
            select \(Accounts.Reader.columns(of: "account", for: "\(\.account)")),
                   \(Accounts.Reader.told(of: "account")),
                   account.role, account.state, account.verified_at is not null as is_verified, account.created_at,
                   least(2, \(Privacy.level(.discussions, of: "account.id")))::smallint as level
              from account
             where account.id = \(\.account)
               and account.reach >= 0
               for no key update
            """
        let account: ID<Accounts.Account>

        static func decode(_ columns: inout Columns) throws -> Accounts.Writer {
            let reader = try Accounts.Reader(&columns)
            return Accounts.Writer(
                reader: reader,
                told: try Accounts.Reader(&columns),
                role: try columns("role"), state: try columns("state"), isVerified: try columns("is_verified"),
                bornAt: try columns("created_at"), level: try columns("level"))
        }
    }

    /// The same lock where nothing is asked of the account but its state. No row where it is gone.
    struct LockState: Statement {
        static let sql: SQL<Self> = "select state from account where id = \(\.reader) for no key update"
        let reader: ID<Accounts.Account>
        typealias Output = Accounts.State
    }
}
