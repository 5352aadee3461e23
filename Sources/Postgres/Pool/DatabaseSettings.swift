import FoundationEssentials

/// Where the database is and how much of it the pool may use.
package struct DatabaseSettings: Sendable {
    /// A libpq connection string, URI or `key=value`; `sslmode`, several hosts and `target_session_attrs` are libpq's business.
    package var conninfo: String
    /// Connections shared in pipeline mode by single statements. 1...64. One more than there are processors keeps them all at work; with
    /// more, the same callers go out in smaller portions (128 callers, 2 processors: 3 connections answer a third more than 4).
    package var sharedConnections: Int = min(max(ProcessInfo.processInfo.activeProcessorCount + 1, 3), 16)
    /// Connections that transactions, COPY and scripts hold alone. 1...256.
    package var exclusiveConnections: Int = 12
    /// How long a caller waits for a connection before `.poolExhausted`.
    package var acquireTimeout: Duration = .seconds(2)
    /// `statement_timeout` on every connection, a backstop behind `Deadline`.
    package var statementTimeout: Duration = .seconds(5)
    package var lockTimeout: Duration = .seconds(2)
    package var idleInTransactionTimeout: Duration = .seconds(10)
    /// Shown in `pg_stat_activity`.
    package var applicationName: String = "commonplace"
    /// Refuse connections to a server whose settings lose acknowledged writes.
    package var requiresDurability: Bool = true

    /// Is told what each transaction sent, in order, when it has ended. For tests; `nil`: nobody looks.
    package var watch: (@Sendable ([SentStatement]) -> Void)?

    package init(conninfo: String) { self.conninfo = conninfo }
}

/// A statement as it went to the server.
package struct SentStatement: Sendable {
    /// `Statement.name`.
    package let name: String
    package let sql: String

    package init(name: String, sql: String) { (self.name, self.sql) = (name, sql) }
}
