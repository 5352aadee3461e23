import Glibc
import Logging
import Synchronization

/// The I/O thread of one pool: waits on all its sockets, carries out what the machines decide and resumes callers.
///
/// `@unchecked Sendable`: every mutable field belongs to the thread that `run` occupies; other threads use `inbox` only.
final class Engine: @unchecked Sendable {
    let inbox: Inbox
    private let settings: DatabaseSettings
    private let logger: Logger
    private let finished: @Sendable () -> Void

    private var poller: Poller
    private var pool: PoolMachine
    private var connections: [Int: Connection] = [:]
    private var generation = 0
    private var actions: [PoolMachine.Action] = []
    private var messages: [Message] = []
    private var now = ContinuousClock.now
    /// The earliest deadline of anything that waits, or an earlier moment.
    private var nextDeadline: ContinuousClock.Instant?
    private var generator = SystemRandomNumberGenerator()
    private var isStopping = false

    init(_ settings: DatabaseSettings, logger: Logger, finished: @escaping @Sendable () -> Void) throws(PostgresError) {
        self.settings = settings
        self.logger = logger
        self.finished = finished
        let poller = try Poller()
        inbox = Inbox(wakeup: poller.wakeup)
        self.poller = poller
        pool = PoolMachine(
            shared: max(1, min(64, settings.sharedConnections)), exclusive: max(1, min(256, settings.exclusiveConnections)),
            acquireTimeout: settings.acquireTimeout)
    }

    func start() -> Bool { SystemThread.start { self.run() } }

    // MARK: The loop

    private func run() {
        while true {
            messages.removeAll(keepingCapacity: true)
            inbox.take(into: &messages, mayIdle: true)
            now = .now
            for message in messages { handle(message) }
            perform()
            if isStopping, connections.isEmpty, !pool.slots.contains(where: { $0.phase == .connecting }) { break }
            poller.wait(milliseconds: messages.isEmpty ? pause() : 0) { slot, events in
                ready(slot, events)
            }
            now = .now
            tick()
            perform()
        }
        finished()
    }

    /// Milliseconds until something is due; −1 where nothing is.
    private func pause() -> Int32 {
        var next = pool.nextTick
        if let deadline = nextDeadline { next = next.map { min($0, deadline) } ?? deadline }
        guard let next else { return -1 }
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
        case .abandon(let request, let code): abandon(request, code)
        case .acquire(let lease):
            if let code = lease.abandoned { return fail(lease, PostgresError(code)) }
            note(lease.waitsUntil)
            pool.acquire(lease, now: now, actions: &actions)
        case .abandonLease(let lease, let code):
            lease.abandoned = code
            fail(lease, PostgresError(code))
        case .release(let lease, let isClean):
            guard let connection = held(lease) else { return }
            pool.release(lease.slot, isClean: isClean && connection.isIdle, actions: &actions)
        case .connected(let slot, let handle): connected(slot, handle)
        case .connectFailed(let slot, let error):
            logger.warning("no connection to the database", metadata: ["error.code": "\(error.code.rawValue)"])
            pool.failed(slot, error, now: now, jitter: .random(in: 0...1, using: &generator), actions: &actions)
        case .cancelReturned(let slot, let generation):
            guard let connection = connections[slot], connection.generation == generation else { return }
            connection.machine.cancelReturned()
            pool.ungate(slot, actions: &actions)
            cancelIfHeadIsAbandoned(connection)
        case .shutdown:
            isStopping = true
            pool.close(actions: &actions)
        }
        perform()
    }

    /// False where the caller has already gone.
    private func accept(_ request: Request) -> Bool {
        if let code = request.abandoned {
            fail(request, PostgresError(code, statement: request.plan?.label))
            return false
        }
        if let deadline = request.deadline { note(deadline) }
        return true
    }

    private func note(_ deadline: ContinuousClock.Instant) {
        nextDeadline = nextDeadline.map { min($0, deadline) } ?? deadline
    }

    private func held(_ lease: Lease) -> Connection? {
        guard let connection = connections[lease.slot], connection.generation == lease.generation else { return nil }
        return connection
    }

    /// Carries out what the pool decided, and what follows from that.
    private func perform() {
        while !actions.isEmpty {
            let batch = actions
            actions.removeAll(keepingCapacity: true)
            for action in batch { perform(action) }
        }
    }

    private func perform(_ action: PoolMachine.Action) {
        switch action {
        case .connect(let slot): connect(slot)
        case .send(let request, let slot):
            guard let connection = connections[slot] else { return fail(request, PostgresError(.connectionLost)) }
            send(request, on: connection)
        case .grant(let lease, let slot):
            guard let connection = connections[slot], lease.abandoned == nil else {
                return pool.release(slot, isClean: connections[slot] != nil, actions: &actions)
            }
            lease.slot = slot
            lease.generation = connection.generation
            let continuation = lease.continuation
            lease.continuation = nil
            continuation?.resume()
        case .failRequest(let request, let error): fail(request, error)
        case .failLease(let lease, let error): fail(lease, error)
        case .close(let slot): close(slot)
        }
    }

    // MARK: Callers

    private func fail(_ request: Request, _ error: PostgresError) {
        guard let continuation = request.continuation else { return }
        request.continuation = nil
        var error = error
        error.statement = error.statement ?? request.plan?.label
        continuation.resume(throwing: error)
    }

    private func fail(_ lease: Lease, _ error: PostgresError) {
        let continuation = lease.continuation
        lease.continuation = nil
        continuation?.resume(throwing: error)
    }

    /// The caller stops waiting: it is told at once, and the server is told as soon as it works on this request.
    private func abandon(_ request: Request, _ code: PostgresError.Code) {
        guard request.abandoned == nil else { return }
        request.abandoned = code
        fail(request, PostgresError(code))
        for connection in connections.values where connection.machine.head === request {
            cancelIfHeadIsAbandoned(connection)
        }
    }

    private func cancelIfHeadIsAbandoned(_ connection: Connection) {
        guard connection.machine.beginCancelling() else { return }
        pool.gate(connection.slot)
        let (inbox, slot, generation) = (inbox, connection.slot, connection.generation)
        connection.cancel { inbox.post(.cancelReturned(slot: slot, generation: generation)) }
    }

    private func tick() {
        if let deadline = nextDeadline, deadline <= now {
            nextDeadline = nil
            let waiting = pool.waitingRequests + connections.values.flatMap(\.machine.requests)
            for request in waiting where request.abandoned == nil {
                guard let deadline = request.deadline else { continue }
                if deadline <= now, request.isCancellable { abandon(request, .deadlineExceeded) } else { note(deadline) }
            }
        }
        if let next = pool.nextTick, next <= now {
            pool.tick(now: now, actions: &actions)
        }
    }

    // MARK: Connections

    private func connect(_ slot: Int) {
        let connector = Connector(settings: settings)
        let inbox = inbox
        let started = SystemThread.start {
            do throws(PostgresError) {
                inbox.post(.connected(slot: slot, try connector.connect()))
            } catch {
                inbox.post(.connectFailed(slot: slot, error))
            }
        }
        if !started { inbox.post(.connectFailed(slot: slot, PostgresError(.connectionFailed, message: "no thread left"))) }
    }

    private func connected(_ slot: Int, _ handle: ConnectionHandle) {
        generation += 1
        let connection = Connection(handle, slot: slot, generation: generation)
        connections[slot] = connection
        poller.add(connection.socket, events: Poller.readable, tag: slot)
        pool.connected(slot, actions: &actions)
    }

    private func close(_ slot: Int) {
        guard let connection = connections.removeValue(forKey: slot) else { return }
        poller.remove(connection.socket)
        for request in connection.lose() { fail(request, PostgresError(.connectionLost)) }
    }

    private func send(_ request: Request, on connection: Connection) {
        let wantedWrite = connection.wantsWrite
        connection.send(request)
        settle(connection, wantedWrite: wantedWrite)
    }

    private func ready(_ slot: Int, _ events: UInt32) {
        guard let connection = connections[slot] else { return }
        let wantedWrite = connection.wantsWrite
        if events & Poller.writable != 0 { connection.flush() }
        if events & ~Poller.writable != 0 {
            connection.receive { action in answered(action, on: connection) }
        }
        settle(connection, wantedWrite: wantedWrite)
        perform()
    }

    private func answered(_ action: ConnectionMachine.Action, on connection: Connection) {
        switch action {
        case .nothing, .keep: return
        case .succeed(let request):
            let continuation = request.continuation
            request.continuation = nil
            continuation?.resume()
        case .fail(let request, let error): fail(request, error)
        case .resubmit(let request):
            request.resubmissions += 1
            pool.finished(connection.slot, actions: &actions)
            return pool.submit(request, now: now, actions: &actions)
        }
        pool.finished(connection.slot, actions: &actions)
        cancelIfHeadIsAbandoned(connection)
    }

    /// After any use of a connection: closes it when it broke and watches for room to write when libpq holds bytes back.
    private func settle(_ connection: Connection, wantedWrite: Bool) {
        let slot = connection.slot
        guard connections[slot] === connection else { return }
        if connection.isBroken || connection.machine.isSpent && connection.isIdle {
            connections[slot] = nil
            poller.remove(connection.socket)
            pool.lost(slot, now: now, actions: &actions)
            for request in connection.lose() { fail(request, PostgresError(.connectionLost)) }
        } else if connection.wantsWrite != wantedWrite {
            let events = Poller.readable | (connection.wantsWrite ? Poller.writable : 0)
            poller.change(connection.socket, events: events, tag: slot)
        }
    }
}
