import NIOCore

/// Decides when a connection has taken too long. Pure: it is told what happened and when, and asked for a verdict at each tick.
struct ConnectionClock {
    enum Verdict: Hashable {
        /// The headers do not end: 408, then close.
        case slowHead
        /// The body trickles.
        case slowBody
        /// The client does not read what is written to it.
        case stalledWrite
        /// Nothing happens between two requests.
        case idle
        /// The last answer has had its time to arrive.
        case lingered
    }

    private enum Reading {
        case nothing(since: NIODeadline)
        case head(since: NIODeadline)
        case body(since: NIODeadline, bytes: Int)
        /// Whatever comes is thrown away.
        case discarding(since: NIODeadline)
        /// The last request of this connection has been read: whatever comes is thrown away while it is answered.
        case done
        /// Another protocol has taken over and minds its own reading.
        case upgraded
    }

    private let limits: ServerLimits
    private var reading: Reading
    /// Requests whose headers have been read and whose answer is not written to its end.
    private(set) var requests = 0
    /// The first request gets `headTime`, later ones `keepAlive`, to begin.
    private var hasBegun = false
    private var written = 0
    private var lastFlushed = 0
    private var lastProgress: NIODeadline
    /// Since when the server is ending.
    private var drainsSince: NIODeadline?

    init(limits: ServerLimits, now: NIODeadline) {
        self.limits = limits
        self.reading = .nothing(since: now)
        self.lastProgress = now
    }

    /// Part of a body is still to come.
    var isReadingBody: Bool {
        if case .body = reading { true } else { false }
    }

    var isDraining: Bool { drainsSince != nil }

    var isDiscarding: Bool {
        switch reading {
        case .discarding, .done: true
        case .nothing, .head, .body, .upgraded: false
        }
    }

    mutating func received(_ now: NIODeadline) {
        if case .nothing = reading { reading = .head(since: now) }
        hasBegun = true
    }

    mutating func receivedHead(_ now: NIODeadline) {
        requests += 1
        reading = .body(since: now, bytes: 0)
    }

    mutating func receivedBody(_ count: Int) {
        if case .body(let since, let bytes) = reading { reading = .body(since: since, bytes: bytes + count) }
    }

    mutating func receivedEnd(_ now: NIODeadline) {
        if case .body = reading { reading = .nothing(since: now) }
    }

    mutating func wrote(_ count: Int) { written += count }

    mutating func answered(_ now: NIODeadline) {
        requests = max(0, requests - 1)
        // The time that the server took for its answer is not the client's.
        switch reading {
        case .nothing: reading = .nothing(since: now)
        case .head: reading = .head(since: now)
        case .body, .discarding, .done, .upgraded: break
        }
    }

    mutating func receivedLast() { reading = .done }
    mutating func discard(_ now: NIODeadline) { reading = .discarding(since: now) }
    mutating func upgrade() { reading = .upgraded }
    /// The server is ending: what rests is closed soon, what comes has little time left.
    mutating func drain(_ now: NIODeadline) { drainsSince = drainsSince ?? now }

    /// `buffered`: bytes written to the channel that have not left yet.
    mutating func verdict(_ now: NIODeadline, buffered: Int) -> Verdict? {
        let flushed = written - buffered
        if buffered == 0 || flushed != lastFlushed {
            lastFlushed = flushed
            lastProgress = now
        }
        if now - lastProgress >= limits.writeStall { return .stalledWrite }
        switch reading {
        case .nothing(let since):
            guard requests == 0, buffered == 0 else { return nil }
            if isOver(limits.farewell, now) { return .idle }
            return now - since >= (hasBegun ? limits.keepAlive : limits.headTime) ? .idle : nil
        case .head(let since):
            guard requests == 0 else { return nil }
            return now - since >= limits.headTime || isOver(limits.lastRequest, now) ? .slowHead : nil
        case .body(let since, let bytes):
            guard now - since < limits.bodyTime, !isOver(limits.lastRequest, now) else { return .slowBody }
            let beyond = (now - since) - limits.bodyGrace
            guard beyond > .zero else { return nil }
            let expected = Int64(limits.bodyRate) * (beyond.nanoseconds / 1_000_000) / 1000
            return Int64(bytes) < max(1, expected) ? .slowBody : nil
        case .discarding(let since):
            return now - since >= limits.linger ? .lingered : nil
        case .upgraded, .done: return nil
        }
    }

    /// The server has been ending for so long.
    private func isOver(_ time: TimeAmount, _ now: NIODeadline) -> Bool {
        drainsSince.map { now - $0 >= time } ?? false
    }
}

/// The clock of one connection, shared by its two handlers on the connection's event loop.
final class ConnectionState {
    var clock: ConnectionClock
    let limits: ServerLimits
    let room: HTTPChannel.Room

    init(limits: ServerLimits, room: @escaping HTTPChannel.Room) {
        self.limits = limits
        self.room = room
        self.clock = ConnectionClock(limits: limits, now: .now())
    }
}
