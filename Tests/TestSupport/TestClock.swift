import Community
import Postgres
import Synchronization

/// A time of day that stands still until the test moves it.
package final class TestClock: WallClock {
    private let time: Mutex<Timestamp>

    /// Begins at the machine's time in whole milliseconds, so that what the database dates itself lies near, unless told otherwise.
    package init(_ start: Timestamp? = nil) {
        let now = SystemClock().now()
        time = Mutex(start ?? Timestamp(microseconds: now.milliseconds * 1000))
    }

    package func now() -> Timestamp { time.withLock { $0 } }

    package func set(_ time: Timestamp) { self.time.withLock { $0 = time } }

    package func advance(by duration: Duration) { time.withLock { $0 = $0 + duration } }
}
