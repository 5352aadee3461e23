import DequeModule

/// Decides what is sent on one connection and what the answers mean. No socket: the shell tells what came and does what it is told.
///
/// Requests are answered in the order in which they were sent. Each ends with its own sync point, and only there is its outcome known:
/// the server commits an autocommit statement when it reaches the sync. Scripts and COPY run outside pipeline mode and alone.
struct ConnectionMachine {
    /// One thing that libpq gave.
    enum Event {
        /// A statement's success.
        case success
        /// A statement's failure.
        indirect case failure(PostgresError)
        /// Skipped because an earlier statement of the same request failed.
        case skipped
        /// The server waits for COPY data or is about to send it.
        case copyReady
        /// The end of one command's results.
        case separator
        /// The request's sync point.
        case sync
    }

    enum Action {
        case nothing
        /// The result at hand belongs to this request's caller.
        case keep(Request)
        /// The caller may go on with the next step of its COPY.
        case startCopy(Request)
        /// The request succeeded; its results are complete.
        case succeed(Request)
        indirect case fail(Request, PostgresError)
        /// The request had no effect and may run elsewhere or again.
        case resubmit(Request)
    }

    /// How a request is put on its way.
    enum Sending {
        /// Not now: it waits here until what is under way has ended.
        case hold
        /// In pipeline mode; the plans of the statements at these positions are prepared first, those in `stale` after being
        /// deallocated.
        case pipeline(toPrepare: [Int], stale: [Int])
        /// Alone, in the simple protocol.
        case plain
    }

    /// Boxed, so that a request in flight is small.
    private final class Refusal {
        let error: PostgresError
        init(_ error: PostgresError) { self.error = error }
    }

    private struct Flight {
        let request: Request
        /// Positions among this request's commands that are our own and not the caller's, each with its plan's index.
        var preparations: [(command: Int, plan: Int)] = []
        var command = 0
        var refusal: Refusal?
        /// A cancel request was in the air while this one was: a cancellation may have been meant for another.
        var mayBeStray = false

        /// `Statement.name` of what is being answered; a preparation stands right before its statement.
        var label: String? {
            let earlier = preparations.count { $0.command < command }
            return request.label(at: command - earlier)
        }
    }

    private enum Preparation: UInt8 {
        case none, done
        /// Prepared, but the schema has changed under it.
        case stale
    }

    private var flights: Deque<Flight> = []
    private var backlog: Deque<Request> = []
    private var isPlain = false
    /// One for each plan of the pool.
    private var prepared: [Preparation] = []
    /// A cancel request is on its way to the server; nothing new is sent until it has arrived, or it could hit that.
    private(set) var isCancelling = false
    /// The connection should not be used any more: the server is read-only, as after a failover.
    private(set) var isSpent = false

    /// Requests sent and not answered.
    var load: Int { flights.count }
    var isIdle: Bool { flights.isEmpty && backlog.isEmpty && !isCancelling }
    /// The request that the server is working on.
    var head: Request? { flights.first?.request }
    /// All that wait for an answer here, sent or not.
    var requests: [Request] { flights.map(\.request) + backlog }

    // MARK: Sending

    mutating func submit(_ request: Request) -> Sending {
        if isCancelling || isPlain || !backlog.isEmpty || request.isPlain && !flights.isEmpty {
            backlog.append(request)
            return .hold
        }
        return begin(request)
    }

    /// The next request whose turn has come; its caller's departure is the shell's to look at.
    mutating func next() -> (Request, Sending)? {
        while let first = backlog.first {
            if first.abandoned != nil, first.isCancellable {
                backlog.removeFirst()
                continue
            }
            guard !isCancelling, !isPlain, !first.isPlain || flights.isEmpty else { return nil }
            backlog.removeFirst()
            return (first, begin(first))
        }
        return nil
    }

    private mutating func begin(_ request: Request) -> Sending {
        var flight = Flight(request: request)
        guard !request.isPlain else {
            isPlain = true
            flights.append(flight)
            return .plain
        }
        var command = 0
        var toPrepare: [Int] = []
        var stale: [Int] = []
        for index in 0..<request.count {
            guard let plan = request.plan(at: index) else { break }
            let preparation = request.isUnnamed ? .none : preparation(of: plan.index)
            if preparation != .done {
                if preparation == .stale {
                    flight.preparations.append((command, plan.index))
                    stale.append(index)
                    command += 1
                }
                if !request.isUnnamed { prepared[plan.index] = .done }
                flight.preparations.append((command, plan.index))
                toPrepare.append(index)
                command += 1
            }
            command += 1
        }
        flights.append(flight)
        return .pipeline(toPrepare: toPrepare, stale: stale)
    }

    private mutating func preparation(of plan: Int) -> Preparation {
        if plan >= prepared.count {
            prepared.append(contentsOf: repeatElement(.none, count: plan + 32 - prepared.count))
        }
        return prepared[plan]
    }

    // MARK: Answers

    mutating func received(_ event: Event) -> Action {
        guard !flights.isEmpty else { return .nothing }
        switch event {
        case .success: return succeeded()
        case .failure(var error):
            if error.sqlState == .readOnlyTransaction { isSpent = true }
            guard flights[0].refusal == nil else { return .nothing }
            error.statement = flights[0].label
            flights[0].refusal = Refusal(error)
            // What should have been prepared from here on was not.
            for preparation in flights[0].preparations
            where preparation.command >= flights[0].command && !flights[0].request.isUnnamed {
                prepared[preparation.plan] = .none
            }
        case .copyReady: return .startCopy(flights[0].request)
        case .skipped: break
        case .separator:
            if isPlain { return finish() }
            flights[0].command += 1
        case .sync: return finish()
        }
        return .nothing
    }

    private func succeeded() -> Action {
        let request = flights[0].request
        if flights[0].refusal != nil || isPlain && !request.isCopy { return .nothing }
        if !flights[0].preparations.isEmpty {
            let command = flights[0].command
            if flights[0].preparations.contains(where: { $0.command == command }) { return .nothing }
        }
        return .keep(request)
    }

    private mutating func finish() -> Action {
        let flight = flights.removeFirst()
        isPlain = false
        guard let error = flight.refusal?.error else { return .succeed(flight.request) }
        if error.isChangedResultType { mark(flight.request, .stale) }
        if error.sqlState == .undefinedPreparedStatement { mark(flight.request, .none) }
        guard flight.request.mayRunAgain(after: error, isStray: flight.mayBeStray) else {
            return .fail(flight.request, error)
        }
        if error.sqlState == .undefinedPreparedStatement { flight.request.isUnnamed = true }
        return .resubmit(flight.request)
    }

    private mutating func mark(_ request: Request, _ preparation: Preparation) {
        for index in 0..<request.count {
            if let plan = request.plan(at: index), plan.index < prepared.count { prepared[plan.index] = preparation }
        }
    }

    // MARK: Cancelling and losing

    /// True where the caller of the request at the head has gone and the server should be told now. Everything in flight may be hit.
    mutating func beginCancelling() -> Bool {
        guard !isCancelling, let head, head.abandoned != nil, head.isCancellable else { return false }
        isCancelling = true
        for index in flights.indices { flights[index].mayBeStray = true }
        return true
    }

    /// The server has taken the cancel request. What was in flight may still be hit; what comes from now on may not.
    mutating func cancelReturned() { isCancelling = false }

    /// The connection is gone: everything here fails.
    mutating func lose() -> [Request] {
        let lost = requests
        flights.removeAll()
        backlog.removeAll()
        return lost
    }
}

extension Request {
    /// True for a transaction of its own that failed without effect and through no fault of its own: hit by a cancel request that was
    /// meant for another, relying on a preparation that failed in another's hands, or prepared before the schema changed.
    fileprivate func mayRunAgain(after error: PostgresError, isStray: Bool) -> Bool {
        guard isAutocommit, abandoned == nil, resubmissions < 3 else { return false }
        return error.sqlState == .undefinedPreparedStatement || error.isChangedResultType
            || isStray && error.sqlState == .queryCanceled
    }
}

extension SQLState {
    static let undefinedPreparedStatement = SQLState(rawValue: "26000")
    static let featureNotSupported = SQLState(rawValue: "0A000")
}

extension PostgresError {
    /// "cached plan must not change result type": the statement was prepared before a migration.
    fileprivate var isChangedResultType: Bool { sqlState == .featureNotSupported && routine == "RevalidateCachedQuery" }
}
