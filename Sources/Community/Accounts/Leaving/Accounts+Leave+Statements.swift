import Postgres

extension Accounts.Statements {
    /// Locks an account also against those who only hold it in place (`for key share`) while they write of it, as
    /// a job does that tells a reader of something.
    struct LockWhole: Statement {
        static let sql: SQL<Self> = "select from account where id = \(\.account) for update"
        let account: ID<Accounts.Account>
    }

    /// An account leaves on that day, or on the one that it named before; gives the day.
    struct Leave: Statement {
        static let sql: SQL<Self> = """
            insert into departure (account_id, asked_at, due_at) values (\(\.account), \(\.now), \(\.due))
                on conflict (account_id) do update set due_at = departure.due_at
            returning due_at
            """
        let account: ID<Accounts.Account>, now: Timestamp, due: Timestamp
        typealias Output = Timestamp
    }

    struct Stay: Statement {
        static let sql: SQL<Self> = "delete from departure where account_id = \(\.account)"
        let account: ID<Accounts.Account>
    }

    /// Whether the owner of an account has left it, whether or not it is suspended besides.
    struct IsDeparting: Statement {
        static let sql: SQL<Self> = "select exists (select 1 from departure where account_id = \(\.account))"
        let account: ID<Accounts.Account>
        typealias Output = Bool
    }

    /// Whether the grace of an account, which is locked, has ended.
    struct HasDeparted: Statement {
        static let sql: SQL<Self> =
            "select exists (select 1 from departure where account_id = \(\.account) and due_at <= \(\.now))"
        let account: ID<Accounts.Account>, now: Timestamp
        typealias Output = Bool
    }

    /// What an account that is leaving or suspended is when it comes back.
    struct SetStateBefore: Statement {
        static let sql: SQL<Self> =
            "update account set state_before = \(\.state) where id = \(\.account) and state in ('leaving', 'suspended')"
        let account: ID<Accounts.Account>, state: Accounts.State
    }

    /// Accounts whose grace has ended, longest first, behind a place in that order; index `departure_due`.
    struct Departed: Statement {
        static let sql: SQL<Self> = """
            select due_at, account_id
              from departure
             where due_at <= \(\.now)
               and (due_at, account_id) > (\(\.after), \(\.account))
             order by due_at, account_id
             limit \(\.limit)
            """
        let now: Timestamp, after: Timestamp, account: ID<Accounts.Account>, limit: Int
        static func decode(_ columns: inout Columns) throws -> (due: Timestamp, account: ID<Accounts.Account>) {
            (try columns("due_at"), try columns("account_id"))
        }
    }
}
