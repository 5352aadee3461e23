import Community
import NIOCore
import NIOEmbedded
import TestSupport
import Testing

@testable import Web

@Suite struct LimitsTests {
    private let start = ContinuousClock.now
    private let ann = RateLimiter.Caller.account(ID(rawValue: 1))
    private let bob = RateLimiter.Caller.account(ID(rawValue: 2))

    @Test func `a caller gets the quota at once, then what flows back, and nobody else pays`() throws {
        let limiter = RateLimiter()
        let policy = try #require(RateLimiter.policies[.write])
        for count in 1...policy.quota {
            let verdict = try #require(limiter.take(.write, by: ann, now: start))
            #expect(verdict.isAllowed && verdict.remaining == policy.quota - count)
        }

        let refused = try #require(limiter.take(.write, by: ann, now: start))
        #expect(!refused.isAllowed)
        #expect(limiter.take(.write, by: bob, now: start)?.isAllowed == true)
        #expect(limiter.take(.read, by: ann, now: start)?.isAllowed == true)
        #expect(limiter.take(.write, by: ann, now: start.advanced(by: .seconds(refused.seconds)))?.isAllowed == true)
    }

    @Test func `buckets of strangers do not fill the memory`() {
        let limiter = RateLimiter()
        for number in 1...250_000 {
            _ = limiter.take(
                .read, by: .account(ID(rawValue: Int64(number))), now: start.advanced(by: .milliseconds(number)))
        }

        #expect(limiter.bucketCount <= 100_001)
    }

    @Test func `requests beyond capacity wait their turn, and beyond the backlog are told to come back`() async throws {
        let gate = RequestGate(capacity: 2, backlog: 3, patience: .seconds(60))
        try await gate.enter()
        try await gate.enter()
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<6 {
                group.addTask {
                    do throws(Failure) {
                        try await gate.enter()
                    } catch {
                        return false
                    }
                    gate.leave()
                    return true
                }
            }
            // Three do not find a place in the backlog and are refused while nobody has left yet.
            for _ in 0..<3 {
                let isLetIn = try await group.next()
                #expect(isLetIn == false)
            }
            gate.leave()
            for _ in 0..<3 {
                let isLetIn = try await group.next()
                #expect(isLetIn == true)
            }
        }
        gate.leave()
        #expect(gate.working == 0)
    }

    @Test func `one address has so many connections, a trusted proxy and this machine as many as there are`() throws {
        var limits = ServerLimits()
        (limits.connections, limits.connectionsPerAddress) = (8, 2)
        let counter = ConnectionCounter(limits: limits, trusted: [AddressRange(text: "10.0.0.0/8")].compactMap(\.self))
        func connect(_ address: String) throws -> EmbeddedChannel {
            let channel = EmbeddedChannel()
            try channel.connect(to: SocketAddress(ipAddress: address, port: 1)).wait()
            return channel
        }
        let first = try connect("198.51.100.7")
        #expect(counter.admits(first))
        #expect(try counter.admits(connect("198.51.100.7")))
        #expect(try !counter.admits(connect("198.51.100.7")))
        #expect(try counter.admits(connect("198.51.100.8")))
        for _ in 0..<3 { #expect(try counter.admits(connect("10.0.0.1"))) }
        #expect(try counter.admits(connect("127.0.0.1")))
        #expect(counter.count == 7)

        _ = try first.finish()
        #expect(counter.count == 6)
        #expect(try counter.admits(connect("198.51.100.7")))
        #expect(try counter.admits(connect("127.0.0.1")))
        #expect(try !counter.admits(connect("127.0.0.1")))
    }

    @Test func `a stream counts for its address until it closes, and one that closed meanwhile for nobody`() throws {
        var limits = ServerLimits()
        (limits.connections, limits.streams, limits.streamsPerAddress) = (4, 3, 2)
        let counter = ConnectionCounter(limits: limits, trusted: [AddressRange(text: "10.0.0.0/8")].compactMap(\.self))
        let proxied = ClientAddress([198, 51, 100, 7])
        func connect() throws -> EmbeddedChannel {
            let channel = EmbeddedChannel()
            try channel.connect(to: SocketAddress(ipAddress: "10.0.0.1", port: 1)).wait()
            #expect(counter.admits(channel))
            return channel
        }
        let (first, second, third) = (try connect(), try connect(), try connect())
        try counter.seat(first, of: proxied)
        // A second answer on one connection takes no second seat.
        try counter.seat(first, of: proxied)
        #expect((counter.count, counter.streamCount) == (2, 1))
        try counter.seat(second, of: proxied)
        #expect(throws: Failure.limited(policy: RateClass.stream.rawValue, retryAfter: .seconds(30))) {
            try counter.seat(third, of: proxied)
        }
        #expect((counter.count, counter.streamCount) == (1, 2))

        _ = try third.finish()
        try counter.seat(third, of: ClientAddress([198, 51, 100, 8]))
        #expect((counter.count, counter.streamCount) == (0, 2))
        _ = try first.finish()
        _ = try second.finish()
        #expect((counter.count, counter.streamCount) == (0, 0))
    }

    @Test func `who has waited long enough is told to come back, each in its time`() async throws {
        let gate = RequestGate(capacity: 1, backlog: 8, patience: .milliseconds(60))
        try await gate.enter()
        for count in [1, 3] {
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<count {
                    group.addTask {
                        do throws(Failure) {
                            try await gate.enter()
                            return true
                        } catch {
                            return false
                        }
                    }
                }
                for try await isLetIn in group { #expect(!isLetIn) }
            }
            #expect(gate.waiting == 0)
        }
        gate.leave()
        try await gate.enter()
        #expect(gate.working == 1)
    }

    @Test func `who stops waiting frees its place in the backlog`() async throws {
        let gate = RequestGate(capacity: 1, backlog: 1)
        try await gate.enter()
        let waiting = Task { try await gate.enter() }
        try await eventually { gate.waiting == 1 }

        waiting.cancel()
        await #expect(throws: Failure.self) { try await waiting.value }

        #expect(gate.waiting == 0)
        gate.leave()
        try await gate.enter()
        gate.leave()
        #expect(gate.working == 0)
    }
}

@Suite struct ConnectionClockTests {
    private let zero = NIODeadline.uptimeNanoseconds(1_000_000_000)
    private func at(_ seconds: Double) -> NIODeadline { zero + .nanoseconds(Int64(seconds * 1e9)) }
    private func clock() -> ConnectionClock { ConnectionClock(limits: ServerLimits(), now: zero) }

    @Test func `a connection that says nothing, or does not end its headers, is over after 10 s`() {
        var silent = clock()
        var slow = clock()
        slow.received(at(9))

        #expect(silent.verdict(at(9.9), buffered: 0) == nil)
        #expect(silent.verdict(at(10), buffered: 0) == .idle)
        slow.received(at(18))
        #expect(slow.verdict(at(18.9), buffered: 0) == nil)
        #expect(slow.verdict(at(19), buffered: 0) == .slowHead)
    }

    @Test func `a body has 10 s, then 1 KiB a second`() {
        var slow = clock()
        slow.received(zero)
        slow.receivedHead(zero)
        slow.receivedBody(2048)

        #expect(slow.verdict(at(10), buffered: 0) == nil)
        #expect(slow.verdict(at(11.9), buffered: 0) == nil)
        #expect(slow.verdict(at(12.1), buffered: 0) == .slowBody)
        slow.receivedBody(1_000_000)
        #expect(slow.verdict(at(60), buffered: 0) == nil)
        #expect(slow.verdict(at(120), buffered: 0) == .slowBody, "however fast, it ends some time")
        slow.receivedEnd(at(121))
        #expect(slow.verdict(at(200), buffered: 0) == nil, "the server works on its answer as long as it likes")
    }

    @Test func `an answer that nobody reads ends the connection after 30 s without progress`() {
        var stuck = clock()
        stuck.received(zero)
        stuck.receivedHead(zero)
        stuck.receivedEnd(zero)
        stuck.wrote(10_000)

        #expect(stuck.verdict(at(1), buffered: 10_000) == nil)
        #expect(stuck.verdict(at(20), buffered: 9_000) == nil)
        #expect(stuck.verdict(at(49), buffered: 9_000) == nil)
        #expect(stuck.verdict(at(50.1), buffered: 9_000) == .stalledWrite)
    }

    @Test func `between two requests a connection rests 60 s`() {
        var kept = clock()
        kept.received(zero)
        kept.receivedHead(zero)
        kept.receivedEnd(zero)
        kept.answered(at(1))

        #expect(kept.verdict(at(60), buffered: 0) == nil)
        #expect(kept.verdict(at(61), buffered: 0) == .idle)
    }

    @Test func `while the server ends a connection that rests has 250 ms, and a request that has begun 3 s`() {
        var (resting, head, body, answering) = (clock(), clock(), clock(), clock())
        head.received(zero)
        body.received(zero)
        answering.received(zero)
        body.receivedHead(zero)
        answering.receivedHead(zero)
        answering.receivedEnd(zero)
        resting.drain(at(1))
        head.drain(at(1))
        body.drain(at(1))
        answering.drain(at(1))

        #expect(resting.verdict(at(1.2), buffered: 0) == nil)
        #expect(resting.verdict(at(1.25), buffered: 0) == .idle)
        #expect(head.verdict(at(3.9), buffered: 0) == nil && body.verdict(at(3.9), buffered: 0) == nil)
        #expect(head.verdict(at(4), buffered: 0) == .slowHead && body.verdict(at(4), buffered: 0) == .slowBody)
        #expect(answering.verdict(at(9), buffered: 0) == nil, "its answer is the server's business")
    }

    @Test func `after the last answer input is thrown away for 2 s`() {
        var ending = clock()
        ending.discard(zero)

        #expect(ending.verdict(at(1.9), buffered: 0) == nil)
        #expect(ending.verdict(at(2), buffered: 0) == .lingered)
    }

    @Test func `behind the last request nothing is read, however long its answer takes`() {
        var last = clock()
        last.received(zero)
        last.receivedHead(zero)
        last.receivedEnd(zero)
        last.receivedLast()

        #expect(last.isDiscarding && last.verdict(at(1_000), buffered: 0) == nil)
        last.answered(at(1_000))
        last.discard(at(1_000))
        #expect(last.verdict(at(1_002), buffered: 0) == .lingered)
    }

    @Test func `an upgraded connection minds its own reading`() {
        var upgraded = clock()
        upgraded.received(zero)
        upgraded.upgrade()

        #expect(upgraded.verdict(at(10_000), buffered: 0) == nil)
    }
}
