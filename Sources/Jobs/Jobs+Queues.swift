import Postgres

/// The queue as somebody at a terminal sees it and may change it.
extension Jobs {
    /// Where a job is on its way. The raw value is that of `job.state`.
    package enum State: String, Sendable, CaseIterable, PostgresText {
        case running
        /// It waits, for its time or for a worker.
        case ready
        case dead
    }

    /// One job as it stands in the queue.
    package struct Listed: Sendable {
        package let id: Int64
        package let kind: String
        package let queue: String
        package let state: State
        package let key: String?
        package let payload: JSON
        /// Runs that were begun, the present one included, of at most `attempts`.
        package let attempt: Int
        package let attempts: Int
        /// How often a worker was lost that ran it.
        package let losses: Int
        /// Who runs it.
        package let worker: String?
        package let dueAt: Timestamp
        package let createdAt: Timestamp
        /// When it was given up.
        package let endedAt: Timestamp?
        /// Why the last run failed.
        package let error: String?
    }

    /// One queue in numbers; of each state at most 10,000 are counted.
    package struct Queue: Sendable {
        package let name: String
        package let due: Int
        /// They wait for their time.
        package let later: Int
        package let running: Int
        package let dead: Int
        /// How long the longest due job has waited.
        package let oldestSeconds: Int
        /// Workers that have said within 60 s that they serve it.
        package let workers: Int
        package let pausedSince: Timestamp?
    }

    /// Why a job was left as it is.
    package enum Refusal: Error, Equatable {
        case noSuchJob
        /// Its worker has it.
        case runs
        /// Another of its kind and key waits or runs.
        case keyTaken
    }

    /// Running jobs, then those that wait by when they are due, then dead ones, newest first; `nil` asks for any.
    package static func list(
        queue: String? = nil, state: State? = nil, kind: String? = nil, limit: Int, in queryable: some Queryable
    ) async throws -> [Listed] {
        try await queryable.all(List(queue: queue, state: state, kind: kind, limit: limit))
    }

    /// Throws `Refusal.noSuchJob`, also where it was done.
    package static func job(_ id: Int64, in queryable: some Queryable) async throws -> Listed {
        guard let job = try await queryable.first(Show(id: id)) else { throw Refusal.noSuchJob }
        return job
    }

    /// Makes a job that waits or is dead due at once, with all its attempts before it. Throws `Refusal`.
    package static func retry(_ id: Int64, in queryable: some Queryable) async throws {
        do {
            guard try await queryable.run(Retry(id: id)) == 0 else { return }
        } catch let error as PostgresError where error.sqlState == .uniqueViolation {
            throw Refusal.keyTaken
        }
        _ = try await job(id, in: queryable)
        throw Refusal.runs
    }

    /// Removes a job. One that runs loses its lease: its worker cancels it at the next heartbeat, and what it does in its last transaction
    /// is rolled back. Throws `Refusal.noSuchJob`.
    package static func cancel(_ id: Int64, in queryable: some Queryable) async throws {
        guard try await queryable.run(Cancel(id: id)) == 1 else { throw Refusal.noSuchJob }
    }

    /// From now on no worker leases a job of `queue`; what runs goes on. Gives `false` where that was so.
    package static func pause(_ queue: String, by actor: String, in queryable: some Queryable) async throws -> Bool {
        try await queryable.run(Pause(queue: queue, actor: actor)) == 1
    }

    /// Gives `false` where `queue` was not paused.
    package static func resume(_ queue: String, in queryable: some Queryable) async throws -> Bool {
        try await queryable.run(Resume(queue: queue)) == 1
    }

    /// Every queue that has a job or a worker or is paused, by name.
    package static func stats(in queryable: some Queryable) async throws -> [Queue] {
        try await queryable.all(Stats())
    }

    /// A sentence that names the queues whose work has been due for 60 s while no worker served them; `nil` where all are served.
    package static func complaint(in queryable: some Queryable) async throws -> String? {
        let unserved = try await queryable.all(Unserved())
        guard !unserved.isEmpty else { return nil }
        let names = unserved.map { $0.isPaused ? "\($0.queue) (paused)" : $0.queue }
        return "work is due and no worker does it: " + names.joined(separator: ", ")
    }
}
