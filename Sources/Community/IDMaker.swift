import Postgres
import Synchronization

/// Makes identifiers that no other process makes, as long as no two processes hold the same node number (`NodeLease` sees to that).
///
/// Up to 4,096 a millisecond; beyond that it borrows from the next millisecond. When the clock steps back it goes on from the highest
/// millisecond used, so that identifiers never repeat and never descend within one process.
package final class IDMaker: Sendable {
    /// 2024-01-01T00:00:00Z.
    package static let epoch = Timestamp(seconds: 1_704_067_200)
    /// Node numbers are 0...1023.
    package static let nodes: Range<Int> = 0..<1024

    private let node: Int64
    private let clock: any WallClock
    /// Milliseconds since `epoch` shifted left by 12, plus the counter.
    private let last: Mutex<Int64> = Mutex(0)

    package init(node: Int, clock: any WallClock) {
        precondition(Self.nodes.contains(node), "node number out of range")
        self.node = Int64(node)
        self.clock = clock
    }

    package func make<Entity>(_: Entity.Type = Entity.self) -> ID<Entity> {
        make(at: clock.now())
    }

    /// An identifier dated `at`: for demonstration data and imports, whose order should follow the dates that they carry.
    package func make<Entity>(at time: Timestamp) -> ID<Entity> {
        let now = max(0, time.milliseconds - Self.epoch.milliseconds) << 12
        let tick = last.withLock { last in
            last = max(last + 1, now)
            return last
        }
        return ID(rawValue: (tick >> 12) << 22 | node << 12 | (tick & 0xFFF))
    }
}
