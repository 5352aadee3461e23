/// Something that statements can be run on: the pool (`Database`) or one open transaction (`Transaction`).
///
/// Calls made at the same time (`async let`, task groups) travel to the server together (pipeline mode) and each has its own outcome.
/// All calls throw `PostgresError`, honour `Deadline.current` and the cancellation of the calling task: both cancel the statement on
/// the server.
package protocol Queryable: Sendable {
    /// Runs `statement` and gives every row, decoded, with the number of rows that the command tag names as affected.
    func execute<S: Statement>(_ statement: S) async throws -> Executed<S.Output>
}

/// The outcome of one statement.
package struct Executed<Output: Sendable>: Sendable {
    /// The decoded rows, in the order that the server gave.
    package let rows: [Output]
    /// Rows inserted, updated, deleted or selected, as the server's command tag says; 0 where the tag names none.
    package let affected: Int

    package init(rows: [Output], affected: Int) {
        self.rows = rows
        self.affected = affected
    }
}

extension Queryable {
    /// Every row.
    package func all<S: Statement>(_ statement: S) async throws -> [S.Output] {
        try await execute(statement).rows
    }

    /// The first row, or `nil` where there is none. Write `limit 1` in the statement: the rest would travel for nothing.
    package func first<S: Statement>(_ statement: S) async throws -> S.Output? {
        try await execute(statement).rows.first
    }

    /// The only row. Throws `PostgresError` with code `.noRow` where there is none.
    package func one<S: Statement>(_ statement: S) async throws -> S.Output {
        guard let row = try await execute(statement).rows.first else {
            throw PostgresError(.noRow, statement: S.name)
        }
        return row
    }

    /// Runs the statement for its effect and tells how many rows it touched.
    @discardableResult
    package func run<S: Statement>(_ statement: S) async throws -> Int {
        try await execute(statement).affected
    }
}
