import DequeModule

/// Decides which connection does what, when to open one and when callers have waited long enough. No socket and no clock: the shell
/// passes events and the time in and carries the actions out.
struct PoolMachine {
    typealias Instant = ContinuousClock.Instant

    enum Role {
        /// Serves single statements of many callers.
        case shared
        /// Serves one lease at a time; where all shared ones are held up, single statements too.
        case exclusive
        /// A listener's, outside the pool's count.
        case extra
    }

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
        /// Requests in flight that the pool sent there.
        var load = 0
        /// Since when the server has been working on the request at the head.
        var busySince: Instant?
        /// A cancel request is in the air: nothing new may be sent, or it could be hit.
        var isGated = false
    }

    enum Action {
        case connect(Int)
        case send(Request, Int)
        case grant(Lease, Int)
        indirect case failRequest(Request, PostgresError)
        indirect case failLease(Lease, PostgresError)
        case close(Int)
    }

    /// No connection can be made at present.
    struct Outage {
        var error: PostgresError
        var failures: Int
        var nextAttempt: Instant
        /// The server takes bytes and says nothing: nobody waits for an attempt, which takes its whole time.
        var isSilent = false
    }

    /// Requests on one shared connection; more wait in the pool.
    static let maxLoad = 64
    /// Callers that may wait for a connection; the next one fails at once.
    static let maxWaiting = 20_000
    /// A shared connection whose head takes longer gets nothing new while another can serve.
    static let heldUpAfter = Duration.milliseconds(10)
    /// Requests in flight on the best connection at which one more connection is opened.
    static let crowd = 4

    private(set) var slots: [Slot]
    private(set) var outage: Outage?
    /// Set when the pool closes: when connections still in use are closed too.
    private(set) var closesBy: Instant?
    private var waiting: Deque<Request> = []
    private var waitingLeases: Deque<Lease> = []
    /// Listeners' leases, by their slot, while their connection is being made.
    private var extraLeases: [Int: Lease] = [:]
    private let sharedCount: Int
    /// Free exclusive connections, the last used one last: it is taken first.
    private var idle: [Int] = []
    /// The earliest moment at which someone has waited long enough.
    private var nextExpiry: Instant?
    private let acquireTimeout: Duration

    init(shared: Int, exclusive: Int, acquireTimeout: Duration) {
        sharedCount = shared
        slots =
            Array(repeating: Slot(role: .shared), count: shared)
            + Array(repeating: Slot(role: .exclusive), count: exclusive)
        self.acquireTimeout = acquireTimeout
    }

    var waitingRequests: [Request] { Array(waiting) }
    var waitingCount: Int { waiting.count + waitingLeases.count }
    /// No connection is left or on its way.
    var isEmpty: Bool { slots.allSatisfy { $0.phase == .empty } }

    // MARK: Single statements

    mutating func submit(_ request: Request, now: Instant, actions: inout [Action]) {
        if closesBy != nil { return actions.append(.failRequest(request, PostgresError(.closed))) }
        if let outage, outage.isSilent { return actions.append(.failRequest(request, outage.error)) }
        if waiting.isEmpty, let slot = bestSlot(now) { return assign(request, to: slot, now: now, actions: &actions) }
        guard waiting.count < PoolMachine.maxWaiting else {
            return actions.append(.failRequest(request, PostgresError(.poolExhausted)))
        }
        guard openShared(now: now, actions: &actions) else {
            return actions.append(.failRequest(request, outageError))
        }
        if request.waitsUntil == nil { request.waitsUntil = now.advanced(by: acquireTimeout) }
        expire(by: request.waitsUntil)
        waiting.append(request)
    }

    private var outageError: PostgresError { outage?.error ?? PostgresError(.connectionFailed) }

    /// The shared connection with the least to do, or a free exclusive one where all of them are held up.
    private func bestSlot(_ now: Instant) -> Int? {
        var best: Int?
        var bestLoad = PoolMachine.maxLoad
        var isBestHeldUp = true
        for slot in 0..<sharedCount where slots[slot].phase == .ready && !slots[slot].isGated {
            let load = slots[slot].load
            guard load < PoolMachine.maxLoad else { continue }
            let isHeldUp = isHeldUp(slot, now)
            if !isHeldUp && isBestHeldUp || isHeldUp == isBestHeldUp && load < bestLoad {
                best = slot
                bestLoad = load
                isBestHeldUp = isHeldUp
            }
        }
        if isBestHeldUp, let free = idle.last { return free }
        return best
    }

    private func isHeldUp(_ slot: Int, _ now: Instant) -> Bool {
        guard slots[slot].load > 0, let since = slots[slot].busySince else { return false }
        return now - since > PoolMachine.heldUpAfter
    }

    private mutating func assign(_ request: Request, to slot: Int, now: Instant, actions: inout [Action]) {
        if slots[slot].role == .exclusive { idle.removeAll { $0 == slot } }
        if slots[slot].load == 0 { slots[slot].busySince = now }
        slots[slot].load += 1
        actions.append(.send(request, slot))
        if slots[slot].load > PoolMachine.crowd, outage == nil, let empty = emptyShared() {
            connect(empty, actions: &actions)
        }
    }

    private func emptyShared() -> Int? {
        slots[0..<sharedCount].firstIndex { $0.phase == .empty }
    }

    /// Makes sure that a shared connection exists or is on its way; false where none can be had now.
    private mutating func openShared(now: Instant, actions: inout [Action]) -> Bool {
        if slots[0..<sharedCount].contains(where: { $0.phase != .empty }) { return true }
        if let outage, now < outage.nextAttempt { return false }
        if let empty = emptyShared() { connect(empty, actions: &actions) }
        return true
    }

    private mutating func connect(_ slot: Int, actions: inout [Action]) {
        slots[slot] = Slot(role: slots[slot].role, phase: .connecting)
        actions.append(.connect(slot))
    }

    /// A request that the pool or a lease sent to this connection has ended.
    mutating func finished(_ slot: Int, now: Instant, actions: inout [Action]) {
        guard slots[slot].load > 0 else { return }
        slots[slot].load -= 1
        slots[slot].busySince = now
        if slots[slot].load == 0 {
            if closesBy != nil { return close(slot, actions: &actions) }
            if slots[slot].role == .exclusive { pass(slot, actions: &actions) }
        }
        if !waiting.isEmpty { feed(now: now, actions: &actions) }
    }

    private mutating func feed(now: Instant, actions: inout [Action]) {
        while let next = waiting.first {
            if next.abandoned == nil {
                guard let slot = bestSlot(now) else { return }
                assign(next, to: slot, now: now, actions: &actions)
            }
            waiting.removeFirst()
        }
    }

    mutating func gate(_ slot: Int) { slots[slot].isGated = true }

    mutating func ungate(_ slot: Int, now: Instant, actions: inout [Action]) {
        slots[slot].isGated = false
        feed(now: now, actions: &actions)
    }

    // MARK: Leases

    mutating func acquire(_ lease: Lease, now: Instant, actions: inout [Action]) {
        if closesBy != nil { return actions.append(.failLease(lease, PostgresError(.closed))) }
        if lease.sink != nil {
            let free = slots.indices.first { slots[$0].role == .extra && slots[$0].phase == .empty }
            let slot = free ?? slots.count
            if free == nil { slots.append(Slot(role: .extra)) }
            extraLeases[slot] = lease
            return connect(slot, actions: &actions)
        }
        if let outage, outage.isSilent { return actions.append(.failLease(lease, outage.error)) }
        if let slot = idle.popLast() { return grant(lease, slot, actions: &actions) }
        guard waitingLeases.count < PoolMachine.maxWaiting else {
            return actions.append(.failLease(lease, PostgresError(.poolExhausted)))
        }
        if waitingLeases.count >= exclusiveCount({ $0 == .connecting }), let empty = emptyExclusive() {
            if let outage, now < outage.nextAttempt, exclusiveCount({ $0 != .empty }) == 0 {
                return actions.append(.failLease(lease, outage.error))
            }
            connect(empty, actions: &actions)
        }
        expire(by: lease.waitsUntil)
        waitingLeases.append(lease)
    }

    private func emptyExclusive() -> Int? {
        slots.indices.first { slots[$0].role == .exclusive && slots[$0].phase == .empty }
    }

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
        if !isClean || closesBy != nil || slots[slot].role == .extra {
            close(slot, actions: &actions)
            return openForLeases(actions: &actions)
        }
        pass(slot, actions: &actions)
    }

    private mutating func close(_ slot: Int, actions: inout [Action]) {
        slots[slot].phase = .empty
        idle.removeAll { $0 == slot }
        actions.append(.close(slot))
    }

    /// Gives a free exclusive connection to the next in line, if any.
    private mutating func pass(_ slot: Int, actions: inout [Action]) {
        while let lease = waitingLeases.popFirst() {
            if lease.abandoned == nil { return grant(lease, slot, actions: &actions) }
        }
        slots[slot].phase = .ready
        idle.append(slot)
    }

    private mutating func openForLeases(actions: inout [Action]) {
        guard closesBy == nil, outage == nil, waitingLeases.count > exclusiveCount({ $0 == .connecting }),
            let empty = emptyExclusive()
        else { return }
        connect(empty, actions: &actions)
    }

    // MARK: Connections

    mutating func connected(_ slot: Int, now: Instant, actions: inout [Action]) {
        guard slots[slot].phase == .connecting else { return }
        if closesBy != nil { return close(slot, actions: &actions) }
        outage = nil
        switch slots[slot].role {
        case .shared:
            slots[slot].phase = .ready
            feed(now: now, actions: &actions)
        case .exclusive: pass(slot, actions: &actions)
        case .extra:
            if let lease = extraLeases.removeValue(forKey: slot), lease.abandoned == nil {
                grant(lease, slot, actions: &actions)
            } else {
                close(slot, actions: &actions)
            }
        }
    }

    /// A connection could not be made. Callers fail at once unless another connection can still serve them. `jitter` is 0...1.
    mutating func failed(_ slot: Int, _ error: PostgresError, now: Instant, jitter: Double, actions: inout [Action]) {
        guard slots[slot].phase == .connecting else { return }
        slots[slot].phase = .empty
        // One that was made to hear of the server says nothing about the others.
        if slots[slot].role == .extra, extraLeases[slot] == nil { return }
        let failures = (outage?.failures ?? 0) + 1
        let pause = Duration.milliseconds(Double(min(1000, 25 << min(failures, 6))) * (0.5 + jitter / 2))
        outage = Outage(
            error: error, failures: failures, nextAttempt: now.advanced(by: pause),
            isSilent: outage?.isSilent ?? false)
        if let lease = extraLeases.removeValue(forKey: slot) { actions.append(.failLease(lease, error)) }
        if !slots[0..<sharedCount].contains(where: { $0.phase != .empty }) {
            while let request = waiting.popFirst() { actions.append(.failRequest(request, error)) }
        }
        if exclusiveCount({ $0 != .empty }) == 0 {
            while let lease = waitingLeases.popFirst() { actions.append(.failLease(lease, error)) }
        }
        if waitingCount == 0 { nextExpiry = nil }
    }

    /// A connection broke. Its own requests are the shell's to fail.
    mutating func lost(_ slot: Int, now: Instant, actions: inout [Action]) {
        guard slots[slot].phase != .empty else { return }
        slots[slot] = Slot(role: slots[slot].role)
        idle.removeAll { $0 == slot }
        if closesBy != nil { return }
        if !waiting.isEmpty, !openShared(now: now, actions: &actions) {
            while let request = waiting.popFirst() { actions.append(.failRequest(request, outageError)) }
        }
        openForLeases(actions: &actions)
    }

    // MARK: Silence

    /// Makes a connection beside all others, which is closed as soon as it is there.
    mutating func ask(actions: inout [Action]) {
        guard closesBy == nil else { return }
        let free = slots.indices.first { slots[$0].role == .extra && slots[$0].phase == .empty }
        if free == nil { slots.append(Slot(role: .extra)) }
        connect(free ?? slots.count - 1, actions: &actions)
    }

    /// The server does not answer: callers fail at once until a connection can be made. What is under way is the shell's to fail.
    mutating func fellSilent(now: Instant, actions: inout [Action]) {
        guard closesBy == nil else { return }
        let error = PostgresError(.connectionFailed, message: "the server does not answer")
        outage = Outage(error: error, failures: outage?.failures ?? 0, nextAttempt: now, isSilent: true)
        while let request = waiting.popFirst() { actions.append(.failRequest(request, error)) }
        while let lease = waitingLeases.popFirst() { actions.append(.failLease(lease, error)) }
    }

    // MARK: Time

    private mutating func expire(by moment: Instant?) {
        guard let moment else { return }
        nextExpiry = nextExpiry.map { min($0, moment) } ?? moment
    }

    /// The next moment at which `tick` has something to do.
    var nextTick: Instant? { [outage?.nextAttempt, nextExpiry].compactMap(\.self).min() }

    /// Fails who waited too long and, during an outage, tries one connection: the pool heals without being called.
    mutating func tick(now: Instant, actions: inout [Action]) {
        if let expiry = nextExpiry, expiry <= now {
            nextExpiry = nil
            let (requests, leases) = (waiting, waitingLeases)
            waiting = []
            waitingLeases = []
            for request in requests where request.abandoned == nil {
                guard let end = request.waitsUntil, end <= now else {
                    expire(by: request.waitsUntil)
                    waiting.append(request)
                    continue
                }
                actions.append(.failRequest(request, PostgresError(.poolExhausted)))
            }
            for lease in leases where lease.abandoned == nil {
                guard lease.waitsUntil <= now else {
                    expire(by: lease.waitsUntil)
                    waitingLeases.append(lease)
                    continue
                }
                actions.append(.failLease(lease, PostgresError(.poolExhausted)))
            }
        }
        if let outage, outage.nextAttempt <= now {
            self.outage?.nextAttempt = now.advanced(by: .seconds(1))
            if !slots.contains(where: { $0.phase == .connecting }), let empty = emptyShared() {
                connect(empty, actions: &actions)
            }
        }
    }

    /// Everyone who waits fails, idle connections close; those in use close when they are given back, at the latest after
    /// `Engine.patience`.
    mutating func close(now: Instant, actions: inout [Action]) {
        guard closesBy == nil else { return }
        closesBy = now.advanced(by: Engine.patience)
        outage = nil
        nextExpiry = nil
        while let request = waiting.popFirst() { actions.append(.failRequest(request, PostgresError(.closed))) }
        while let lease = waitingLeases.popFirst() { actions.append(.failLease(lease, PostgresError(.closed))) }
        for lease in extraLeases.values { actions.append(.failLease(lease, PostgresError(.closed))) }
        extraLeases = [:]
        for slot in slots.indices {
            let isListening = slots[slot].role == .extra && slots[slot].phase == .leased
            if isListening || slots[slot].phase == .ready && slots[slot].load == 0 { close(slot, actions: &actions) }
        }
    }
}
