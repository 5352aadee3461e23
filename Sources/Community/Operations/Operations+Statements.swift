import Postgres

extension Operations {
    package static let statements: [any Statement.Type] = [
        Statements.Insert.self, Statements.Find.self, Statements.Advance.self, Statements.End.self,
        Statements.Wait.self, Statements.Sweep.self, Statements.Remove.self,
    ]

    enum Statements {
        static let columns: Fragment = "id, kind, state, done_count, total_count, created_at"

        static func asOperation(_ row: borrowing Row) throws -> Operation {
            Operation(
                id: try row[0], kind: try row[1], state: try row[2], done: try row[3], total: try row[4],
                createdAt: try row[5])
        }
    }
}

extension Operations.Statements {
    struct Insert: Statement {
        static let name = "operations.insert"
        static let sql: SQL<Self> = """
            insert into operation (id, reader_id, kind) values (\(\.id), \(\.reader), \(\.kind))
            """
        let id: ID<Operations.Operation>
        let reader: ID<Accounts.Account>
        let kind: String
    }

    struct Find: Statement {
        static let name = "operations.find"
        static let sql: SQL<Self> = "select \(columns) from operation where id = \(\.id) and reader_id = \(\.reader)"
        let id: ID<Operations.Operation>
        let reader: ID<Accounts.Account>

        static func decode(_ row: borrowing Row) throws -> Operations.Operation { try asOperation(row) }
    }

    /// Says how far one is that has not ended, and whether its reader is to be told: of one that has gone on for a while, now and then.
    struct Advance: PositionalStatement {
        static let name = "operations.advance"
        static let sql = """
            with former as materialized (
                select id, greatest(told_at, created_at) + make_interval(secs => $4) <= now() as is_due
                  from operation
                 where id = $1
                   and state in ('waiting', 'running')
                   for update
            )
            update operation
               set state = 'running', done_count = least($2::bigint, $3::bigint), total_count = $3,
                   told_at = case when former.is_due then now() else told_at end
              from former
             where operation.id = former.id
            returning operation.\(columns), operation.reader_id, former.is_due
            """
        let id: ID<Operations.Operation>
        let done: Int
        let total: Int

        func bind(to parameters: inout Parameters) {
            parameters.append(id)
            parameters.append(done)
            parameters.append(total)
            parameters.append(Double(Limits.Operations.tellsEvery.components.seconds))
        }

        static func decode(
            _ row: borrowing Row
        ) throws -> (operation: Operations.Operation, reader: ID<Accounts.Account>, isTold: Bool) {
            (try asOperation(row), try row[6], try row[7])
        }
    }

    /// Ends one that has not ended; no row where it has, or is gone.
    struct End: Statement {
        static let name = "operations.end"
        static let sql: SQL<Self> = """
            update operation
               set state = case when \(\.isDone) then 'done' else 'failed' end,
                   done_count = case when \(\.isDone) then coalesce(total_count, done_count) else done_count end,
                   told_at = clock_timestamp()
             where id = \(\.id)
               and state in ('waiting', 'running')
            returning \(columns), reader_id
            """
        let id: ID<Operations.Operation>
        let isDone: Bool

        static func decode(
            _ row: borrowing Row
        ) throws -> (operation: Operations.Operation, reader: ID<Accounts.Account>) {
            (try asOperation(row), try row[6])
        }
    }

    /// Seconds until its reader may be told again; 0 where that is now.
    struct Wait: PositionalStatement {
        static let name = "operations.wait"
        static let sql = """
            select greatest(extract(epoch from greatest(told_at, '1970-01-01') - clock_timestamp())::float8 + $2, 0)
              from operation
             where id = $1
            """
        let id: ID<Operations.Operation>

        func bind(to parameters: inout Parameters) {
            parameters.append(id)
            parameters.append(Double(Limits.Operations.tellsEvery.components.seconds))
        }

        static func decode(_ row: borrowing Row) throws -> Double { try row[0] }
    }

    /// Index `operation_told`.
    struct Sweep: Statement {
        static let name = "operations.sweep"
        static let sql: SQL<Self> = """
            delete from operation
             where greatest(told_at, created_at) < now() - interval '\(Limits.Operations.days) days'
            """
    }

    struct Remove: Statement {
        static let name = "operations.remove"
        static let sql: SQL<Self> = "delete from operation where reader_id = \(\.reader)"
        let reader: ID<Accounts.Account>
    }
}
