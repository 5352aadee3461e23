import DequeModule

/// Decides which connection does what, when to open one and when callers have waited long enough. No socket and no clock: the shell
/// passes events and the time in and carries the actions out.
struct PoolMachine {
    enum Role { case shared, exclusive, extra }

    enum Phase {
        case empty
        case connecting
        case ready
        /// Held by a lease.
        case leased
    }

    struct Slot {
        let role: Role
        var phase: Phase = .empty
        /// Requests in flight, for shared connections.
        var load = 0
        /// A cancel request is in the air: nothing new may be sent, or it could be hit.
        var isGated = false
    }

    enum Action {
        case connect(Int)
        case send(Request, Int)
        case grant(Lease, Int)
        case failRequest(Request, PostgresError)
        case failLease(Lease, PostgresError)
        case close(Int)
    }

    /// No connection can be made at present.
    struct Outage {
        var error: PostgresError
        var failures: Int
        var nextAttempt: ContinuousClock.Instant
    }

    /// Requests on one shared connection; more wait in the pool.
    static let maxLoad = 64
    /// Callers that may wait for a connection; the next one fails at once.
    static let maxWaiting = 20_000

    private(set) var slots: [Slot]
    private(set) var outage: Outage?
    private(set) var isClosed = false
    private var waiting: Deque<Request> = []
    private var waitingLeases: Deque<Lease> = []
    private let sharedCount: Int
    /// Free places among the leases: last used first, so that the others grow old together.
    private var idle: [Int] = []
    let acquireTimeout: Duration

    init(shared: Int, exclusive: Int, acquireTimeout: Duration) {
        sharedCount = shared
        slots =
            Array(repeating: Slot(role: .shared), count: shared)
            + Array(repeating: Slot(role: .exclusive), count: exclusive)
        self.acquireTimeout = acquireTimeout
    }

    var waitingRequests: [Request] { Array(waiting) }
    var waitingCount: Int { waiting.count + waitingLeases.count }

    // MARK: Single statements

    mutating func submit(_ request: Request, now: ContinuousClock.Instant, actions: inout [Action]) {
        if isClosed { return actions.append(.failRequest(request, PostgresError(.closed))) }
        if waiting.isEmpty, let slot = leastLoaded() {
            return assign(request, to: slot, actions: &actions)
        }
        guard waiting.count < PoolMachine.maxWaiting else {
            return actions.append(.failRequest(request, PostgresError(.poolExhausted)))
        }
        let hasShared = openShared(now: now, actions: &actions)
        guard hasShared else { return actions.append(.failRequest(request, outageError)) }
        if request.waitsUntil == nil { request.waitsUntil = now.advanced(by: acquireTimeout) }
        waiting.append(request)
    }

    private var outageError: PostgresError { outage?.error ?? PostgresError(.connectionFailed) }

    private mutating func assign(_ request: Request, to slot: Int, actions: inout [Action]) {
        slots[slot].load += 1
        actions.append(.send(request, slot))
        // Work is queueing behind other work: one more connection, if there may be one.
        if slots[slot].load > 4, outage == nil, let empty = emptyShared() { connect(empty, actions: &actions) }
    }

    private func leastLoaded() -> Int? {
        var best: Int?
        var bestLoad = PoolMachine.maxLoad
        for slot in 0..<sharedCount where slots[slot].phase == .ready && !slots[slot].isGated {
            if slots[slot].load < bestLoad {
                best = slot
                bestLoad = slots[slot].load
            }
        }
        return best
    }

    private func emptyShared() -> Int? {
        slots[0..<sharedCount].firstIndex { $0.phase == .empty }
    }

    /// Makes sure that a shared connection exists or is on its way; false where none can be had now.
    private mutating func openShared(now: ContinuousClock.Instant, actions: inout [Action]) -> Bool {
        if slots[0..<sharedCount].contains(where: { $0.phase != .empty }) { return true }
        if let outage, now < outage.nextAttempt { return false }
        if let empty = emptyShared() { connect(empty, actions: &actions) }
        return true
    }

    private mutating func connect(_ slot: Int, actions: inout [Action]) {
        slots[slot].phase = .connecting
        slots[slot].load = 0
        slots[slot].isGated = false
        actions.append(.connect(slot))
    }

    /// A request on a shared connection has ended.
    mutating func finished(_ slot: Int, actions: inout [Action]) {
        guard slots[slot].role == .shared, slots[slot].phase == .ready else { return }
        slots[slot].load -= 1
        if !waiting.isEmpty { feed(actions: &actions) }
    }

    private mutating func feed(actions: inout [Action]) {
        while let next = waiting.first {
            if next.abandoned != nil {
                waiting.removeFirst()
                continue
            }
            guard let slot = leastLoaded() else { return }
            waiting.removeFirst()
            assign(next, to: slot, actions: &actions)
        }
    }

    mutating func gate(_ slot: Int) { slots[slot].isGated = true }

    mutating func ungate(_ slot: Int, actions: inout [Action]) {
        slots[slot].isGated = false
        feed(actions: &actions)
    }

    // MARK: Leases

    mutating func acquire(_ lease: Lease, now: ContinuousClock.Instant, actions: inout [Action]) {
        if isClosed { return actions.append(.failLease(lease, PostgresError(.closed))) }
        if lease.isExtra {
            let free = slots.indices.first { slots[$0].role == .extra && slots[$0].phase == .empty }
            let slot = free ?? slots.count
            if free == nil { slots.append(Slot(role: .extra)) }
            extraLeases[slot] = lease
            return connect(slot, actions: &actions)
        }
        if let slot = idle.popLast() { return grant(lease, slot, actions: &actions) }
        let connecting = exclusiveCount { $0 == .connecting }
        if connecting > waitingLeases.count {
            return waitingLeases.append(lease)
        }
        if let empty = slots.indices.first(where: { slots[$0].role == .exclusive && slots[$0].phase == .empty }) {
            if let outage, now < outage.nextAttempt { return actions.append(.failLease(lease, outage.error)) }
            connect(empty, actions: &actions)
        }
        guard waitingLeases.count < PoolMachine.maxWaiting else {
            return actions.append(.failLease(lease, PostgresError(.poolExhausted)))
        }
        waitingLeases.append(lease)
    }

    /// Listeners' leases, by their slot, while their connection is being made.
    private var extraLeases: [Int: Lease] = [:]

    private func exclusiveCount(_ condition: (Phase) -> Bool) -> Int {
        slots.count { $0.role == .exclusive && condition($0.phase) }
    }

    private mutating func grant(_ lease: Lease, _ slot: Int, actions: inout [Action]) {
        slots[slot].phase = .leased
        actions.append(.grant(lease, slot))
    }

    /// The holder is done. A connection that is not clean is closed.
    mutating func release(_ slot: Int, isClean: Bool, actions: inout [Action]) {
        guard slots[slot].phase == .leased else { return }
        if !isClean || isClosed || slots[slot].role == .extra {
            slots[slot].phase = .empty
            actions.append(.close(slot))
            return openForWaitingLeases(actions: &actions)
        }
        pass(slot, actions: &actions)
    }

    private mutating func pass(_ slot: Int, actions: inout [Action]) {
        while let lease = waitingLeases.popFirst() {
            if lease.abandoned != nil { continue }
            return grant(lease, slot, actions: &actions)
        }
        slots[slot].phase = .ready
        idle.append(slot)
    }

    private mutating func openForWaitingLeases(actions: inout [Action]) {
        guard !isClosed, outage == nil, waitingLeases.count > exclusiveCount({ $0 == .connecting }) else { return }
        if let empty = slots.indices.first(where: { slots[$0].role == .exclusive && slots[$0].phase == .empty }) {
            connect(empty, actions: &actions)
        }
    }

    // MARK: Connections

    mutating func connected(_ slot: Int, actions: inout [Action]) {
        guard slots[slot].phase == .connecting else { return }
        if isClosed {
            slots[slot].phase = .empty
            return actions.append(.close(slot))
        }
        outage = nil
        switch slots[slot].role {
        case .shared:
            slots[slot].phase = .ready
            feed(actions: &actions)
        case .exclusive: pass(slot, actions: &actions)
        case .extra:
            if let lease = extraLeases.removeValue(forKey: slot), lease.abandoned == nil {
                return grant(lease, slot, actions: &actions)
            }
            slots[slot].phase = .empty
            actions.append(.close(slot))
        }
    }

    /// A connection could not be made. Callers fail at once unless another connection can still serve them.
    mutating func failed(
        _ slot: Int, _ error: PostgresError, now: ContinuousClock.Instant, jitter: Double, actions: inout [Action]
    ) {
        guard slots[slot].phase == .connecting else { return }
        slots[slot].phase = .empty
        let failures = (outage?.failures ?? 0) + 1
        let pause = Duration.milliseconds(min(1000, 25 << min(failures, 6))) * (0.5 + jitter / 2)
        outage = Outage(error: error, failures: failures, nextAttempt: now.advanced(by: pause))
        if let lease = extraLeases.removeValue(forKey: slot) { actions.append(.failLease(lease, error)) }
        if !slots[0..<sharedCount].contains(where: { $0.phase != .empty }) {
            while let request = waiting.popFirst() { actions.append(.failRequest(request, error)) }
        }
        if exclusiveCount({ $0 != .empty }) == 0 {
            while let lease = waitingLeases.popFirst() { actions.append(.failLease(lease, error)) }
        }
    }

    /// A connection broke. Its own requests are the shell's to fail.
    mutating func lost(_ slot: Int, now: ContinuousClock.Instant, actions: inout [Action]) {
        guard slots[slot].phase != .empty else { return }
        slots[slot].phase = .empty
        slots[slot].load = 0
        slots[slot].isGated = false
        idle.removeAll { $0 == slot }
        if isClosed { return }
        if !waiting.isEmpty, !openShared(now: now, actions: &actions) {
            while let request = waiting.popFirst() { actions.append(.failRequest(request, outageError)) }
        }
        openForWaitingLeases(actions: &actions)
    }

    // MARK: Time

    /// The next moment at which `tick` has something to do.
    var nextTick: ContinuousClock.Instant? {
        var next = outage?.nextAttempt
        if let first = waiting.first?.waitsUntil { next = next.map { min($0, first) } ?? first }
        if let first = waitingLeases.first?.waitsUntil { next = next.map { min($0, first) } ?? first }
        return next
    }

    /// Fails who waited too long and, during an outage, tries one connection: the pool heals without being called.
    mutating func tick(now: ContinuousClock.Instant, actions: inout [Action]) {
        while let first = waiting.first, first.abandoned != nil || (first.waitsUntil ?? now) <= now {
            waiting.removeFirst()
            if first.abandoned == nil { actions.append(.failRequest(first, PostgresError(.poolExhausted))) }
        }
        while let first = waitingLeases.first, first.abandoned != nil || first.waitsUntil <= now {
            waitingLeases.removeFirst()
            if first.abandoned == nil { actions.append(.failLease(first, PostgresError(.poolExhausted))) }
        }
        if let outage, outage.nextAttempt <= now, !isClosed {
            self.outage?.nextAttempt = now.advanced(by: .seconds(1))
            if !slots.contains(where: { $0.phase == .connecting }), let empty = emptyShared() {
                connect(empty, actions: &actions)
            }
        }
    }

    /// Everyone who waits fails, idle connections close; those in use close when they are given back.
    mutating func close(actions: inout [Action]) {
        guard !isClosed else { return }
        isClosed = true
        outage = nil
        while let request = waiting.popFirst() { actions.append(.failRequest(request, PostgresError(.closed))) }
        while let lease = waitingLeases.popFirst() { actions.append(.failLease(lease, PostgresError(.closed))) }
        for lease in extraLeases.values { actions.append(.failLease(lease, PostgresError(.closed))) }
        extraLeases = [:]
        for slot in slots.indices where slots[slot].phase == .ready && slots[slot].load == 0 {
            slots[slot].phase = .empty
            actions.append(.close(slot))
        }
        idle = []
    }
}
