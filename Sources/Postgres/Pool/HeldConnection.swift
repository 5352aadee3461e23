/// One connection held alone, without a transaction: for scripts and for things that live as long as a connection, such as
/// session-level advisory locks. Valid only inside the closure that it was given to; the connection is closed after it.
package final class HeldConnection: Queryable {
    let database: Database
    let lease: Lease

    init(database: Database, lease: Lease) {
        self.database = database
        self.lease = lease
    }

    package func execute<S: Statement>(_ statement: S) async throws -> Executed<S.Output> {
        let request = Request(.statements(first: database.bind(statement), rest: []))
        try await database.submit(request, on: lease)
        return try Database.decode(request, as: S.self)
    }

    /// Runs the batch as one transaction in one round trip; gives the affected rows of each statement. Sent as one message: where it is
    /// short (below 8 KB) the server has all of it or nothing, and never waits for the rest inside the transaction.
    @discardableResult
    package func batch(_ build: (inout Batch) -> Void) async throws -> [Int] {
        var batch = Batch(database: database)
        build(&batch)
        guard let first = batch.statements.first else { return [] }
        let request = Request(.statements(first: first, rest: Array(batch.statements.dropFirst())))
        try await database.submit(request, on: lease)
        return Database.affectedRows(request)
    }

    /// Runs SQL text of several statements, as one transaction unless it holds `begin` and `commit` itself.
    package func script(_ sql: String) async throws {
        try await database.submit(Request(.script(sql)), on: lease)
    }
}

extension Database {
    /// Runs `body` on a connection of its own, closed afterwards. Not joined to a transaction of the task.
    package func session<Result: Sendable>(
        _ body: @Sendable (HeldConnection) async throws -> Result
    ) async throws -> Result {
        let lease = try await acquire()
        defer { release(lease, isClean: false) }
        return try await body(HeldConnection(database: self, lease: lease))
    }

    /// Waits for a connection of one's own. The caller gives it back with `release`.
    func acquire(sink: NotificationSink? = nil) async throws -> Lease {
        guard let inbox = engine?.inbox else { throw PostgresError(.closed) }
        let patience = ContinuousClock.now.advanced(by: settings.acquireTimeout)
        let lease = Lease(waitsUntil: min(patience, Deadline.current ?? patience), sink: sink)
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
                lease.continuation = continuation
                if !inbox.post(.acquire(lease)) { continuation.resume(throwing: PostgresError(.closed)) }
            }
        } onCancel: {
            inbox.post(.abandonLease(lease, .cancelled))
        }
        return lease
    }

    func release(_ lease: Lease, isClean: Bool) {
        engine?.inbox.post(.release(lease, isClean: isClean))
    }
}
