import CLibpq
import FoundationEssentials
import Glibc
import PlainText

/// One plain connection that waits for each answer: for the migrator and the local cluster, which do one thing after the other,
/// hold session locks and run before there is a pool. Everything else uses `Database`.
///
/// Belongs to one thread; `DirectConnection.onThread` gives it one, so that no thread of Swift's own pool ever waits. Closes when released.
package final class DirectConnection {
    private let connection: OpaquePointer

    /// Connects, waiting at most 10 s per host unless `conninfo` sets `connect_timeout`. Throws `.connectionFailed`.
    package init(_ conninfo: String, applicationName: String) throws {
        // Later keywords win, and `dbname` is expanded in place: what the operator wrote overrides our defaults.
        let options = [
            "connect_timeout": "10", "fallback_application_name": applicationName, "client_encoding": "UTF8",
        ]
        let names = options.keys.sorted() + ["dbname"]
        let values = options.keys.sorted().compactMap { options[$0] } + [conninfo]
        let opened = Self.withCStrings(names.map(Optional.some)) { names in
            Self.withCStrings(values.map(Optional.some)) { PQconnectdbParams(names + [nil], $0 + [nil], 1) }
        }
        guard let opened else { throw PostgresError(.connectionFailed, message: "out of memory") }
        guard PQstatus(opened) == CONNECTION_OK else {
            let message = Self.text(PQerrorMessage(opened))
            PQfinish(opened)
            throw PostgresError(.connectionFailed, message: message)
        }
        PQsetNoticeProcessor(opened, { _, _ in }, nil)
        connection = opened
    }

    deinit { PQfinish(connection) }

    /// True between `begin` and its end, also when the transaction has failed.
    package var isInTransaction: Bool { PQtransactionStatus(connection) != PQTRANS_IDLE }

    /// Runs one statement, its parameters as text, and gives its rows as text. Throws `.server` or `.connectionLost`.
    @discardableResult
    package func run(_ sql: String, _ parameters: String?...) throws -> [[String?]] {
        try run(sql, parameters)
    }

    private func run(_ sql: String, _ parameters: [String?]) throws -> [[String?]] {
        let result = Self.withCStrings(parameters) { values in
            parameters.isEmpty
                ? PQexec(connection, sql)
                : PQexecParams(connection, sql, Int32(values.count), nil, values, nil, nil, 0)
        }
        defer { PQclear(result) }
        switch PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: break
        default: throw failure(result)
        }
        return (0..<PQntuples(result)).map { row in
            (0..<PQnfields(result)).map { column in
                PQgetisnull(result, row, column) == 1 ? nil : Self.text(PQgetvalue(result, row, column))
            }
        }
    }

    /// The first column of the first row.
    package func value(_ sql: String, _ parameters: String?...) throws -> String? {
        try run(sql, parameters).first?.first ?? nil
    }

    /// Runs `body` on a thread of its own and waits for it without blocking a thread of Swift's pool.
    package static func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws
        -> Result
    {
        try await withCheckedThrowingContinuation { continuation in
            let started = SystemThread.start { continuation.resume(with: Swift.Result { try body() }) }
            if !started {
                continuation.resume(
                    throwing: PostgresError(.connectionFailed, message: "the system gives no more threads"))
            }
        }
    }

    private func failure(_ result: OpaquePointer?) -> PostgresError {
        func field(_ code: Character) -> String? {
            PQresultErrorField(result, Int32(code.asciiValue ?? 0)).map { Self.text($0) }
        }
        let lost = PQstatus(connection) != CONNECTION_OK
        // The field codes of `PQresultErrorField`: macros in C, hence letters here.
        let message = field("M") ?? Self.text(PQerrorMessage(connection))
        var error = PostgresError(
            lost ? .connectionLost : .server, sqlState: field("C").map(SQLState.init), message: message)
        error.constraint = field("n")
        error.detail = field("D")
        return error
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String {
        pointer.map { String(cString: $0).trimmed() } ?? ""
    }

    private static func withCStrings<Result>(
        _ strings: [String?], _ body: ([UnsafePointer<CChar>?]) throws -> Result
    ) rethrows -> Result {
        let copies = strings.map { $0.map { strdup($0) } ?? nil }
        defer { for copy in copies { free(copy) } }
        return try body(copies.map { UnsafePointer($0) })
    }
}
