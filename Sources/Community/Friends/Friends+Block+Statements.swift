import Postgres

extension Friends.Statements {
    struct InsertBlock: Statement {
        static let name = "friends.insert_block"
        static let sql = """
            insert into block (blocker_id, blocked_id, at) values ($1, $2, $3)
                on conflict (blocker_id, blocked_id) do nothing
            """
        let blocker: ID<Accounts.Account>
        let blocked: ID<Accounts.Account>
        let at: Timestamp
        func bind(to parameters: inout Parameters) {
            parameters.append(blocker)
            parameters.append(blocked)
            parameters.append(at)
        }
    }

    /// How many a reader has blocked; looks at no more than `limit` rows.
    struct CountBlocks: Statement {
        static let name = "friends.count_blocks"
        static let sql = "select count(*) from (select from block where blocker_id = $1 limit $2) own"
        let blocker: ID<Accounts.Account>
        let limit: Int
        func bind(to parameters: inout Parameters) {
            parameters.append(blocker)
            parameters.append(limit)
        }
        static func decode(_ row: borrowing Row) throws -> Int64 { try row[0] }
    }

    /// Somebody whom the viewer has blocked, by username.
    struct FindBlocked: Statement {
        static let name = "friends.find_blocked"
        static let sql = """
            select account.id
              from account
              join block on block.blocked_id = account.id and block.blocker_id = $1
             where account.username_folded = $2
            """
        let viewer: ID<Accounts.Account>
        let folded: String
        func bind(to parameters: inout Parameters) {
            parameters.append(viewer)
            parameters.append(folded)
        }
        static func decode(_ row: borrowing Row) throws -> ID<Accounts.Account> { try row[0] }
    }

    struct DeleteBlock: Statement {
        static let name = "friends.delete_block"
        static let sql = "delete from block where blocker_id = $1 and blocked_id = $2"
        let blocker: ID<Accounts.Account>
        let blocked: ID<Accounts.Account>
        func bind(to parameters: inout Parameters) {
            parameters.append(blocker)
            parameters.append(blocked)
        }
    }
}
