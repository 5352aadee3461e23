import Postgres

extension Accounts {
    static let profileStatements: [any Statement.Type] = [Statements.LockProfile.self, Statements.PutProfile.self]
}

extension Accounts.Statements {
    /// What a reader may change of the account, locked against every other writer of it. No row where it is gone.
    struct LockProfile: Statement {
        static let name = "accounts.lock_profile"
        static let sql = """
            select username, name, bio, state, renamed_at
              from account
             where id = $1
               and state <> 'deleted'
               for no key update
            """
        let account: ID<Accounts.Account>

        func bind(to parameters: inout Parameters) { parameters.append(account) }

        static func decode(_ row: borrowing Row) throws -> Accounts.Facts {
            Accounts.Facts(
                username: try row[0], name: try row[1], bio: try row[2], state: try row[3], renamedAt: try row[4])
        }
    }

    /// Violates `account_username_key` where somebody has that name.
    struct PutProfile: Statement {
        static let name = "accounts.put_profile"
        static let sql = """
            update account
               set username = $2,
                   username_folded = $3,
                   name = $4,
                   bio = $5,
                   renamed_at = $6
             where id = $1
            """
        let account: ID<Accounts.Account>
        let facts: Accounts.Facts

        func bind(to parameters: inout Parameters) {
            parameters.append(account)
            parameters.append(facts.username)
            parameters.append(Accounts.Username.fold(facts.username))
            parameters.append(facts.name)
            parameters.append(facts.bio)
            parameters.append(facts.renamedAt)
        }
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
