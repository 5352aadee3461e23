import Dispatch
import Synchronization

/// Threads for work that takes long or waits, beside those that answer requests, with a bound on the callers that may
/// wait for them.
package final class WorkPool: Sendable {
    private let threads: [DispatchQueue]
    /// Callers on each thread, working or waiting.
    private let load: Mutex<[Int]>
    private let capacity: Int

    /// `queue`: callers that may wait beside those that are served.
    package init(_ name: String, threads: Int, queue: Int) {
        self.threads = (0..<threads).map { DispatchQueue(label: "\(name).\($0)") }
        self.load = Mutex(Array(repeating: 0, count: threads))
        self.capacity = threads + queue
    }

    /// Runs `work` on one of the threads; `nil` at once, and nothing is done, where all places are taken.
    package func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result? {
        guard let thread = enter() else { return nil }
        defer { leave(thread) }
        return try await withCheckedThrowingContinuation { continuation in
            threads[thread].async { continuation.resume(with: Swift.Result(catching: work)) }
        }
    }

    /// Has `work` done on one of the threads some time later; false, and nothing is done, where all places are taken.
    package func start(_ work: @escaping @Sendable () -> Void) -> Bool {
        guard let thread = enter() else { return false }
        threads[thread].async { [self] in
            work()
            leave(thread)
        }
        return true
    }

    /// The thread with the fewest callers; `nil` when all places are taken.
    private func enter() -> Int? {
        load.withLock { load in
            guard load.reduce(0, +) < capacity, let thread = load.indices.min(by: { load[$0] < load[$1] }) else {
                return nil
            }
            load[thread] += 1
            return thread
        }
    }

    private func leave(_ thread: Int) { load.withLock { $0[thread] -= 1 } }
}
