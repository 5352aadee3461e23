import Postgres

extension Accounts.Statements {
    /// Those of some names, folded, whose readers are there for who writes them. Index `account_username_key`.
    struct Addressed: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select account.username_folded
              from account
             where account.username_folded = any(\(\.folded))
               and \(Visibility.predicate(viewer: .viewer, owner: "account.id", level: "3"))
            """
        let viewer: ID<Accounts.Account>, folded: [String]
        typealias Output = String
    }
}
