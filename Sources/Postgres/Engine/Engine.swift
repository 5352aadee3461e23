import CLibpq
import Logging

/// The I/O thread of one pool: waits on all its sockets, carries out what the machines decide and resumes callers.
///
/// `@unchecked Sendable`: every mutable field belongs to the thread that `run` occupies; other threads use `inbox` only.
/// `@exclusivity(unchecked)`: no field is used while a call that changes it is under way, and checking that at run time was a twentieth of
/// the client's cost of a statement.
final class Engine: @unchecked Sendable {
    let inbox: Inbox
    let settings: DatabaseSettings
    let logger: Logger
    private let finished: @Sendable () -> Void

    let poller: Poller
    @exclusivity(unchecked)
    var pool: PoolMachine
    @exclusivity(unchecked)
    var connections: [Connection?]
    var generation = 0
    @exclusivity(unchecked)
    var actions: [PoolMachine.Action] = []
    @exclusivity(unchecked)
    var now = ContinuousClock.now
    @exclusivity(unchecked)
    var figures: Figures
    private var performing: [PoolMachine.Action] = []
    private var messages: [Message] = []
    @exclusivity(unchecked)
    private var resumable: [UnsafeContinuation<Void, any Error>] = []
    /// The earliest deadline of anything that waits, or an earlier moment.
    private var nextDeadline: ContinuousClock.Instant?
    @exclusivity(unchecked)
    var silence = Silence(now: .now)
    /// When the silence is looked at next; `nil` while nothing is under way.
    @exclusivity(unchecked)
    var nextLook: ContinuousClock.Instant?
    private(set) var isStopping = false

    init(_ settings: DatabaseSettings, logger: Logger, finished: @escaping @Sendable () -> Void) throws(PostgresError) {
        self.settings = settings
        self.logger = logger
        self.finished = finished
        let poller = try Poller()
        inbox = Inbox(wakeup: poller.wakeup)
        self.poller = poller
        pool = PoolMachine(
            shared: max(1, min(64, settings.sharedConnections)),
            exclusive: max(1, min(256, settings.exclusiveConnections)), acquireTimeout: settings.acquireTimeout)
        connections = Array(repeating: nil, count: pool.slots.count)
        figures = Figures(pool: settings.applicationName)
    }

    /// False where the system has no thread left.
    func start() -> Bool {
        SystemThread.start {
            SystemThread.waitForOthers()
            self.run()
        }
    }

    // MARK: The loop

    private func run() {
        while true {
            messages.removeAll(keepingCapacity: true)
            inbox.take(into: &messages, mayIdle: true)
            now = .now
            for message in messages { handle(message) }
            resumeAll()
            if isStopping, pool.isEmpty { break }
            figures.report(pool, now: now)
            let count = poller.wait(milliseconds: messages.isEmpty ? pause() : 0)
            now = .now
            for index in 0..<count {
                if let (slot, events) = poller.event(index) { ready(slot, events) }
            }
            tick()
        }
        for message in inbox.close() { refuse(message) }
        finished()
    }

    /// The answer to what comes after the end.
    private func refuse(_ message: Message) {
        switch message {
        case .submit(let request), .submitOn(let request, _), .copy(_, let request, _):
            fail(request, PostgresError(.closed))
        case .acquire(let lease): fail(lease, PostgresError(.closed))
        case .connected(_, let handle): PQfinish(handle.pointer)
        case .abandon, .abandonLease, .release, .connectFailed, .cancelReturned, .shutdown: break
        }
    }

    /// Milliseconds until something is due; −1 where nothing is.
    private func pause() -> Int32 {
        guard let next = [pool.nextTick, nextDeadline, nextLook].compactMap({ $0 }).min() else { return -1 }
        return Int32(clamping: max(0, (next - now).wholeMilliseconds + 1))
    }

    private func handle(_ message: Message) {
        switch message {
        case .submit(let request):
            guard accept(request) else { return }
            pool.submit(request, now: now, actions: &actions)
        case .submitOn(let request, let lease):
            guard accept(request) else { return }
            guard let connection = held(lease) else { return fail(request, PostgresError(.connectionLost)) }
            send(request, on: connection)
        case .copy(let step, let request, let lease): copy(step, request, lease)
        case .abandon(let request, let code): abandon(request, code)
        case .acquire(let lease):
            if let code = lease.abandoned { return fail(lease, PostgresError(code)) }
            pool.acquire(lease, now: now, actions: &actions)
        case .abandonLease(let lease, let code):
            lease.abandoned = code
            fail(lease, PostgresError(code))
        case .release(let lease, let isClean):
            guard let connection = held(lease) else { return }
            pool.release(lease.slot, isClean: isClean && connection.isReusable, actions: &actions)
        case .connected(let slot, let handle): connected(slot, handle)
        case .connectFailed(let slot, let error): connectFailed(slot, error)
        case .cancelReturned(let slot, let generation): cancelReturned(slot, generation)
        case .shutdown:
            if !isStopping { note(now.advanced(by: Engine.patience)) }
            isStopping = true
            pool.close(now: now, actions: &actions)
        }
        perform()
    }

    /// How long shutdown waits for transactions under way, and any connection for a server that does not obey a cancel request.
    static let patience = Duration.seconds(5)

    /// False where the caller has already gone or its time is over.
    private func accept(_ request: Request) -> Bool {
        if let deadline = request.deadline {
            if deadline <= now, request.isCancellable { request.abandoned = request.abandoned ?? .deadlineExceeded }
            note(deadline)
        }
        guard let code = request.abandoned, request.isCancellable else { return true }
        fail(request, PostgresError(code))
        return false
    }

    /// Sees to it that `tick` looks at deadlines no later than at `deadline`.
    func note(_ deadline: ContinuousClock.Instant) {
        if let nextDeadline, nextDeadline <= deadline { return }
        nextDeadline = deadline
    }

    /// Carries out what the pool decided, and what follows from that.
    func perform() {
        while !actions.isEmpty {
            swap(&actions, &performing)
            for action in performing { perform(action) }
            performing.removeAll(keepingCapacity: true)
        }
    }

    private func perform(_ action: PoolMachine.Action) {
        switch action {
        case .connect(let slot): connect(slot)
        case .send(let request, let slot):
            guard let connection = connections[slot] else { return fail(request, PostgresError(.connectionLost)) }
            send(request, on: connection)
        case .grant(let lease, let slot): grant(lease, slot)
        case .failRequest(let request, let error): fail(request, error)
        case .failLease(let lease, let error): fail(lease, error)
        case .close(let slot): close(slot)
        }
    }

    // MARK: Callers

    /// The request is over: its caller, if it still waits, learns why.
    func fail(_ request: Request, _ error: PostgresError) {
        var error = error
        error.statement = error.statement ?? request.label
        if !request.isFinished { request.failure = error }
        let continuation = request.continuation
        request.continuation = nil
        continuation?.resume(throwing: error)
    }

    func fail(_ lease: Lease, _ error: PostgresError) {
        let continuation = lease.continuation
        lease.continuation = nil
        continuation?.resume(throwing: error)
    }

    /// The caller may go on, together with the others who may when this round of the loop ends: a caller that is woken at once often
    /// takes the processor from the thread that has answers for fifty more.
    func resume(_ request: Request) {
        guard let continuation = request.continuation else { return }
        request.continuation = nil
        resumable.append(continuation)
    }

    private func resumeAll() {
        for continuation in resumable { continuation.resume() }
        resumable.removeAll(keepingCapacity: true)
    }

    /// The caller stops waiting: it is told at once, and the server is told as soon as it works on this request.
    private func abandon(_ request: Request, _ code: PostgresError.Code) {
        guard request.abandoned == nil, !request.isFinished else { return }
        request.abandoned = code
        fail(request, PostgresError(code))
        for case let connection? in connections where connection.machine.head === request {
            cancelAbandoned(connection)
        }
    }

    private func grant(_ lease: Lease, _ slot: Int) {
        guard let connection = connections[slot], lease.abandoned == nil else {
            return pool.release(slot, isClean: connections[slot] != nil, actions: &actions)
        }
        lease.slot = slot
        lease.generation = connection.generation
        connection.sink = lease.sink
        let continuation = lease.continuation
        lease.continuation = nil
        continuation?.resume()
    }

    // MARK: Time

    private func tick() {
        if let deadline = nextDeadline, deadline <= now {
            nextDeadline = nil
            for request in pool.waitingRequests { expire(request) }
            for case let connection? in connections { expire(connection) }
        }
        if let nextLook, nextLook <= now { lookForSilence() }
        if let next = pool.nextTick, next <= now { pool.tick(now: now, actions: &actions) }
        perform()
    }

    private func expire(_ request: Request) {
        guard request.abandoned == nil, let deadline = request.deadline else { return }
        if deadline <= now { abandon(request, .deadlineExceeded) } else { note(deadline) }
    }

    /// Gives up requests whose deadline has passed, and the connection where the server does not answer what cannot be given up.
    private func expire(_ connection: Connection) {
        for request in connection.machine.requests {
            if request.isCancellable {
                expire(request)
            } else if let deadline = request.deadline {
                if deadline <= now { connection.isBroken = true } else { note(deadline) }
            }
        }
        if let since = connection.cancelledSince {
            let end = since.advanced(by: Engine.patience)
            if end <= now { connection.isBroken = true } else { note(end) }
        }
        if isStopping, let end = pool.closesBy, end <= now { connection.isBroken = true }
        settle(connection)
    }
}
