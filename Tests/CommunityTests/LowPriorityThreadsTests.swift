import Dispatch
import Glibc
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Community

@Suite struct LowPriorityThreadsTests {
    /// Tests that compute hold all of Swift's threads for two minutes where many run at once.
    private static let patience: Duration = .seconds(300)

    /// Occupies the only thread until `free`, and waits until it does.
    private func occupy(
        _ threads: LowPriorityThreads, until free: DispatchSemaphore
    ) async throws -> Task<Bool?, any Error> {
        let flag = Flag()
        let task = Task {
            try await threads.run {
                flag.raise()
                free.wait()
                return true
            }
        }
        try await eventually(within: Self.patience) { flag.isRaised }
        return task
    }

    @Test func `its threads give way to all others`() async throws {
        let threads = LowPriorityThreads(threads: 1, queue: 1)
        let nice = try await threads.run { getpriority(Int32(PRIO_PROCESS.rawValue), 0) }
        #expect(nice == LowPriorityThreads.niceness)
        #expect(getpriority(Int32(PRIO_PROCESS.rawValue), 0) < LowPriorityThreads.niceness)
    }

    @Test func `what its caller has given up is not begun`() async throws {
        let threads = LowPriorityThreads(threads: 1, queue: 4)
        let free = DispatchSemaphore(value: 0)
        let first = try await occupy(threads, until: free)
        let presence = Presence()
        let begun = Flag()
        async let gone = Presence.$current.withValue(presence) { try await threads.run { begun.raise() } }
        async let late = Deadline.within(.milliseconds(1)) { try await threads.run { begun.raise() } }
        async let waiting = threads.run { "done" }
        try await eventually(within: Self.patience) { threads.callers == 4 }

        presence.leave()
        free.signal()

        #expect(try await first.value == true)
        #expect(try await gone == nil)
        #expect(try await late == nil)
        #expect(!begun.isRaised)
        #expect(try await waiting == "done")
        try await eventually(within: Self.patience) { threads.callers == 0 }
    }

    @Test func `beyond its places it refuses at once`() async throws {
        let threads = LowPriorityThreads(threads: 1, queue: 1)
        let free = DispatchSemaphore(value: 0)
        let first = try await occupy(threads, until: free)
        async let second = threads.run { 2 }
        try await eventually(within: Self.patience) { threads.callers == 2 }

        #expect(try await threads.run { 3 } == nil)

        free.signal()
        #expect(try await first.value == true)
        #expect(try await second == 2)
        #expect(try await threads.run { 4 } == 4)
    }
}

private final class Flag: Sendable {
    private let raised = Atomic<Bool>(false)
    var isRaised: Bool { raised.load(ordering: .relaxed) }
    func raise() { raised.store(true, ordering: .relaxed) }
}
