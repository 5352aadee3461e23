import Community
import Foundation
import Synchronization
import Testing

/// Bytes and numbers that come again with the same seed: one stream a test, from the run's seed and the test's name, so that neither the
/// order nor the company of tests changes what one of them sees.
package final class TestRandom: RandomSource {
    /// The run's seed: `COMMONPLACE_TEST_SEED`, else drawn and printed once.
    package static let seed: UInt64 = {
        let given = ProcessInfo.processInfo.environment["COMMONPLACE_TEST_SEED"].flatMap { UInt64($0) }
        let seed = given ?? UInt64.random(in: 0..<1_000_000_000)
        print("COMMONPLACE_TEST_SEED=\(seed)")
        return seed
    }()

    private let generator: Mutex<SeededGenerator>

    /// The stream of the running test; `purpose` gives a test several that do not disturb each other.
    package convenience init(for purpose: String = "") {
        self.init(seed: Self.seed, name: "\(Test.current?.id.description ?? "")/\(purpose)")
    }

    package init(seed: UInt64, name: String) {
        // FNV-1a: the same in every process, which Swift's own hashing is not.
        let mixed = name.utf8.reduce(0xcbf2_9ce4_8422_2325 ^ seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        generator = Mutex(SeededGenerator(seed: mixed))
    }

    package func bytes(_ count: Int) -> [UInt8] {
        generator.withLock { generator in (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) } }
    }

    package func number<Number: FixedWidthInteger & Sendable>(in range: ClosedRange<Number>) -> Number {
        generator.withLock { Number.random(in: range, using: &$0) }
    }

    package func number<Number: FixedWidthInteger & Sendable>(in range: Range<Number>) -> Number {
        generator.withLock { Number.random(in: range, using: &$0) }
    }

    /// True once in `times`.
    package func once(in times: Int) -> Bool { number(in: 0..<times) == 0 }

    /// `nil` for an empty collection.
    package func element<Items: Collection>(of items: Items) -> Items.Element? where Items.Element: Sendable {
        guard !items.isEmpty else { return nil }
        return items[items.index(items.startIndex, offsetBy: number(in: 0..<items.count))]
    }

    /// A stream of its own for the library's `using:` arguments.
    package func fork() -> SeededGenerator {
        SeededGenerator(seed: generator.withLock { $0.next() })
    }
}

/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
