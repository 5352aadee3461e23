import Testing

@testable import Postgres

/// The pool's decisions, without a socket and without a clock.
@Suite struct PoolMachineTests {
    private let start = ContinuousClock.now

    private func machine(shared: Int = 2, exclusive: Int = 2) -> PoolMachine {
        PoolMachine(shared: shared, exclusive: exclusive, acquireTimeout: .seconds(2))
    }

    private func request() -> Request { Request(.script(""), isAutocommit: true) }

    private func lease(_ limit: Duration = .seconds(2)) -> Lease { Lease(waitsUntil: start.advanced(by: limit)) }

    /// Actions in a form that can be compared.
    private func names(_ actions: [PoolMachine.Action]) -> [String] {
        actions.map { action in
            switch action {
            case .connect(let slot): "connect \(slot)"
            case .send(_, let slot): "send \(slot)"
            case .grant(_, let slot): "grant \(slot)"
            case .failRequest(_, let error), .failLease(_, let error): "fail \(error.code.rawValue)"
            case .close(let slot): "close \(slot)"
            }
        }
    }

    private func did(_ body: (inout [PoolMachine.Action]) -> Void) -> [String] {
        var actions: [PoolMachine.Action] = []
        body(&actions)
        return names(actions)
    }

    @Test func `the first call opens a connection and travels when that is there`() {
        var pool = machine()
        equal(did { pool.submit(request(), now: start, actions: &$0) }, ["connect 0"])
        equal(did { pool.submit(request(), now: start, actions: &$0) }, [])
        equal(did { pool.connected(0, now: start, actions: &$0) }, ["send 0", "send 0"])
    }

    @Test func `a crowd opens more connections, and the least loaded one is taken`() {
        var pool = machine()
        _ = did { pool.submit(request(), now: start, actions: &$0) }
        _ = did { pool.connected(0, now: start, actions: &$0) }
        var actions: [String] = []
        for _ in 0..<PoolMachine.crowd { actions += did { pool.submit(request(), now: start, actions: &$0) } }
        #expect(actions.last == "connect 1")
        _ = did { pool.connected(1, now: start, actions: &$0) }
        equal(did { pool.submit(request(), now: start, actions: &$0) }, ["send 1"])
    }

    @Test func `a full pool lets callers wait, and feeds them as others end`() {
        var pool = machine(shared: 1)
        _ = did { pool.submit(request(), now: start, actions: &$0) }
        _ = did { pool.connected(0, now: start, actions: &$0) }
        for _ in 1..<PoolMachine.maxLoad { _ = did { pool.submit(request(), now: start, actions: &$0) } }
        equal(did { pool.submit(request(), now: start, actions: &$0) }, [])
        #expect(pool.waitingCount == 1)
        equal(did { pool.finished(0, now: start, actions: &$0) }, ["send 0"])
        #expect(pool.waitingCount == 0)
    }

    @Test func `who waits too long is refused, and not before`() {
        var pool = machine()
        _ = did { pool.submit(request(), now: start, actions: &$0) }
        equal(did { pool.tick(now: start.advanced(by: .seconds(1)), actions: &$0) }, [])
        equal(did { pool.tick(now: start.advanced(by: .seconds(2)), actions: &$0) }, ["fail poolExhausted"])
        #expect(pool.waitingCount == 0)
        #expect(pool.nextTick == nil)
    }

    @Test func `a failed connection refuses the waiting at once and the next ones too, until the pause is over`() {
        var pool = machine()
        _ = did { pool.submit(request(), now: start, actions: &$0) }
        let error = PostgresError(.connectionFailed)
        equal(did { pool.failed(0, error, now: start, jitter: 1, actions: &$0) }, ["fail connectionFailed"])
        equal(did { pool.submit(request(), now: start, actions: &$0) }, ["fail connectionFailed"])
        equal(did { pool.acquire(lease(), now: start, actions: &$0) }, ["fail connectionFailed"])
        let later = start.advanced(by: .milliseconds(50))
        equal(did { pool.submit(request(), now: later, actions: &$0) }, ["connect 0"])
        equal(did { pool.connected(0, now: later, actions: &$0) }, ["send 0"])
        #expect(pool.outage == nil)
    }

    @Test func `the pool heals without being called, and pauses grow to a second`() throws {
        var pool = machine()
        _ = did { pool.submit(request(), now: start, actions: &$0) }
        var now = start
        var pauses: [Duration] = []
        for _ in 0..<10 {
            _ = did { pool.failed(0, PostgresError(.connectionFailed), now: now, jitter: 1, actions: &$0) }
            let next = try #require(pool.nextTick)
            pauses.append(next - now)
            now = next
            equal(did { pool.tick(now: now, actions: &$0) }, ["connect 0"])
        }
        #expect(pauses.first == .milliseconds(50))
        #expect(pauses.last == .seconds(1))
        #expect(pauses == pauses.sorted())
    }

    @Test func `a held-up connection gets nothing new while another is free`() {
        var pool = machine()
        for _ in 0...PoolMachine.crowd { _ = did { pool.submit(request(), now: start, actions: &$0) } }
        _ = did { pool.connected(0, now: start, actions: &$0) }
        _ = did { pool.connected(1, now: start, actions: &$0) }
        for _ in 0..<3 { _ = did { pool.submit(request(), now: start, actions: &$0) } }
        let later = start.advanced(by: .milliseconds(100))
        // Connection 1 has answered just now and has more to do than 0, which has not answered for long.
        for _ in 0..<8 { _ = did { pool.submit(request(), now: start, actions: &$0) } }
        _ = did { pool.finished(1, now: later, actions: &$0) }
        for _ in 0..<6 { equal(did { pool.submit(request(), now: later, actions: &$0) }, ["send 1"]) }
    }

    @Test func `where all shared connections are held up a free exclusive one helps out and goes back`() {
        var pool = machine(shared: 1, exclusive: 1)
        _ = did { pool.submit(request(), now: start, actions: &$0) }
        _ = did { pool.connected(0, now: start, actions: &$0) }
        _ = did { pool.acquire(lease(), now: start, actions: &$0) }
        _ = did { pool.connected(1, now: start, actions: &$0) }
        _ = did { pool.release(1, isClean: true, actions: &$0) }
        let later = start.advanced(by: .seconds(1))
        equal(did { pool.submit(request(), now: later, actions: &$0) }, ["send 1"])
        equal(did { pool.acquire(lease(), now: later, actions: &$0) }, [])
        equal(did { pool.finished(1, now: later, actions: &$0) }, ["grant 1"])
    }

    @Test func `nothing is sent to a connection while a cancel request is in the air`() {
        var pool = machine(shared: 1)
        _ = did { pool.submit(request(), now: start, actions: &$0) }
        _ = did { pool.connected(0, now: start, actions: &$0) }
        pool.gate(0)
        equal(did { pool.submit(request(), now: start, actions: &$0) }, [])
        equal(did { pool.ungate(0, now: start, actions: &$0) }, ["send 0"])
    }

    @Test func `leases are served in order; a dirty connection is closed and another opened for who waits`() {
        var pool = machine(exclusive: 1)
        equal(did { pool.acquire(lease(), now: start, actions: &$0) }, ["connect 2"])
        equal(did { pool.connected(2, now: start, actions: &$0) }, ["grant 2"])
        equal(did { pool.acquire(lease(), now: start, actions: &$0) }, [])
        equal(did { pool.release(2, isClean: false, actions: &$0) }, ["close 2", "connect 2"])
        equal(did { pool.connected(2, now: start, actions: &$0) }, ["grant 2"])
        equal(did { pool.lost(2, now: start, actions: &$0) }, [])
        equal(did { pool.acquire(lease(), now: start, actions: &$0) }, ["connect 2"])
    }

    @Test func `who has gone gets no connection`() {
        var pool = machine(exclusive: 1)
        let gone = lease()
        _ = did { pool.acquire(gone, now: start, actions: &$0) }
        gone.abandoned = .cancelled
        equal(did { pool.connected(2, now: start, actions: &$0) }, [])
        equal(did { pool.acquire(lease(), now: start, actions: &$0) }, ["grant 2"])
    }

    @Test func `closing refuses all who wait and closes the rest as it is given back`() {
        var pool = machine(exclusive: 1)
        _ = did { pool.submit(request(), now: start, actions: &$0) }
        _ = did { pool.connected(0, now: start, actions: &$0) }
        _ = did { pool.acquire(lease(), now: start, actions: &$0) }
        _ = did { pool.connected(2, now: start, actions: &$0) }
        _ = did { pool.acquire(lease(), now: start, actions: &$0) }
        equal(did { pool.close(now: start, actions: &$0) }, ["fail closed"])
        equal(did { pool.submit(request(), now: start, actions: &$0) }, ["fail closed"])
        equal(did { pool.finished(0, now: start, actions: &$0) }, ["close 0"])
        equal(did { pool.release(2, isClean: true, actions: &$0) }, ["close 2"])
        #expect(pool.isEmpty)
    }

    @Test func `a server that fell silent is waited for by nobody, until a connection can be made`() {
        var pool = machine(shared: 1, exclusive: 1)
        _ = did { pool.acquire(lease(), now: start, actions: &$0) }
        equal(did { pool.fellSilent(now: start, actions: &$0) }, ["fail connectionFailed"])
        equal(did { pool.failed(1, PostgresError(.connectionFailed), now: start, jitter: 0, actions: &$0) }, [])
        let later = start.advanced(by: .seconds(1))
        equal(did { pool.tick(now: later, actions: &$0) }, ["connect 0"])
        // The attempt takes its time; nobody waits for it.
        equal(did { pool.submit(request(), now: later, actions: &$0) }, ["fail connectionFailed"])
        equal(did { pool.acquire(lease(), now: later, actions: &$0) }, ["fail connectionFailed"])
        equal(did { pool.failed(0, PostgresError(.connectionFailed), now: later, jitter: 0, actions: &$0) }, [])
        equal(did { pool.submit(request(), now: later, actions: &$0) }, ["fail connectionFailed"])

        let last = start.advanced(by: .seconds(3))
        equal(did { pool.tick(now: last, actions: &$0) }, ["connect 0"])
        equal(did { pool.connected(0, now: last, actions: &$0) }, [])
        equal(did { pool.submit(request(), now: last, actions: &$0) }, ["send 0"])
    }

    @Test func `a connection that was made to hear of the server is closed, and one that fails is no outage`() {
        var pool = machine(shared: 1, exclusive: 1)
        equal(did { pool.ask(actions: &$0) }, ["connect 2"])
        equal(did { pool.connected(2, now: start, actions: &$0) }, ["close 2"])
        equal(did { pool.ask(actions: &$0) }, ["connect 2"])
        equal(did { pool.failed(2, PostgresError(.connectionFailed), now: start, jitter: 0, actions: &$0) }, [])
        #expect(pool.outage == nil && pool.isEmpty)
    }

    @Test func `no order of events loses a caller or a connection`() {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("seed \(seed)")
        var random = SplitMix(state: seed)
        for _ in 0..<40 {
            var walk = Walk(&random)
            walk.run(steps: 2500, seed: seed, &random)
        }
    }
}

/// A random walk over the pool machine with a model of the shell beside it.
private struct Walk {
    private var pool: PoolMachine
    private var now = ContinuousClock.now
    private var connecting: Set<Int> = []
    private var inFlight: [Int: Int] = [:]
    private var held: Set<Int> = []
    private var asked = 0
    private var answered = 0

    init(_ random: inout SplitMix) {
        pool = PoolMachine(
            shared: Int.random(in: 1...3, using: &random), exclusive: Int.random(in: 1...3, using: &random),
            acquireTimeout: .milliseconds(500))
    }

    mutating func run(steps: Int, seed: UInt64, _ random: inout SplitMix) {
        for _ in 0..<steps { step(&random) }
        perform { $0.close(now: $1, actions: &$2) }
        for slot in connecting.sorted() { perform { $0.connected(slot, now: $1, actions: &$2) } }
        for slot in held.sorted() {
            held.remove(slot)
            perform { pool, _, actions in pool.release(slot, isClean: true, actions: &actions) }
        }
        for (slot, count) in inFlight {
            for _ in 0..<count {
                finish(slot)
            }
        }
        #expect(pool.isEmpty, "seed \(seed)")
        #expect(asked == answered, "seed \(seed)")
    }

    private mutating func step(_ random: inout SplitMix) {
        now = now.advanced(by: .milliseconds(Int.random(in: 0...20, using: &random)))
        switch Int.random(in: 0..<12, using: &random) {
        case 0...3:
            asked += 1
            perform { $0.submit(Request(.script("")), now: $1, actions: &$2) }
        case 4, 5:
            asked += 1
            let lease = Lease(waitsUntil: now.advanced(by: .milliseconds(500)))
            perform { $0.acquire(lease, now: $1, actions: &$2) }
        case 6:
            guard let slot = connecting.sorted().randomElement(using: &random) else { return }
            connecting.remove(slot)
            perform { $0.connected(slot, now: $1, actions: &$2) }
        case 7:
            guard let slot = connecting.sorted().randomElement(using: &random) else { return }
            connecting.remove(slot)
            let error = PostgresError(.connectionFailed)
            perform { $0.failed(slot, error, now: $1, jitter: 0.5, actions: &$2) }
        case 8, 9:
            guard let slot = inFlight.keys.sorted().randomElement(using: &random) else { return }
            finish(slot)
        case 10:
            guard let slot = held.sorted().randomElement(using: &random) else { return }
            held.remove(slot)
            let isClean = Bool.random(using: &random)
            perform { pool, _, actions in pool.release(slot, isClean: isClean, actions: &actions) }
        default:
            if Int.random(in: 0..<4, using: &random) == 0, let slot = inFlight.keys.sorted().first {
                // The shell fails what was in flight.
                answered += inFlight.removeValue(forKey: slot) ?? 0
                perform { $0.lost(slot, now: $1, actions: &$2) }
            }
            perform { $0.tick(now: $1, actions: &$2) }
        }
    }

    private mutating func finish(_ slot: Int) {
        answered += 1
        inFlight[slot, default: 0] -= 1
        if inFlight[slot] == 0 { inFlight[slot] = nil }
        perform { $0.finished(slot, now: $1, actions: &$2) }
    }

    private mutating func perform(
        _ body: (inout PoolMachine, ContinuousClock.Instant, inout [PoolMachine.Action]) -> Void
    ) {
        var actions: [PoolMachine.Action] = []
        body(&pool, now, &actions)
        for action in actions {
            switch action {
            case .connect(let slot):
                #expect(!connecting.contains(slot) && !held.contains(slot) && inFlight[slot] == nil)
                connecting.insert(slot)
            case .send(_, let slot):
                #expect(!held.contains(slot) && !connecting.contains(slot))
                inFlight[slot, default: 0] += 1
            case .grant(_, let slot):
                #expect(!held.contains(slot) && inFlight[slot] == nil)
                held.insert(slot)
                answered += 1
            case .failRequest, .failLease: answered += 1
            case .close(let slot): #expect(inFlight[slot] == nil && !held.contains(slot))
            }
        }
    }
}

/// As `#expect(left == right)`, for a left side that changes a machine: the macro's closures cannot.
func equal<Value: Equatable>(_ left: Value, _ right: Value, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(left == right, sourceLocation: sourceLocation)
}
