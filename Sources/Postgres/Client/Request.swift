/// A statement with its values, ready to be sent.
struct BoundStatement: Sendable {
    let plan: Plan
    let parameters: Parameters
}

/// A result of libpq on its way from the I/O thread to the caller, who clears it.
struct ResultHandle: @unchecked Sendable {  // Guard: handed over once, by resuming one continuation.
    let pointer: OpaquePointer
}

/// One caller's work: one or more statements that share one sync point, and the caller who waits for their outcome.
///
/// `@unchecked Sendable`: the mutable fields belong to the caller until the request is posted to the I/O thread, to the I/O thread until
/// it resumes the continuation, and to the caller again after that; the inbox's lock and the resumption order the accesses.
final class Request: @unchecked Sendable {
    enum Body {
        /// Prepared statements in pipeline mode.
        case statements(first: BoundStatement, rest: [BoundStatement])
        /// SQL text of several statements through the simple protocol.
        case script(String)
    }

    let body: Body
    /// When the caller stops waiting.
    let deadline: ContinuousClock.Instant?
    /// True for statements that are a transaction of their own: they can be run again when they had no effect.
    let isAutocommit: Bool
    /// False for `commit` and `rollback`, which are never cancelled on the server.
    let isCancellable: Bool

    /// Set by the caller before posting.
    var continuation: UnsafeContinuation<Void, any Error>?
    /// One result for each statement, in order, filled by the I/O thread; the caller clears them.
    private(set) var first: OpaquePointer?
    private(set) var rest: [OpaquePointer] = []

    /// When a request that waits for a connection is given up.
    var waitsUntil: ContinuousClock.Instant?
    /// Why the caller no longer waits, once it does not.
    var abandoned: PostgresError.Code?
    /// How often the request was sent again because it had no effect through no fault of its own.
    var resubmissions = 0

    init(
        _ body: Body, deadline: ContinuousClock.Instant?, isAutocommit: Bool = false, isCancellable: Bool = true
    ) {
        self.body = body
        self.deadline = deadline
        self.isAutocommit = isAutocommit
        self.isCancellable = isCancellable
    }

    /// Statements to be answered before the sync point.
    var count: Int {
        if case .statements(_, let rest) = body { rest.count + 1 } else { 1 }
    }

    var plan: Plan? {
        if case .statements(let first, _) = body { first.plan } else { nil }
    }

    func plan(at index: Int) -> Plan? {
        guard case .statements(let first, let rest) = body else { return nil }
        return index == 0 ? first.plan : rest.indices.contains(index - 1) ? rest[index - 1].plan : nil
    }

    /// Takes over a result of the server, in order.
    func keep(_ result: OpaquePointer) {
        if first == nil { first = result } else { rest.append(result) }
    }

    /// Gives the results away, in order; nothing is left to clear here.
    func takeResults() -> [OpaquePointer] {
        guard let first else { return [] }
        let all = [first] + rest
        self.first = nil
        rest = []
        return all
    }

    /// The only result of a request of one statement.
    func takeFirst() -> OpaquePointer? {
        defer { first = nil }
        return first
    }

    deinit {
        for result in takeResults() { clear(result) }
    }
}
