import Logging
import ServiceLifecycle
import Synchronization

/// A pool of connections to one database: the asynchronous face of libpq.
///
/// Statements run straight on the pool share connections in pipeline mode; a transaction holds one for its closure. Started by `init`,
/// stopped by `shutdown()` or by cancelling `run()`; heals lost connections by itself.
package final class Database: Queryable, Service {
    package let settings: DatabaseSettings

    let plans = Plans()
    /// `nil` where the process has no descriptor or thread left for it.
    let engine: Engine?
    let logger: Logger
    let commitListeners = Mutex<[@Sendable () -> Void]>([])
    private let stopped: Stopped

    /// Whether the I/O thread has ended, and who waits for that.
    private final class Stopped: Sendable {
        let state = Mutex<(isDone: Bool, waiters: [UnsafeContinuation<Void, Never>])>((false, []))

        func finish() {
            let waiters = state.withLock { state in
                state.isDone = true
                defer { state.waiters = [] }
                return state.waiters
            }
            for waiter in waiters { waiter.resume() }
        }

        func wait() async {
            await withUnsafeContinuation { continuation in
                let isDone = state.withLock { state in
                    if !state.isDone { state.waiters.append(continuation) }
                    return state.isDone
                }
                if isDone { continuation.resume() }
            }
        }
    }

    /// Starts the I/O thread; connects lazily. Wrong settings show on the first call.
    package init(_ settings: DatabaseSettings, logger: Logger) {
        let stopped = Stopped()
        self.settings = settings
        self.logger = logger
        self.stopped = stopped
        let engine = try? Engine(settings, logger: logger, finished: { stopped.finish() })
        if let engine, engine.start() {
            self.engine = engine
        } else {
            self.engine = nil
            stopped.finish()
        }
    }

    deinit { engine?.inbox.post(.shutdown) }

    /// Waits for graceful shutdown, then closes every connection.
    package func run() async throws {
        try await gracefulShutdown()
        await shutdown()
    }

    /// Fails waiting callers with `.closed`, closes all connections and ends the thread. Statements and transactions that are under way
    /// finish first. Safe to call twice.
    package func shutdown() async {
        engine?.inbox.post(.shutdown)
        await stopped.wait()
    }

    package func execute<S: Statement>(_ statement: S) async throws -> Executed<S.Output> {
        if let transaction = openTransaction { return try await transaction.execute(statement) }
        let request =
            S.isPlannedOnce
            ? Request(.statements(first: bind(PlanOnce()), rest: [bind(statement)]), isAutocommit: true)
            : Request(.statements(first: bind(statement), rest: []), isAutocommit: true)
        try await submit(request)
        if S.isPlannedOnce, let settings = request.takeFirst() { clear(settings) }
        return try Database.decode(request, as: S.self)
    }

    /// Runs the batch as one transaction in one round trip on a shared connection; gives the affected rows of each statement.
    /// Run again on 40001 and 40P01, as a transaction is. Inside a transaction of the same task it joins that.
    @discardableResult
    package func batch(_ build: (inout Batch) -> Void) async throws -> [Int] {
        if let transaction = openTransaction { return try await transaction.batch(build) }
        var batch = Batch(database: self)
        build(&batch)
        guard let first = batch.statements.first else { return [] }
        let statements = batch.statements
        return try await retrying(attempts: 5) {
            let request = Request(.statements(first: first, rest: Array(statements.dropFirst())), isAutocommit: true)
            settings.watch?(statements.map(\.plan.asSent))
            try await submit(request)
            tellOfCommit()
            return Database.affectedRows(request)
        }
    }

    /// Runs SQL text of several statements through the simple protocol on a connection of its own: migrations and set-up, never input.
    /// Inside a transaction of the same task it joins that.
    package func script(_ sql: String) async throws {
        if let transaction = openTransaction { return try await transaction.script(sql) }
        try await session { try await $0.script(sql) }
    }

    func bind<S: Statement>(_ statement: S) -> BoundStatement { plans.bind(statement) }

    static func decode<S: Statement>(_ request: Request, as statement: S.Type) throws -> Executed<S.Output> {
        guard let result = request.takeFirst() else { throw PostgresError(.connectionLost, statement: S.name) }
        defer { clear(result) }
        return try Results.decode(result, as: S.self)
    }

    static func affectedRows(_ request: Request) -> [Int] {
        let results = request.takeResults()
        defer { for result in results { clear(result) } }
        return results.map(Results.affectedRows)
    }

    /// Sends the request over a shared connection, or over the lease's, and waits for its sync point.
    func submit(_ request: Request, on lease: Lease? = nil) async throws {
        guard let inbox = engine?.inbox else { throw PostgresError(.closed, statement: request.label) }
        let message = lease.map { Message.submitOn(request, $0) } ?? .submit(request)
        guard request.isCancellable else { return try await request.wait(posting: message, to: inbox) }
        try await withTaskCancellationHandler {
            try await request.wait(posting: message, to: inbox)
        } onCancel: {
            inbox.post(.abandon(request, .cancelled))
        }
    }
}

/// Holds until the end of the transaction, which the next statement shares.
struct PlanOnce: Statement {
    static let name = "postgres.plan_once"
    static let sql: SQL<Self> = "select set_config('plan_cache_mode', 'force_generic_plan', true)"
}

extension Request {
    /// Posts `message`, which carries this request, and waits until the I/O thread resumes it.
    func wait(posting message: Message, to inbox: Inbox) async throws {
        try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
            self.continuation = continuation
            if !inbox.post(message) { continuation.resume(throwing: PostgresError(.closed, statement: label)) }
        }
    }
}
