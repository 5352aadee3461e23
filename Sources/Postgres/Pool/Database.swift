import Logging
import ServiceLifecycle

/// A pool of connections to one database: the asynchronous face of libpq.
///
/// Statements run straight on the pool share connections in pipeline mode; a transaction holds one for its closure. Started by `init`,
/// stopped by `shutdown()` or by cancelling `run()`; heals lost connections by itself.
package final class Database: Queryable, Service {
    package let settings: DatabaseSettings

    /// Starts the I/O thread; connects lazily. Wrong settings show on the first call.
    package init(_ settings: DatabaseSettings, logger: Logger) {
        self.settings = settings
    }

    /// Waits for graceful shutdown, then closes every connection.
    package func run() async throws {
        try await gracefulShutdown()
        await shutdown()
    }

    /// Fails waiting callers with `.closed`, closes all connections and ends the thread. Safe to call twice.
    package func shutdown() async {}

    package func execute<S: Statement>(_ statement: S) async throws -> Executed<S.Output> {
        fatalError("not built yet")
    }

    /// Runs `body` in one transaction on a connection of its own and commits.
    ///
    /// When `body` throws, the transaction is rolled back and the error passed on. On 40001 and 40P01 everything is run again, up to
    /// `attempts` times with jittered pauses, so `body` must have no effect outside the database. A call made inside another transaction
    /// of the same task **joins** it: the outermost one begins, retries and commits, so that an operation can be part of a larger one.
    package func transaction<Result: Sendable>(
        isolation: Isolation = .readCommitted, attempts: Int = 5,
        _ body: @Sendable (Transaction) async throws -> Result
    ) async throws -> Result {
        fatalError("not built yet")
    }

    /// Runs the batch as one transaction in one round trip on a shared connection; gives the affected rows of each statement.
    /// Inside a transaction of the same task it joins that.
    @discardableResult
    package func batch(_ build: (inout Batch) -> Void) async throws -> [Int] {
        fatalError("not built yet")
    }

    /// Runs SQL text of several statements through the simple protocol on a connection of its own: migrations and set-up, never input.
    package func script(_ sql: String) async throws {
        fatalError("not built yet")
    }
}

/// How a transaction is shielded from others.
package enum Isolation: String, Sendable {
    case readCommitted = "read committed"
    case repeatableRead = "repeatable read"
    case serializable = "serializable"
}

/// One open transaction. Valid only inside the closure that it was given to.
package final class Transaction: Queryable {
    package func execute<S: Statement>(_ statement: S) async throws -> Executed<S.Output> {
        fatalError("not built yet")
    }
    init() {}
}

/// Statements that are sent together and committed together.
package struct Batch: Sendable {
    package mutating func run<S: Statement>(_ statement: S) {
        fatalError("not built yet")
    }
}
