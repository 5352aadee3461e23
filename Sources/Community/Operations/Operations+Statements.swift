import Postgres

extension Operations {
    enum Statements {
        static let columns: Fragment = "id, kind, state, done_count, total_count, created_at"

        static func asOperation(_ columns: inout Columns) throws -> Operation {
            Operation(
                id: try columns("id"), kind: try columns("kind"), state: try columns("state"),
                done: try columns("done_count"), total: try columns("total_count"),
                createdAt: try columns("created_at"))
        }
    }
}

extension Operations.Statements {
    struct Insert: Statement {
        static let sql: SQL<Self> = """
            insert into operation (id, reader_id, kind) values (\(\.id), \(\.reader), \(\.kind))
            """
        let id: ID<Operations.Operation>, reader: ID<Accounts.Account>, kind: String
    }

    struct Find: Statement {
        static let sql: SQL<Self> = "select \(columns) from operation where id = \(\.id) and reader_id = \(\.reader)"
        let id: ID<Operations.Operation>, reader: ID<Accounts.Account>

        static func decode(_ columns: inout Columns) throws -> Operations.Operation { try asOperation(&columns) }
    }

    /// Says how far one is that has not ended, and whether its reader is to be told: of one that has gone on for a
    /// while, now and then.
    struct Advance: Statement {
        static let sql: SQL<Self> = """
            with former as materialized (
                select id, greatest(told_at, created_at) + make_interval(secs => \(Limits.Operations.tellsEvery.components.seconds)) <= now() as is_due
                  from operation
                 where id = \(\.id)
                   and state in ('waiting', 'running')
                   for update
            )
            update operation
               set state = 'running', done_count = least(\(\.done)::bigint, \(\.total)::bigint), total_count = \(\.total),
                   told_at = case when former.is_due then now() else told_at end
              from former
             where operation.id = former.id
            returning operation.\(columns), operation.reader_id, former.is_due
            """
        let id: ID<Operations.Operation>, done: Int, total: Int

        static func decode(
            _ columns: inout Columns
        ) throws -> (operation: Operations.Operation, reader: ID<Accounts.Account>, isTold: Bool) {
            (try asOperation(&columns), try columns("reader_id"), try columns("is_due"))
        }
    }

    /// Ends one that has not ended; no row where it has, or is gone.
    struct End: Statement {
        static let sql: SQL<Self> = """
            update operation
               set state = case when \(\.isDone) then 'done' else 'failed' end,
                   done_count = case when \(\.isDone) then coalesce(total_count, done_count) else done_count end,
                   told_at = clock_timestamp()
             where id = \(\.id)
               and state in ('waiting', 'running')
            returning \(columns), reader_id
            """
        let id: ID<Operations.Operation>, isDone: Bool

        static func decode(
            _ columns: inout Columns
        ) throws -> (operation: Operations.Operation, reader: ID<Accounts.Account>) {
            (try asOperation(&columns), try columns("reader_id"))
        }
    }

    /// Seconds until its reader may be told again; 0 where that is now.
    struct Wait: Statement {
        static let sql: SQL<Self> = """
            select greatest(extract(epoch from greatest(told_at, '1970-01-01') - clock_timestamp())::float8
                                + \(Limits.Operations.tellsEvery.components.seconds), 0)
              from operation
             where id = \(\.id)
            """
        let id: ID<Operations.Operation>
        typealias Output = Double
    }

    /// Index `operation_told`.
    struct Sweep: Statement {
        static let sql: SQL<Self> = """
            delete from operation
             where greatest(told_at, created_at) < now() - interval '\(Limits.Operations.days) days'
            """
    }

    struct Remove: Statement {
        static let sql: SQL<Self> = "delete from operation where reader_id = \(\.reader)"
        let reader: ID<Accounts.Account>
    }
}
