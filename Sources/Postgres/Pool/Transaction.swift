import Synchronization

/// How a transaction is shielded from others.
package enum Isolation: String, Sendable {
    case readCommitted = "read committed"
    case repeatableRead = "repeatable read"
    case serializable = "serializable"
}

/// One open transaction. Valid only inside the closure that it was given to.
package final class Transaction: Queryable {
    private struct State {
        var isBegun = false
        var hasEnded = false
        /// The first refusal of the server, after which nothing can be committed.
        var failure: PostgresError?
        /// What goes to the server together with the commit.
        var last: [BoundStatement] = []
        /// What has gone to the server, where somebody watches.
        var sent: [Plan] = []
    }

    let database: Database
    private let lease: Lease
    private let isolation: Isolation
    private let state = Mutex(State())

    /// A server that does not answer a commit for this long counts as lost; whether it committed is then unknown.
    private static let commitPatience = Duration.seconds(30)

    /// The transaction of the current task, which calls on the same `Database` join.
    @TaskLocal static var current: Transaction?

    init(database: Database, lease: Lease, isolation: Isolation) {
        self.database = database
        self.lease = lease
        self.isolation = isolation
    }

    var isOpen: Bool { state.withLock { !$0.hasEnded } }
    var failure: PostgresError? { state.withLock { $0.failure } }

    package func execute<S: Statement>(_ statement: S) async throws -> Executed<S.Output> {
        let (request, skip) = try request([database.bind(statement)])
        try await submit(request)
        let results = request.takeResults()
        defer { for result in results { clear(result) } }
        guard results.indices.contains(skip) else { throw PostgresError(.connectionLost, statement: S.name) }
        return try Results.decode(results[skip], as: S.self)
    }

    /// Runs several statements in one round trip; gives the affected rows of each.
    @discardableResult
    package func batch(_ build: (inout Batch) -> Void) async throws -> [Int] {
        var batch = Batch(database: database)
        build(&batch)
        guard !batch.statements.isEmpty else { return [] }
        let (request, skip) = try request(batch.statements)
        try await submit(request)
        return Array(Database.affectedRows(request).dropFirst(skip))
    }

    /// Has the batch run right before the commit of the outermost transaction, in the commit's own round trip: for rows that many
    /// transactions want at once, whose locks are then held while the server works and not while it waits for us.
    ///
    /// Batches run in the order in which they came. Nothing in the transaction sees what they do, and what they are refused for is the error
    /// of the whole transaction, which is then rolled back (and run again on 40001 and 40P01).
    package func atCommit(_ build: (inout Batch) -> Void) throws {
        var batch = Batch(database: database)
        build(&batch)
        let statements = batch.statements
        try state.withLock { state in
            guard !state.hasEnded else {
                throw PostgresError(
                    .misuse, statement: statements.first?.plan.label, message: "the transaction has ended")
            }
            state.last += statements
        }
    }

    /// Runs now what waits for the commit: where one transaction does several things, of which the later must see what the former did.
    package func flush() async throws {
        let due = state.withLock { state in
            defer { state.last = [] }
            return state.last
        }
        guard !due.isEmpty else { return }
        let (request, _) = try request(due)
        try await submit(request)
        _ = Database.affectedRows(request)
    }

    /// The answered request of several statements; the first `skip` results are not theirs.
    func answer(to statements: [BoundStatement]) async throws -> (request: Request, skip: Int) {
        let (request, skip) = try request(statements)
        try await submit(request)
        return (request, skip)
    }

    /// Runs SQL text of several statements through the simple protocol, inside this transaction.
    package func script(_ sql: String) async throws {
        try await run(Nothing())
        try await submit(Request(.script(sql)))
    }

    /// The statements as one request; the first one of the transaction carries `begin` along, and `skip` is then 1.
    private func request(_ statements: [BoundStatement]) throws -> (Request, skip: Int) {
        let isFirst = try state.withLock { state in
            guard !state.hasEnded else {
                throw PostgresError(
                    .misuse, statement: statements.first?.plan.label, message: "the transaction has ended")
            }
            defer { state.isBegun = true }
            if database.settings.watch != nil { state.sent += statements.map(\.plan) }
            return !state.isBegun
        }
        let all = isFirst ? [database.begin(isolation)] + statements : statements
        return (Request(.statements(first: all[0], rest: Array(all.dropFirst()))), isFirst ? 1 : 0)
    }

    func submit(_ request: Request) async throws {
        do {
            try await database.submit(request, on: lease)
        } catch let error as PostgresError {
            state.withLock { $0.failure = $0.failure ?? error }
            throw error
        }
    }

    /// Ends the transaction for its users; true where the server knows of it.
    private func end() -> Bool {
        let (isBegun, sent) = state.withLock { state in
            state.hasEnded = true
            defer { state.sent = [] }
            return (state.isBegun, state.sent)
        }
        if !sent.isEmpty { database.settings.watch?(sent.map(\.asSent)) }
        return isBegun
    }

    /// Commits. Throws what the server said when the transaction had failed: `commit` would otherwise roll back without a word.
    func commit() async throws {
        let last = state.withLock { state in
            if database.settings.watch != nil { state.sent += state.last.map(\.plan) }
            return state.last
        }
        let isBegun = end()
        guard isBegun || !last.isEmpty else { return database.release(lease, isClean: true) }
        if let failure {
            await rollback()
            throw failure
        }
        do {
            let all = (isBegun ? [] : [database.begin(isolation)]) + last + [database.bind(Commit())]
            let request = Request(
                .statements(first: all[0], rest: Array(all.dropFirst())),
                deadline: .now.advanced(by: Transaction.commitPatience), isCancellable: false)
            try await database.submit(request, on: lease)
            _ = request.takeResults().map(clear)
            database.release(lease, isClean: true)
            database.tellOfCommit()
        } catch {
            guard (error as? PostgresError)?.code == .server else {
                database.release(lease, isClean: false)
                throw error
            }
            // After a refused commit the server has rolled back; after a statement before it that was refused, it waits for that.
            if last.isEmpty {
                database.release(lease, isClean: true)
            } else {
                await sendRollback()
            }
            throw error
        }
    }

    /// Rolls back and gives the connection back; where that fails the connection is closed.
    func rollback() async {
        guard end() else { return database.release(lease, isClean: true) }
        await sendRollback()
    }

    private func sendRollback() async {
        let request = Request(
            .statements(first: database.bind(Rollback()), rest: []),
            deadline: .now.advanced(by: Engine.patience), isCancellable: false)
        do {
            try await database.submit(request, on: lease)
            _ = request.takeResults().map(clear)
            database.release(lease, isClean: true)
        } catch {
            database.release(lease, isClean: false)
        }
    }

    /// Begins a COPY on this connection. The server has said that it is ready.
    func beginCopy(_ sql: String) async throws -> CopySteps {
        try await run(NoTimeout())
        let request = Request(.copy(sql))
        try await submit(request)
        return CopySteps(database: database, lease: lease, request: request)
    }

    private struct NoTimeout: Statement {
        static let name = "postgres.no_statement_timeout"
        static let sql: SQL<Self> = "select set_config('statement_timeout', '0', true)"
    }

    private struct Nothing: Statement {
        static let name = "postgres.nothing"
        static let sql: SQL<Self> = "select"
    }

    private struct Commit: Statement {
        static let name = "postgres.commit"
        static let sql: SQL<Self> = "commit"
    }

    private struct Rollback: Statement {
        static let name = "postgres.rollback"
        static let sql: SQL<Self> = "rollback"
    }
}

extension Database {
    /// The transaction that a call made now belongs to.
    var openTransaction: Transaction? {
        guard let current = Transaction.current, current.database === self, current.isOpen else { return nil }
        return current
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
        if let outer = openTransaction { return try await body(outer) }
        return try await retrying(attempts: attempts) {
            let transaction = Transaction(database: self, lease: try await acquire(), isolation: isolation)
            let result: Result
            do {
                result = try await Transaction.$current.withValue(transaction) { try await body(transaction) }
            } catch {
                await transaction.rollback()
                // What `body` made of the server's refusal matters to the caller only when it is final.
                if let failure = transaction.failure, failure.isRetryable { throw Refusal(failure, shown: error) }
                throw error
            }
            try await transaction.commit()
            return result
        }
    }

    /// A retryable refusal that the caller sees as another error.
    private struct Refusal: Error {
        let failure: PostgresError
        let shown: any Error
        init(_ failure: PostgresError, shown: any Error) {
            self.failure = failure
            self.shown = shown
        }
    }

    /// Runs `operation` again after serialisation failures and deadlocks, after pauses that double and vary.
    func retrying<Result>(attempts: Int, _ operation: () async throws -> Result) async throws -> Result {
        var attempt = 1
        while true {
            let final: any Error
            do {
                return try await operation()
            } catch let refusal as Refusal {
                final = refusal.shown
            } catch let error as PostgresError where error.isRetryable {
                final = error
            }
            guard attempt < attempts else { throw final }
            let pause = Duration.milliseconds(Double.random(in: 2...10) * Double(1 << min(attempt, 6)))
            if let deadline = Deadline.current, ContinuousClock.now.advanced(by: pause) >= deadline { throw final }
            try await Task.sleep(for: pause)
            attempt += 1
        }
    }

    fileprivate func begin(_ isolation: Isolation) -> BoundStatement {
        switch isolation {
        case .readCommitted: bind(BeginReadCommitted())
        case .repeatableRead: bind(BeginRepeatableRead())
        case .serializable: bind(BeginSerializable())
        }
    }
}

private struct BeginReadCommitted: Statement {
    static let name = "postgres.begin_read_committed"
    static let sql: SQL<Self> = "begin isolation level read committed"
}

private struct BeginRepeatableRead: Statement {
    static let name = "postgres.begin_repeatable_read"
    static let sql: SQL<Self> = "begin isolation level repeatable read"
}

private struct BeginSerializable: Statement {
    static let name = "postgres.begin_serializable"
    static let sql: SQL<Self> = "begin isolation level serializable"
}
