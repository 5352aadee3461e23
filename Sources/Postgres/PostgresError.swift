/// Why a call to the database failed.
///
/// The plain description names the code, SQLSTATE, constraint and statement and never a value or the server's message, so that it may be
/// logged; `message` and `detail` hold the server's words for a person at a terminal.
package struct PostgresError: Error, Sendable, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// The server refused the statement: see `sqlState`.
        case server
        /// No connection could be made: wrong address, server down, refused log-in.
        case connectionFailed
        /// The connection broke while this call was waiting. A write may or may not have happened.
        case connectionLost
        /// The deadline passed; the statement was cancelled on the server.
        case deadlineExceeded
        /// The calling task was cancelled; the statement was cancelled on the server.
        case cancelled
        /// No connection came free in time.
        case poolExhausted
        /// The pool is shutting down or was never started.
        case closed
        /// A value did not have the type that the Swift side expected, or was null.
        case decoding
        /// `one` found no row.
        case noRow
        /// The server's settings would lose acknowledged writes (`fsync`, `full_page_writes` or `synchronous_commit` off).
        case unsafeSettings
        /// The caller did something that the client does not allow, such as COPY inside a pipeline.
        case misuse
    }

    package let code: Code
    /// Five characters as in the Postgres manual's appendix A, where the server gave one.
    package var sqlState: SQLState?
    /// The name of the violated constraint, for 23xxx.
    package var constraint: String?
    package var table: String?
    package var column: String?
    /// `Statement.name` of what ran.
    package var statement: String?
    /// The server's or libpq's own words. May contain values: never log it, never send it to a client.
    package var message: String?
    package var detail: String?
    /// The server's function that refused, which tells apart errors that share a code.
    var routine: String?

    package init(
        _ code: Code, sqlState: SQLState? = nil, constraint: String? = nil, statement: String? = nil,
        message: String? = nil
    ) {
        self.code = code
        self.sqlState = sqlState
        self.constraint = constraint
        self.statement = statement
        self.message = message
    }

    package var description: String {
        var text = "PostgresError(\(code.rawValue)"
        if let sqlState { text += " \(sqlState.rawValue)" }
        if let constraint { text += " constraint=\(constraint)" }
        if let statement { text += " statement=\(statement)" }
        return text + ")"
    }

    /// True where running the whole transaction again may succeed: serialisation failure and deadlock.
    package var isRetryable: Bool {
        sqlState == .serializationFailure || sqlState == .deadlockDetected
    }

    /// True where the database is away, full or busy and the caller should come back later; HTTP answers 503.
    package var isUnavailable: Bool {
        switch code {
        case .connectionFailed, .connectionLost, .deadlineExceeded, .cancelled, .poolExhausted, .closed: true
        case .server: sqlState?.isUnavailable ?? false
        case .decoding, .noRow, .unsafeSettings, .misuse: false
        }
    }
}

/// A five-character error code of the server.
package struct SQLState: RawRepresentable, Hashable, Sendable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let uniqueViolation = SQLState(rawValue: "23505")
    package static let foreignKeyViolation = SQLState(rawValue: "23503")
    package static let checkViolation = SQLState(rawValue: "23514")
    package static let serializationFailure = SQLState(rawValue: "40001")
    package static let deadlockDetected = SQLState(rawValue: "40P01")
    package static let lockNotAvailable = SQLState(rawValue: "55P03")
    package static let queryCanceled = SQLState(rawValue: "57014")
    package static let readOnlyTransaction = SQLState(rawValue: "25006")
    package static let diskFull = SQLState(rawValue: "53100")
    package static let insufficientPrivilege = SQLState(rawValue: "42501")
    package static let undefinedTable = SQLState(rawValue: "42P01")
    package static let syntaxError = SQLState(rawValue: "42601")

    /// The first two characters: `23` integrity, `53` resources, `57` operator intervention, `08` connection.
    package var classCode: Substring { rawValue.prefix(2) }

    /// Retryable, resource, connection and operator classes, and a read-only or starting server.
    package var isUnavailable: Bool {
        ["08", "53", "57", "58"].contains(classCode)
            || [.serializationFailure, .deadlockDetected, .lockNotAvailable, .readOnlyTransaction].contains(self)
    }
}
