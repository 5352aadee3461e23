import Synchronization
import Testing

/// `@Test(.requirement("ACC-1"))`: which requirement a test proves. Shown with its failures.
///
/// A requirement is proven where apps meet it: in what the server answers over HTTP, or tells on the stream. A test that
/// names one and never calls the server fails.
package struct Requirement: SuiteTrait, TestTrait, TestScoping {
    /// As in the list of requirements: `ACC-1`.
    package let codes: [String]

    package init(codes: [String]) { self.codes = codes }

    /// Without this a suite's trait would surround the suite and not each of its tests.
    package var isRecursive: Bool { true }
    package var comments: [Comment] { codes.map { "requirement \($0)" } }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        // The outermost of several traits of one test looks for all of them.
        guard ServerCalls.current == nil else { return try await function() }
        let calls = ServerCalls()
        try await ServerCalls.$current.withValue(calls) { try await function() }
        guard !calls.wereMade else { return }
        Issue.record(
            "names \(codes.joined(separator: ", ")) and never calls the server: prove it over HTTP, or name nothing",
            sourceLocation: test.sourceLocation)
    }
}

extension Trait where Self == Requirement {
    package static func requirement(_ codes: String...) -> Requirement { Requirement(codes: codes) }
}

/// Whether the test that runs has called a server: in memory, through a socket, or as a program of its own.
package final class ServerCalls: Sendable {
    @TaskLocal static var current: ServerCalls?

    private let made = Atomic(false)

    var wereMade: Bool { made.load(ordering: .relaxed) }

    /// Said by everything through which tests reach a server.
    package static func note() { current?.made.store(true, ordering: .relaxed) }
}
