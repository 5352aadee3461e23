import Glibc
import Postgres
import Synchronization

/// Threads that give way to all others, for work that takes long and is wanted only while its caller waits.
///
/// Work whose caller has gone (`Presence`), or whose `Deadline` has passed, is not begun. A thread ends when nothing
/// waits: the next work begins another, so that none blocks.
package final class LowPriorityThreads: Sendable {
    /// Linux gives each thread a nice value of its own: beside busy threads one with 10 gets about a tenth of a
    /// processor.
    static let niceness: Int32 = 10

    private struct Job {
        let presence: Presence?
        let deadline: ContinuousClock.Instant?
        let begin: @Sendable () -> Void
        let drop: @Sendable () -> Void

        /// Nobody waits for it any more.
        var isUnwanted: Bool {
            presence?.isGone == true || deadline.map { $0 <= .now } == true
        }
    }

    private struct State {
        var running = 0
        /// Who is served or waits.
        var callers = 0
        /// At most `capacity`, so that taking the first is cheap.
        var waiting: [Job] = []
    }

    private let state = Mutex(State())
    private let threads: Int
    private let capacity: Int

    /// `queue`: callers that may wait beside those that are served.
    package init(threads: Int, queue: Int) {
        self.threads = threads
        self.capacity = threads + queue
    }

    /// Callers that are served or wait.
    package var callers: Int { state.withLock { $0.callers } }

    /// Runs `work` on one of the threads; `nil`, and nothing is done, where all places are taken or nobody waits for it
    /// any more.
    package func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result? {
        let (presence, deadline) = (Presence.current, Deadline.current)
        return try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Result?, any Error>) in
            let job = Job(
                presence: presence, deadline: deadline,
                begin: { continuation.resume(with: Swift.Result { try work() as Result? }) },
                drop: { continuation.resume(returning: nil) })
            guard add(job) else { return job.drop() }
        }
    }

    /// False where there is no place, or no thread can be had.
    private func add(_ job: Job) -> Bool {
        let isNew: Bool? = state.withLock { state in
            guard state.callers < capacity else { return nil }
            state.callers += 1
            state.waiting.append(job)
            guard state.running < threads else { return false }
            state.running += 1
            return true
        }
        guard let isNew else { return false }
        if isNew, !SystemThread.start({ self.work() }) { dropAll() }
        return true
    }

    /// What one thread does until nothing waits.
    private func work() {
        setpriority(Int32(PRIO_PROCESS.rawValue), 0, Self.niceness)
        while let job = next() {
            if job.isUnwanted { job.drop() } else { job.begin() }
            state.withLock { $0.callers -= 1 }
        }
    }

    private func next() -> Job? {
        state.withLock { state in
            if !state.waiting.isEmpty { return state.waiting.removeFirst() }
            state.running -= 1
            return nil
        }
    }

    /// The system has no thread left: who waits is told so, unless another thread is there to serve.
    private func dropAll() {
        let dropped: [Job] = state.withLock { state in
            state.running -= 1
            guard state.running == 0 else { return [] }
            state.callers = 0
            defer { state.waiting = [] }
            return state.waiting
        }
        for job in dropped { job.drop() }
    }
}
