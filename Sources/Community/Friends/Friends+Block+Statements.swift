import Postgres

extension Friends.Statements {
    struct InsertBlock: Statement {
        static let sql: SQL<Self> = """
            insert into block (blocker_id, blocked_id, at) values (\(\.blocker), \(\.blocked), \(\.at))
                on conflict (blocker_id, blocked_id) do nothing
            """
        let blocker: ID<Accounts.Account>, blocked: ID<Accounts.Account>, at: Timestamp
    }

    /// How many a reader has blocked; looks at no more than `limit` rows.
    struct CountBlocks: Statement {
        static let sql: SQL<Self> =
            "select count(*) from (select from block where blocker_id = \(\.blocker) limit \(\.limit)) own"
        let blocker: ID<Accounts.Account>, limit: Int
        typealias Output = Int64
    }

    /// Somebody whom the viewer has blocked, by username.
    struct FindBlocked: Statement {
        static let sql: SQL<Self> = """
            select account.id
              from account
              join block on block.blocked_id = account.id and block.blocker_id = \(\.viewer)
             where account.username_folded = \(\.folded)
            """
        let viewer: ID<Accounts.Account>, folded: String
        typealias Output = ID<Accounts.Account>
    }

    /// A friend by username, seen or not.
    struct FindFriend: Statement {
        static let sql: SQL<Self> = """
            select friendship.friend_id
              from account
              join friendship on friendship.reader_id = \(\.reader) and friendship.friend_id = account.id
             where account.username_folded = \(\.folded)
            """
        let reader: ID<Accounts.Account>, folded: String
        typealias Output = ID<Accounts.Account>
    }

    struct DeleteBlock: Statement {
        static let sql: SQL<Self> = "delete from block where blocker_id = \(\.blocker) and blocked_id = \(\.blocked)"
        let blocker: ID<Accounts.Account>, blocked: ID<Accounts.Account>
    }
}
