import FoundationEssentials
import Postgres

/// Tells the time of day. Injected, so that tests choose it.
package protocol WallClock: Sendable {
    func now() -> Timestamp
}

/// The machine's clock.
package struct SystemClock: WallClock {
    package init() {}

    package func now() -> Timestamp {
        Timestamp(microseconds: Int64((Date.now.timeIntervalSince1970 * 1_000_000).rounded(.down)))
    }
}

/// Source of unpredictable bytes. Injected, so that tests are deterministic; production uses the system's generator.
package protocol RandomSource: Sendable {
    /// `count` bytes, each independent and uniform.
    func bytes(_ count: Int) -> [UInt8]
}

package struct SystemRandom: RandomSource {
    package init() {}

    package func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
