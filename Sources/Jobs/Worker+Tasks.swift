import Postgres
import Synchronization

/// A job that can be done as of another time than now.
package protocol DatedJob: Job {
    /// `time`: `nil` for the time at which it runs.
    init(asOf time: Timestamp?)
}

extension Jobs.Worker {
    /// Why a task was not run.
    package enum TaskRefusal: Error, Equatable {
        case noSuchTask
        /// It knows no time but the present.
        case hasNoTime
    }

    /// The names of all schedules, in order.
    package var tasks: [String] { state.withLock { $0.schedules.map(\.task).sorted() } }

    /// Does the job of one schedule now, in this process, whatever its queue has to do; where `time` is given, as of that time.
    ///
    /// It is a job like others while it runs, under a lease, but is tried once. Throws `TaskRefusal` and what the job throws.
    package func run(task: String, asOf time: Timestamp? = nil) async throws {
        guard let schedule = state.withLock({ $0.schedules.first { $0.task == task } }) else {
            throw TaskRefusal.noSuchTask
        }
        guard let job = try schedule.make(time) else { throw TaskRefusal.hasNoTime }
        let id = try await database.one(Jobs.Begin(job: job, lease: timing.lease, worker: name))
        let lease = Jobs.Lease(job: id, token: 1)
        hold(lease, queue: job.queue)
        let outcome = await withTaskGroup(of: Void.self) { upkeep in
            upkeep.addTask { await self.renewLeases() }
            defer { upkeep.cancelAll() }
            return await perform(
                Jobs.Claimed(
                    lease: lease, kind: job.kind, payload: job.payload, attempt: 1, attempts: 1, isSuspect: false))
        }
        switch outcome {
        case .done: return
        case .failed(let error): throw error
        case .givenBack: throw Jobs.LeaseLost()
        }
    }

    private func hold(_ lease: Jobs.Lease, queue: String) {
        state.withLock { state in
            state.held[lease] = Jobs.Held(
                lease: lease, queue: queue, renewed: .now, suspectUntil: nil, stop: Jobs.Stop())
        }
    }
}
