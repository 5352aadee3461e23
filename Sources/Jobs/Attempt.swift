import Postgres

extension Jobs {
    /// One run of one job, as its handler sees it.
    package struct Attempt: Sendable {
        /// The job's row.
        package let job: Int64
        /// 1 for the first run.
        package let number: Int
        /// `number` at which a failure is final.
        package let last: Int
        let lease: Lease

        /// Marks the job as done in the handler's own transaction, so that its effects happen exactly once.
        ///
        /// Throws `Jobs.LeaseLost` where another worker has the job by now: let it pass, it rolls the effects back.
        package func finish(in transaction: Transaction) async throws {
            guard try await transaction.run(Finish(lease: lease)) == 1 else { throw LeaseLost() }
        }
    }

    /// What is known about one kind of job.
    struct Handler: Sendable {
        let queue: String
        let timeout: Duration
        let run: @Sendable (JSON, Attempt) async throws -> Void
    }

    /// A job that is put into the queue again and again.
    struct Schedule: Sendable {
        let task: String
        let interval: Duration
        let offset: Duration
        /// The job, as of a time where one is given; `nil` for a job that knows no time but the present.
        let make: @Sendable (Timestamp?) throws -> Enqueue?
    }

    /// A job that this worker runs now.
    struct Held: Sendable {
        let lease: Lease
        let queue: String
        /// When the lease was known to be good, by this process's own steady clock.
        var renewed: ContinuousClock.Instant
        /// Until when it keeps other suspects away, where it is one.
        let suspectUntil: ContinuousClock.Instant?
        let stop: Stop
    }

    /// Why a run is cut short.
    enum StopReason: Sendable {
        case shutdown
        case leaseLost
        case timedOut
    }
}
