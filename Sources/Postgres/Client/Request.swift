/// A statement with its values, ready to be sent.
struct BoundStatement: Sendable {
    let plan: Plan
    let parameters: Parameters
}

/// One caller's work: one or more statements that share one sync point, and the caller who waits for their outcome.
///
/// `@unchecked Sendable`: the mutable fields belong to the caller until the request is posted to the I/O thread, to the I/O thread until
/// it resumes the continuation, and to the caller again after that; the inbox's lock and the resumption order the accesses.
/// `@exclusivity(unchecked)` as in `Engine`.
final class Request: @unchecked Sendable {
    enum Body {
        /// Prepared statements in pipeline mode.
        case statements(first: BoundStatement, rest: [BoundStatement])
        /// Prepares without running and asks for the types of parameters and columns.
        case describe(Plan)
        /// SQL text of several statements through the simple protocol.
        case script(String)
        /// A `copy … from stdin` or `copy … to stdout`, whose data goes in steps.
        case copy(String)
    }

    let body: Body
    /// When the caller stops waiting. For what is not cancellable: when the connection is given up as dead.
    let deadline: ContinuousClock.Instant?
    /// True for statements that are a transaction of their own: they can be run again when they had no effect.
    let isAutocommit: Bool
    /// False for `commit` and `rollback`, which are never cancelled on the server.
    let isCancellable: Bool

    /// Set by the caller before each posting, resumed once.
    @exclusivity(unchecked)
    var continuation: UnsafeContinuation<Void, any Error>?
    /// The first statement's result, filled by the I/O thread; who takes it clears it.
    @exclusivity(unchecked)
    private var first: OpaquePointer?
    @exclusivity(unchecked)
    private var rest: [OpaquePointer] = []

    /// When a request that waits for a connection is given up.
    var waitsUntil: ContinuousClock.Instant?
    /// When it was given to a connection.
    @exclusivity(unchecked)
    var sentAt: ContinuousClock.Instant?
    /// Why the caller no longer waits, once it does not.
    @exclusivity(unchecked)
    var abandoned: PostgresError.Code?
    /// How often the request was sent again because it had no effect through no fault of its own.
    var resubmissions = 0
    /// Prepared for this one run under no name: another's failing preparation can then not stand in its way.
    var isUnnamed = false
    /// The last word on this request has come, and what it was.
    @exclusivity(unchecked)
    var isFinished = false
    @exclusivity(unchecked)
    var failure: PostgresError?
    /// What `copy … to stdout` gave in the last step; empty at the end.
    var copied: [UInt8] = []

    init(
        _ body: Body, deadline: ContinuousClock.Instant? = Deadline.current, isAutocommit: Bool = false,
        isCancellable: Bool = true
    ) {
        self.body = body
        self.deadline = deadline
        self.isAutocommit = isAutocommit
        self.isCancellable = isCancellable
    }

    /// Statements to be answered before the sync point.
    var count: Int {
        switch body {
        case .statements(_, let rest): rest.count + 1
        case .describe: 2
        case .script, .copy: 1
        }
    }

    /// True for what libpq does outside pipeline mode only.
    var isPlain: Bool {
        switch body {
        case .statements, .describe: false
        case .script, .copy: true
        }
    }

    var isCopy: Bool { if case .copy = body { true } else { false } }

    /// `Statement.name`, for errors.
    var label: String? {
        switch body {
        case .statements(let first, _): first.plan.label
        case .describe(let plan): plan.label
        case .script, .copy: nil
        }
    }

    /// `Statement.name` of statement `index`.
    func label(at index: Int) -> String? { plan(at: index)?.label ?? label }

    /// The plan to be prepared before statement `index`.
    func plan(at index: Int) -> Plan? {
        guard case .statements(let first, let rest) = body else { return nil }
        return index == 0 ? first.plan : rest.indices.contains(index - 1) ? rest[index - 1].plan : nil
    }

    /// Takes over a result of the server, in order.
    func keep(_ result: OpaquePointer) {
        if first == nil { first = result } else { rest.append(result) }
    }

    /// Forgets all results, before the request is sent again.
    func dropResults() { for result in takeResults() { clear(result) } }

    /// Gives the results away, in order; nothing is left to clear here.
    func takeResults() -> [OpaquePointer] {
        guard let first else { return [] }
        let all = [first] + rest
        self.first = nil
        rest = []
        return all
    }

    /// Gives away the next result, in order.
    func takeFirst() -> OpaquePointer? {
        defer { first = rest.isEmpty ? nil : rest.removeFirst() }
        return first
    }

    deinit { dropResults() }
}
