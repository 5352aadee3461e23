import Postgres

extension Accounts.Statements {
    /// What a reader may change of the account, locked against every other writer of it. No row where it is gone.
    struct LockProfile: Statement {
        static let sql: SQL<Self> = """
            select username, name, bio, state, renamed_at
              from account
             where id = \(\.account)
               and state <> 'deleted'
               for no key update
            """
        let account: ID<Accounts.Account>

        static func decode(_ columns: inout Columns) throws -> Accounts.Facts {
            Accounts.Facts(
                username: try columns("username"), name: try columns("name"), bio: try columns("bio"),
                state: try columns("state"), renamedAt: try columns("renamed_at"))
        }
    }

    /// Violates `account_username_key` where somebody has that name.
    struct PutProfile: Statement {
        static let sql: SQL<Self> = """
            update account
               set username = \(\.facts.username),
                   username_folded = \(\.folded, "folded"),
                   name = \(\.facts.name),
                   bio = \(\.facts.bio),
                   renamed_at = \(\.facts.renamedAt)
             where id = \(\.account)
            """
        let account: ID<Accounts.Account>, facts: Accounts.Facts
        private var folded: String { Accounts.Username.fold(facts.username) }
    }
}

extension Accounts {
    /// What readers say of themselves.
    struct Facts: Hashable, Sendable {
        var username: String
        var name: String?
        var bio: String?
        let state: State
        var renamedAt: Timestamp?
    }
}
