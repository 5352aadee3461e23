import Postgres

/// True while there are accounts that `commonplace demo` made.
struct HasDemonstration: Statement {
    static let name = "app.has_demonstration"
    static let sql: SQL<Self> = "select exists (select 1 from account where is_demo and state <> 'deleted')"
    typealias Output = Bool
}

/// The least that a database can answer.
struct Answers: Statement {
    static let name = "app.answers"
    static let sql: SQL<Self> = "select 1"
}

/// False on a standby, and where transactions are read-only unless they say otherwise.
struct TakesWrites: Statement {
    static let name = "app.takes_writes"
    static let sql: SQL<Self> = "select current_setting('transaction_read_only') = 'off'"
    typealias Output = Bool
}

/// The number of the last migration that is applied; 0 where there is none.
struct SchemaNumber: Statement {
    static let name = "app.schema_number"
    static let sql: SQL<Self> = "select coalesce(max(number), 0) from schema_migration where state = 'applied'"
    typealias Output = Int
}

/// What the database says of itself, for `commonplace doctor`.
struct ServerFacts: Statement {
    struct Output: Sendable {
        let version: Int
        let role: String
        let isSuperuser: Bool
        /// Reached through a Unix socket.
        let isLocal: Bool
        let now: Timestamp
    }

    static let name = "app.server_facts"
    static let sql: SQL<Self> = """
        select current_setting('server_version_num')::int as version, current_user::text as role, rolsuper, inet_server_addr() is null as is_local,
               clock_timestamp() as now
          from pg_roles
         where rolname = current_user
        """
    static func decode(_ columns: inout Columns) throws -> Output {
        Output(
            version: try columns("version"), role: try columns("role"), isSuperuser: try columns("rolsuper"),
            isLocal: try columns("is_local"), now: try columns("now"))
    }
}

/// Books, and those without a description among them: of the first million, so that it stays quick.
struct BookGaps: Statement {
    static let most = 1_000_000
    static let name = "app.book_gaps"
    static let sql: SQL<Self> = """
        select count(*) as books, count(*) filter (where description is null) as undescribed
          from (select description from work where merged_into is null and withdrawn_at is null and title is not null limit \(most)) book
        """
    static func decode(_ columns: inout Columns) throws -> (books: Int, undescribed: Int) {
        (try columns("books"), try columns("undescribed"))
    }
}

/// Bytes of the database on disk, what an open transaction has written included.
struct DatabaseSize: Statement {
    static let name = "app.database_size"
    static let sql: SQL<Self> = "select pg_database_size(current_database())"
    typealias Output = Int
}
