extension HeldConnection {
    /// Runs `body` in a transaction on this connection that changes nothing and sees everything as it was at one
    /// moment. For long reads: each statement and each pause between two of them may take `patience` (waiting for a
    /// lock, what the pool says); how long all of it may take, and so keep the server from clearing away old rows,
    /// `Deadline` says.
    ///
    /// Calls on `Database` in `body` go their own way. When `body` throws, the connection is of no further use: the
    /// session ends.
    package func reading<Result>(patience: Duration, _ body: () async throws -> Result) async throws -> Result {
        try await run(BeginReading())
        try await run(Patience(milliseconds: String(patience.wholeMilliseconds)))
        let result = try await body()
        try await run(EndReading())
        return result
    }

    /// Gives the rows of `statement` in their order to `body`, at most 200 at a time, inside `reading`: the server
    /// finds and sorts them once and keeps them until they are asked for. One after the other, never two at once.
    package func portions<S: Statement>(
        of statement: S, _ body: ([S.Output]) async throws -> Void
    ) async throws {
        try await run(Declare(statement: statement))
        while true {
            let rows = try await all(Fetch<S>())
            if !rows.isEmpty { try await body(rows) }
            guard rows.count == Fetch<S>.count else { break }
        }
        try await run(Close())
    }

    private struct BeginReading: Statement {
        static let name = "postgres.begin_reading"
        static let sql: SQL<Self> = "begin isolation level repeatable read, read only"
    }

    private struct EndReading: Statement {
        static let name = "postgres.end_reading"
        static let sql: SQL<Self> = "commit"
    }

    private struct Patience: Statement {
        static let name = "postgres.patience"
        static let sql: SQL<Self> = """
            select set_config('statement_timeout', \(\.milliseconds), true),
                   set_config('idle_in_transaction_session_timeout', \(\.milliseconds), true)
            """
        let milliseconds: String
    }

    private struct Declare<S: Statement>: Statement {
        static var name: String { S.name }
        static var sql: SQL<Self> { variants[0].sql }
        static var variants: [(label: String, sql: SQL<Self>)] {
            S.variants.map { ($0.label, "declare portion no scroll cursor for\n\($0.sql.of(\Self.statement))") }
        }
        let statement: S
        var choice: Int { statement.choice }
    }

    private struct Fetch<S: Statement>: Statement {
        static var count: Int { 200 }
        static var name: String { S.name }
        static var sql: SQL<Self> { "fetch forward \(count) from portion" }
        static func decode(_ columns: inout Columns) throws -> S.Output { try S.decode(&columns) }
    }

    private struct Close: Statement {
        static let name = "postgres.close_portion"
        static let sql: SQL<Self> = "close portion"
    }
}
