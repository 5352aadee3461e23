import DequeModule

/// Decides what the answers on one connection mean. No socket: the shell tells what came and does what it is told.
///
/// Requests are answered in the order in which they were sent. Each ends with its own sync point, and only there is its outcome known:
/// the server commits an autocommit statement when it reaches the sync.
struct ConnectionMachine {
    /// One thing that libpq gave.
    enum Event {
        /// A statement's success.
        case success
        /// A statement's failure.
        case failure(PostgresError)
        /// Skipped because an earlier statement of the same request failed.
        case skipped
        /// The end of one command's results.
        case separator
        /// The request's sync point.
        case sync
    }

    enum Action {
        case nothing
        /// The result at hand belongs to this request's caller.
        case keep(Request)
        /// The request succeeded; its results are complete.
        case succeed(Request)
        case fail(Request, PostgresError)
        /// The request had no effect and may run elsewhere or again.
        case resubmit(Request)
    }

    private struct Flight {
        let request: Request
        /// Positions among this request's commands that are preparations, each with its plan's index.
        var preparations: [(command: Int, plan: Int)] = []
        var command = 0
        var error: PostgresError?
        /// A cancel request was in the air while this one was: a cancellation may have been meant for another.
        var mayBeStray = false
        var isExposed: Bool { mayBeStray && request.abandoned == nil }
    }

    private var flights: Deque<Flight> = []
    /// One flag for each plan of the pool: prepared here.
    private var prepared: [Bool] = []
    /// A cancel request is on its way to the server.
    private(set) var isCancelling = false
    /// No more requests are to be sent: the server said that it cannot serve them (read-only after a failover).
    private(set) var isSpent = false

    var load: Int { flights.count }
    var isIdle: Bool { flights.isEmpty && !isCancelling }
    /// The request that the server is working on.
    var head: Request? { flights.first?.request }
    var requests: [Request] { flights.map(\.request) }

    /// Records that `request` is being sent. Calls `prepare` for each of its plans that this connection must prepare first; the shell
    /// sends them in the order of the calls, each right before its statement.
    mutating func send(_ request: Request) -> [Int] {
        var flight = Flight(request: request)
        var command = 0
        var toPrepare: [Int] = []
        for index in 0..<request.count {
            guard let plan = request.plan(at: index) else { break }
            if !isPrepared(plan.index) {
                prepared[plan.index] = true
                flight.preparations.append((command, plan.index))
                toPrepare.append(index)
                command += 1
            }
            command += 1
        }
        flights.append(flight)
        return toPrepare
    }

    private mutating func isPrepared(_ plan: Int) -> Bool {
        if plan >= prepared.count {
            prepared.append(contentsOf: repeatElement(false, count: plan + 32 - prepared.count))
        }
        return prepared[plan]
    }

    mutating func received(_ event: Event) -> Action {
        guard !flights.isEmpty else { return .nothing }
        switch event {
        case .success:
            guard flights[0].error == nil else { return .nothing }
            let command = flights[0].command
            if flights[0].preparations.contains(where: { $0.command == command }) { return .nothing }
            return .keep(flights[0].request)
        case .failure(let error):
            if flights[0].error == nil {
                flights[0].error = error
                // What should have been prepared from here on was not.
                for preparation in flights[0].preparations where preparation.command >= flights[0].command {
                    prepared[preparation.plan] = false
                }
            }
            if error.sqlState == .readOnlyTransaction { isSpent = true }
            return .nothing
        case .skipped:
            return .nothing
        case .separator:
            flights[0].command += 1
            return .nothing
        case .sync:
            return finish(flights.removeFirst())
        }
    }

    private mutating func finish(_ flight: Flight) -> Action {
        guard let error = flight.error else { return .succeed(flight.request) }
        if flight.request.isAutocommit, flight.request.abandoned == nil, flight.request.resubmissions < 3 {
            if error.sqlState == .undefinedPreparedStatement {
                // Another request was to prepare it and failed.
                forget(flight.request)
                return .resubmit(flight.request)
            }
            if flight.mayBeStray, error.sqlState == .queryCanceled { return .resubmit(flight.request) }
        }
        return .fail(flight.request, error)
    }

    private mutating func forget(_ request: Request) {
        for index in 0..<request.count {
            if let plan = request.plan(at: index), plan.index < prepared.count { prepared[plan.index] = false }
        }
    }

    /// The caller of the request at the head has gone: true where the server should be told to cancel now.
    mutating func beginCancelling() -> Bool {
        guard !isCancelling, let head = flights.first?.request, head.abandoned != nil, head.isCancellable else { return false }
        isCancelling = true
        for index in flights.indices { flights[index].mayBeStray = true }
        return true
    }

    mutating func cancelReturned() { isCancelling = false }

    /// The connection is gone: everything in flight fails.
    mutating func lose() -> [Request] {
        let lost = flights.map(\.request)
        flights.removeAll()
        return lost
    }
}

extension SQLState {
    static let undefinedPreparedStatement = SQLState(rawValue: "26000")
}
