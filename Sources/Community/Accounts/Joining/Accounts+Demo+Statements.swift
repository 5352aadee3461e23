import Postgres

extension Accounts.Statements {
    struct CountKinds: Statement {
        static let sql: SQL<Self> = """
            select count(*) filter (where not is_demo and state <> 'deleted') as real, count(*) filter (where is_demo) as demo from account
            """
        static func decode(_ columns: inout Columns) throws -> Accounts.Census {
            Accounts.Census(real: try columns("real"), demo: try columns("demo"))
        }
    }

    /// Served by the index `account_demo`.
    struct DemoReaders: Statement {
        static let sql: SQL<Self> =
            "select id from account where is_demo and id > \(\.after) order by id limit \(\.limit)"
        let after: ID<Accounts.Account>, limit: Int
        typealias Output = ID<Accounts.Account>
    }

    struct LockDemoReader: Statement {
        static let sql: SQL<Self> = "select id from account where id = \(\.account) and is_demo for update"
        let account: ID<Accounts.Account>
        typealias Output = ID<Accounts.Account>
    }

    /// Sessions, requests, blocks and whatever else hangs on the account go with it. Nothing where it wrote on boards.
    struct RemoveDemoReader: Statement {
        static let sql: SQL<Self> = """
            delete from account
             where id = \(\.account)
               and is_demo
               and not exists (select 1 from post where author_id = \(\.account))
               and not exists (select 1 from thread where author_id = \(\.account))
            """
        let account: ID<Accounts.Account>
    }

    /// An account that stays when the demonstration goes.
    struct LeaveDemonstration: Statement {
        static let sql: SQL<Self> = "update account set is_demo = false where id = \(\.account)"
        let account: ID<Accounts.Account>
    }
}
