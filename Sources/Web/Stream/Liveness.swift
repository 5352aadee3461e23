extension EventStream {
    /// How many messages a client may still send: a bucket that fills with time.
    struct Allowance: Sendable {
        private let perSecond: Int
        private let burst: Int64
        /// Thousandths of a message.
        private var left: Int64
        private var last: Int64

        init(perSecond: Int, burst: Int, now: Int64) {
            self.perSecond = perSecond
            self.burst = Int64(burst) * 1000
            left = self.burst
            last = now
        }

        /// Takes so many messages, or none where they are not left.
        mutating func take(_ count: Int = 1, now: Int64) -> Bool {
            left = min(burst, left + max(0, now - last) * Int64(perSecond))
            last = now
            guard left >= Int64(count) * 1000 else { return false }
            left -= Int64(count) * 1000
            return true
        }
    }

    /// Whether anybody is there. Any byte from the client is a sign of life; a ping that our own blocked writer never sent is not a missed
    /// one, but a writer that nothing is taken from for too long is an end of its own.
    struct Liveness: Sendable {
        enum Finding: Sendable, Hashable {
            case nothing
            /// Time for a ping and a heartbeat.
            case beat
            /// Something waits and nothing was taken for too long.
            case stalled
            /// Pings went out and nothing came back.
            case gone
        }

        private let interval: Int64
        private let stall: Int64
        private let mayMiss: Int
        private var nextBeat: Int64
        private var unanswered = 0
        private var accepted: Int64 = 0
        private var progressAt: Int64

        init(limits: Limits, now: Int64) {
            interval = Int64(limits.heartbeat) * 1000
            stall = Int64(limits.stallSeconds) * 1000
            mayMiss = limits.missedPings
            nextBeat = now + interval
            progressAt = now
        }

        mutating func heard() { unanswered = 0 }

        mutating func tick(now: Int64, accepted: Int64, isBlocked: Bool) -> Finding {
            if accepted != self.accepted || !isBlocked {
                self.accepted = accepted
                progressAt = now
            }
            if now - progressAt >= stall { return .stalled }
            guard now >= nextBeat, !isBlocked else { return .nothing }
            if unanswered >= mayMiss { return .gone }
            unanswered += 1
            nextBeat = now + interval
            return .beat
        }
    }
}
