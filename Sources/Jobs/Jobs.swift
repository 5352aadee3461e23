import FoundationEssentials
import Postgres

/// The durable queue on Postgres. Knows no job of ours.
///
/// A job is a row of the table `job`, put there in the transaction of the write that needs it, so that it exists exactly when the write does.
///
/// - **At least once.** A worker runs a job under a lease of 60 s, renewed every 15 s. When the worker dies the lease ends, another one
///   finds that within 10 s and the job runs again. So handlers are idempotent. A handler whose effects are all in this database calls
///   `attempt.finish(in: transaction)` with them: then they happen exactly once.
/// - **Never two at a time.** Every lease has a token; what a worker says about a job names its token. A worker that was paused past its
///   lease changes no row.
/// - **Retries.** A failed run is followed by another after attempt⁴ seconds ± 10 %, up to `Job.attempts` (20) runs; then the job is `dead`.
/// - **Poison.** A job whose worker was lost three times is dead too: it may be what kills workers. From the first loss on it is a suspect: a
///   worker takes no other suspect in the first minute of one, so that what was beside it by chance is not beside it again; before the third
///   try an hour passes, so that a row of kills or crashes does not end what only met them.
/// - **Unique.** Of jobs with one `uniqueKey`, at most one of a kind is waiting or running.
/// - **Rewritten while it waits or runs.** A caller that finds a key taken may lock that job (`locked`) and give it another payload (`rewrite`).
///   A run was given the payload as it was when it was leased, so the handler of such a kind asks `locked` in the transaction in which it
///   finishes: else it does what the job was to do before, and what was added goes with the row.
/// - **Queues are apart.** Each has its own number of runs at a time, so a long import never holds up a mail.
/// - **Schedules** need no leader: a row unique by (task, due_at) is inserted together with the job.
/// - **Paused in the database.** Of a queue in `job_pause` no worker of any process leases a job; what runs goes on.
/// - **Somebody is told.** Workers say every 15 s which queues they serve (`job_worker`). A queue whose work has been due for 60 s while no
///   worker served it is named by `complaint(in:)`: `/readyz?verbose` and `commonplace doctor` show that.
/// - **One clock**, the database's.
package enum Jobs {
    /// Every statement of the queue, for the test that prepares each one.
    package static let statements: [any Statement.Type] = [
        Enqueue.self, Claim.self, Renew.self, Finish.self, Fail.self, Release.self, Rescue.self, EnqueueSlot.self,
        Sweep.self, Forget.self,
        SweepSlots.self, Depth.self, LockedPayload.self, Rewrite.self, Take.self, TakeOut.self,
        SeeWorker.self, ForgetWorker.self, SweepWorkers.self, List.self, Show.self, Retry.self, Cancel.self, Pause.self,
        Resume.self, Stats.self, Unserved.self, Begin.self,
    ]

    /// The job of this kind and key that waits or runs, locked until the transaction ends: nobody leases or finishes it
    /// meanwhile, nor locks it. `nil` where there is none, also where it was finished while this waited for its lock.
    /// Throws `DecodingError` where a later release put it there.
    package static func locked<J: Job>(_ kind: J.Type, _ key: String, in transaction: Transaction) async throws -> J? {
        guard let payload = try await transaction.first(LockedPayload(kind: J.kind, key: key)) else { return nil }
        return try JSONDecoder().decode(J.self, from: Data(payload.bytes))
    }

    /// Puts `job` in the place of the one of its kind and key that `locked` gave in this transaction. Its time, its
    /// attempts and its lease stay. A run that has begun goes on with what it was given (see `Job`).
    ///
    /// Throws `NotThere` where none waits or runs, and where `job` has no key.
    package static func rewrite<J: Job>(_ job: J, in transaction: Transaction) async throws {
        let payload = try JSON(bytes: [UInt8](JSONEncoder().encode(job)))
        let rewrite = Rewrite(kind: J.kind, key: job.uniqueKey, payload: payload)
        guard try await transaction.run(rewrite) == 1 else { throw NotThere(kind: J.kind) }
    }

    /// Takes the jobs of this kind with these keys that wait or run out of the queue, for a caller that puts others in their
    /// place: a worker that runs one finds its lease lost, and what it did in its last transaction is rolled back.
    /// Throws `DecodingError` where a later release put one there.
    package static func take<J: Job>(
        _ kind: J.Type, _ keys: [String], in transaction: Transaction
    ) async throws -> [J] {
        let payloads = try await transaction.all(Take(kind: J.kind, keys: keys))
        return try payloads.map { try JSONDecoder().decode(J.self, from: Data($0.bytes)) }
    }

    /// Removes every job that names an account as its `account` or `reader`, also dead ones and those that run now,
    /// whose workers then find their lease lost. Of jobs about several `readers` it takes the account out, and they go
    /// on without it; one that runs now has read it already, and what it does must come to nothing for who is gone.
    /// Reads the whole queue: for the end of an account. `account`: as it stands in payloads.
    package static func forget(_ account: String, in queryable: some Queryable) async throws {
        try await queryable.run(Forget(account: account))
        try await queryable.run(TakeOut(account: account))
    }

    /// Durations of the queue's life. The defaults are what production uses; tests shorten them.
    package struct Timing: Sendable {
        /// How long a worker may be silent before it counts as lost.
        package var lease: Duration = .seconds(60)
        /// How often a worker renews its leases. At most a third of `lease`.
        package var heartbeat: Duration = .seconds(15)
        /// How often lost workers are looked for.
        package var rescue: Duration = .seconds(10)
        /// How often an idle queue is looked at: the longest that a job which is due waits for a worker that has nothing to do.
        package var poll: Duration = .milliseconds(500)
        /// How often schedules are looked at.
        package var schedule: Duration = .seconds(1)
        /// How long a suspect keeps other suspects away: one that has run for so long kills nobody.
        package var suspicion: Duration = .seconds(60)
        /// How long running jobs may go on after SIGTERM.
        package var grace: Duration = .seconds(20)

        package init() {}
    }

    /// Losses of a lease after which a job is dead.
    package static let leaseLosses = 3
    /// The pause before the last run that a job may lose.
    package static let lossPause: Duration = .seconds(3600)

    /// The pause before run `attempt + 1`: attempt⁴ seconds, times 1 + `jitter`, which is drawn from −0.1...0.1.
    package static func pause(after attempt: Int, jitter: Double) -> Duration {
        let base = Double(attempt * attempt * attempt * attempt)
        return .seconds(base * (1 + jitter))
    }

    /// Thrown by a handler that knows that no further run can succeed: the job is dead at once.
    package struct Hopeless: Error, CustomStringConvertible {
        package let reason: String
        package init(_ reason: String) { self.reason = reason }
        package var description: String { reason }
    }

    /// The lease went to another worker; thrown by `Attempt.finish(in:)`, so that the transaction is rolled back.
    package struct LeaseLost: Error, CustomStringConvertible {
        package var description: String { "the lease of this job was lost" }
    }

    /// No job of the kind and key waits or runs; thrown by `rewrite`, so that nothing is lost in silence.
    package struct NotThere: Error, CustomStringConvertible {
        package let kind: String
        package var description: String { "no job of kind \(kind) and this key waits or runs" }
    }

    /// The run took longer than `Job.timeout`.
    package struct TimedOut: Error, CustomStringConvertible {
        package let limit: Duration
        package var description: String { "not done after \(limit)" }
    }
}

/// One piece of background work: a small value that says what to do, stored as JSON.
///
/// Fields may be added with a default (`decodeIfPresent`), never renamed: rows written by the previous release are run by the next.
///
/// A job's payload may change while it runs, where its kind is one that something gives to `Jobs.rewrite`: the handler
/// has the value of when the run was leased. Such a handler asks `Jobs.locked` in the transaction in which it finishes
/// and does what that says; the next run of one that failed is given the new value.
package protocol Job: Codable, Sendable {
    /// Names the handler; at most 100 characters, `domain.verb`. Never changes once released.
    static var kind: String { get }
    /// The queue it waits in; `default` unless said otherwise.
    static var queue: String { get }
    /// Runs after which a failure is final, 1...100; 20 unless said otherwise (the last pause is then about 36 hours).
    static var attempts: Int { get }
    /// How long one run may take before it is cancelled and counts as failed; 60 s unless said otherwise.
    static var timeout: Duration { get }
    /// At most one job of this kind with this key waits or runs; `nil` (the default) for no such rule. At most 500 characters.
    var uniqueKey: String? { get }
}

extension Job {
    package static var queue: String { "default" }
    package static var attempts: Int { 20 }
    package static var timeout: Duration { .seconds(60) }
    package var uniqueKey: String? { nil }

    /// Puts the job into the queue, as part of `queryable`'s transaction when it is one.
    ///
    /// Gives `false` where the job has a `uniqueKey` and one with that key is already waiting or running.
    @discardableResult
    package func enqueue(in queryable: some Queryable, after delay: Duration = .zero) async throws -> Bool {
        try await queryable.run(Jobs.Enqueue(self, after: delay)) == 1
    }
}
