import Postgres

extension Accounts {
    static let departureStatements: [any Statement.Type] = [
        Statements.Leave.self, Statements.Stay.self, Statements.IsDeparting.self, Statements.HasDeparted.self,
        Statements.SetStateBefore.self, Statements.Departed.self, Statements.LockWhole.self,
    ]
}

extension Accounts.Statements {
    /// Locks an account also against those who only hold it in place (`for key share`) while they write of it, as
    /// whoever tells a reader of something does.
    struct LockWhole: Statement {
        static let name = "accounts.lock_whole"
        static let sql = "select from account where id = $1 for update"
        let account: ID<Accounts.Account>
        func bind(to parameters: inout Parameters) { parameters.append(account) }
    }

    /// An account leaves on that day, or on the one that it named before; gives the day.
    struct Leave: Statement {
        static let name = "accounts.leave"
        static let sql = """
            insert into departure (account_id, asked_at, due_at) values ($1, $2, $3)
                on conflict (account_id) do update set due_at = departure.due_at
            returning due_at
            """
        let account: ID<Accounts.Account>
        let now: Timestamp
        let due: Timestamp
        func bind(to parameters: inout Parameters) {
            parameters.append(account)
            parameters.append(now)
            parameters.append(due)
        }
        static func decode(_ row: borrowing Row) throws -> Timestamp { try row[0] }
    }

    struct Stay: Statement {
        static let name = "accounts.stay"
        static let sql = "delete from departure where account_id = $1"
        let account: ID<Accounts.Account>
        func bind(to parameters: inout Parameters) { parameters.append(account) }
    }

    /// Whether the owner of an account has left it, whether or not it is suspended besides.
    struct IsDeparting: Statement {
        static let name = "accounts.is_departing"
        static let sql = "select exists (select 1 from departure where account_id = $1)"
        let account: ID<Accounts.Account>
        func bind(to parameters: inout Parameters) { parameters.append(account) }
        static func decode(_ row: borrowing Row) throws -> Bool { try row[0] }
    }

    /// Whether the grace of an account, which is locked, has ended.
    struct HasDeparted: Statement {
        static let name = "accounts.has_departed"
        static let sql = "select exists (select 1 from departure where account_id = $1 and due_at <= $2)"
        let account: ID<Accounts.Account>
        let now: Timestamp
        func bind(to parameters: inout Parameters) {
            parameters.append(account)
            parameters.append(now)
        }
        static func decode(_ row: borrowing Row) throws -> Bool { try row[0] }
    }

    /// What a leaving account is again when its owner comes back.
    struct SetStateBefore: Statement {
        static let name = "accounts.set_state_before"
        static let sql = "update account set state_before = $2 where id = $1 and state = 'leaving'"
        let account: ID<Accounts.Account>
        let state: Accounts.State
        func bind(to parameters: inout Parameters) {
            parameters.append(account)
            parameters.append(state)
        }
    }

    /// Accounts whose grace has ended, longest first, behind a place in that order; index `departure_due`.
    struct Departed: Statement {
        static let name = "accounts.departed"
        static let sql = """
            select due_at, account_id
              from departure
             where due_at <= $1
               and (due_at, account_id) > ($2, $3)
             order by due_at, account_id
             limit $4
            """
        let now: Timestamp
        let after: Timestamp
        let account: ID<Accounts.Account>
        let limit: Int
        func bind(to parameters: inout Parameters) {
            parameters.append(now)
            parameters.append(after)
            parameters.append(account)
            parameters.append(limit)
        }
        static func decode(_ row: borrowing Row) throws -> (due: Timestamp, account: ID<Accounts.Account>) {
            (try row[0], try row[1])
        }
    }
}
