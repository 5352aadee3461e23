import Postgres
import Synchronization

/// Makes identifiers that no other process makes, as long as no two processes hold the same node number (`NodeLease`
/// sees to that).
///
/// Up to 4,096 a millisecond; beyond that it borrows from the next millisecond. When the clock steps back it goes on
/// from the highest millisecond used, so that identifiers never repeat and never descend within one process. Without a
/// valid lease it makes none and throws `Failure.busy`: a request then answers 503 instead of writing under another
/// process's number.
package final class IDMaker: Sendable {
    /// 2024-01-01T00:00:00Z.
    package static let epoch = Timestamp(seconds: 1_704_067_200)
    /// Node numbers are 0...1023.
    package static let nodes: Range<Int> = 0..<1024

    private struct State {
        /// Milliseconds since `epoch` shifted left by 12, plus the counter.
        var last: Int64 = 0
        var node: Int64
        /// `nil`: for good.
        var until: ContinuousClock.Instant?
    }

    private let clock: any WallClock
    private let state: Mutex<State>

    /// A maker that holds `node` for good: tests, and a command that is alone with its database.
    package init(node: Int, clock: any WallClock) {
        precondition(Self.nodes.contains(node), "node number out of range")
        self.clock = clock
        self.state = Mutex(State(node: Int64(node), until: nil))
    }

    /// A maker without a node number: it waits for `hold(node:until:)`.
    package init(clock: any WallClock) {
        self.clock = clock
        self.state = Mutex(State(node: 0, until: .now))
    }

    /// Uses `node` until the given instant; called by `NodeLease` at each renewal.
    func hold(node: Int, until instant: ContinuousClock.Instant) {
        precondition(Self.nodes.contains(node), "node number out of range")
        state.withLock { state in
            state.node = Int64(node)
            state.until = instant
        }
    }

    /// Whether it may make identifiers now. While it may not, no write works.
    package var holdsNode: Bool { state.withLock { state in state.until.map { ContinuousClock.now < $0 } ?? true } }

    package func make<Entity>(_: Entity.Type = Entity.self) throws(Failure) -> ID<Entity> {
        try make(at: clock.now())
    }

    /// The least identifier dated `time`, by whatever node: a bound for questions of what was made since. Nobody's own.
    package static func first<Entity>(at time: Timestamp, _: Entity.Type = Entity.self) -> ID<Entity> {
        ID(rawValue: max(0, time.milliseconds - epoch.milliseconds) << 22)
    }

    /// When an identifier was made, to the millisecond.
    package static func time<Entity>(of id: ID<Entity>) -> Timestamp {
        epoch + .milliseconds(id.rawValue >> 22)
    }

    /// An identifier dated `at`, or now where this process has made later ones: for demonstration data and imports,
    /// whose order should follow the dates that they carry.
    package func make<Entity>(at time: Timestamp) throws(Failure) -> ID<Entity> {
        let now = max(0, time.milliseconds - Self.epoch.milliseconds) << 12
        let made: (tick: Int64, node: Int64)? = state.withLock { state in
            if let until = state.until, ContinuousClock.now >= until { return nil }
            state.last = max(state.last + 1, now)
            return (state.last, state.node)
        }
        guard let made else { throw .busy("this process has lost its node number", retryAfter: .seconds(1)) }
        return ID(rawValue: (made.tick >> 12) << 22 | made.node << 12 | (made.tick & 0xFFF))
    }
}
