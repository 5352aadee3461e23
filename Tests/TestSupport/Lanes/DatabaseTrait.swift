import Testing

/// `@Suite(.database)`, `@Test(.database(.fresh))`: gives each test a database of its own while it runs, in `Lane.current`; use it through
/// `withWorld`.
///
/// A trait on a test overrides that of its suite. One instance serves a whole suite and so keeps no state of a test.
package struct DatabaseTrait: SuiteTrait, TestTrait, TestScoping {
    package let kind: Lane.Kind

    /// Without this a suite's trait would surround the suite and not each of its tests.
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let innermost = test.traits.compactMap { ($0 as? DatabaseTrait)?.kind }.last
        // One lane a test: a second one for the inner trait could wait for ever for a place that outer ones hold.
        guard Lane.current == nil, innermost == kind else { return try await function() }
        let isLong = test.traits.contains { $0 is LongTrait }
        try await LaneRack.shared.withLane(kind, isLong: isLong, function)
    }
}

extension Trait where Self == DatabaseTrait {
    package static var database: DatabaseTrait { DatabaseTrait(kind: .shared) }

    package static func database(_ kind: Lane.Kind) -> DatabaseTrait { DatabaseTrait(kind: kind) }
}

/// `@Test(.long)`: a test of half a minute and more gets its lane before the others that wait.
package struct LongTrait: TestTrait {}

extension Trait where Self == LongTrait {
    package static var long: LongTrait { LongTrait() }
}
