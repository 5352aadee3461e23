import Logging
import Metrics
import Postgres
import Synchronization

extension Jobs.Worker {
    /// How a run ended, once the queue knows.
    enum Outcome: Sendable {
        case done
        case failed(any Error)
        case givenBack
    }

    /// Works on one queue until the worker stops, then waits for the jobs that run.
    func serve(_ lane: Lane) async {
        await withDiscardingTaskGroup { group in
            while !isStopping {
                await lease(from: lane) { job in
                    group.addTask {
                        _ = await self.perform(job)
                        lane.bell.ring()
                    }
                }
                // The end of any run rings too, so a queue that is behind never waits for the poll.
                await lane.bell.wait(atMost: timing.poll)
            }
            let end = ContinuousClock.now + timing.grace
            while !held(in: lane).isEmpty, ContinuousClock.now < end, !Task.isCancelled {
                await lane.bell.wait(atMost: end - ContinuousClock.now)
            }
            for run in held(in: lane) { run.stop.give(.shutdown) }
        }
    }

    /// Leases as many jobs as the lane has room for and starts each.
    private func lease(from lane: Lane, start: (Jobs.Claimed) -> Void) async {
        let free = lane.limit - held(in: lane).count
        guard free > 0, isReady() else { return }
        do {
            for job in try await claim(from: lane, atMost: free) { start(job) }
        } catch {
            // Who ends does not wait for the answer.
            guard !Task.isCancelled else { return }
            logger.warning("jobs cannot be leased", metadata: ["queue": "\(lane.queue)", "error": "\(error)"])
        }
    }

    private func held(in lane: Lane) -> [Jobs.Held] {
        state.withLock { state in state.held.values.filter { $0.queue == lane.queue } }
    }

    var isStopping: Bool { state.withLock { $0.isStopping } }

    /// Leases up to `count` due jobs of the lane.
    func claim(from lane: Lane, atMost count: Int) async throws -> [Jobs.Claimed] {
        let asked = ContinuousClock.now
        let until = asked + timing.suspicion
        let takesSuspect = state.withLock { state in
            if let former = state.suspectUntil, former > asked { return false }
            state.suspectUntil = until
            return true
        }
        var hasSuspect = false
        defer { if takesSuspect, !hasSuspect { clearSuspect(until) } }
        let claimed = try await database.all(
            Jobs.Claim(
                queue: lane.queue, kinds: lane.kinds, limit: count, lease: timing.lease, worker: name,
                takesSuspect: takesSuspect))
        hasSuspect = claimed.contains(where: \.isSuspect)
        state.withLock { state in
            for job in claimed {
                state.held[job.lease] = Jobs.Held(
                    lease: job.lease, queue: lane.queue, renewed: asked, suspectUntil: job.isSuspect ? until : nil,
                    stop: Jobs.Stop())
            }
        }
        return claimed
    }

    /// Lets the next suspect in, unless that has happened and it keeps others away.
    private func clearSuspect(_ until: ContinuousClock.Instant) {
        state.withLock { if $0.suspectUntil == until { $0.suspectUntil = nil } }
    }

    /// Runs one leased job and tells the queue how it ended.
    func perform(_ claimed: Jobs.Claimed) async -> Outcome {
        defer {
            if let held = state.withLock({ $0.held.removeValue(forKey: claimed.lease) }), let until = held.suspectUntil
            {
                clearSuspect(until)
            }
        }
        let (handler, stop) = state.withLock { ($0.handlers[claimed.kind], $0.held[claimed.lease]?.stop) }
        guard let handler, let stop else { return .givenBack }
        let started = ContinuousClock.now
        let failure = await run(claimed, by: handler, until: stop)
        let outcome: Outcome
        do {
            outcome = try await settle(claimed, failure: failure, reason: stop.reason)
        } catch {
            // The row stays leased; it runs again when the lease ends.
            logger.error("a job's outcome was not recorded", metadata: claimed.metadata("\(error)"))
            outcome = .givenBack
        }
        Timer(label: "commonplace_job_duration_seconds", dimensions: [("kind", claimed.kind)])
            .recordNanoseconds((ContinuousClock.now - started).wholeMicroseconds * 1000)
        Counter(label: "commonplace_jobs_total", dimensions: [("kind", claimed.kind), ("outcome", outcome.name)])
            .increment()
        return outcome
    }

    /// Runs the handler until it ends by itself or `stop` cancels it; gives what it threw.
    ///
    /// A handler that ignores its cancellation is waited for, and its lease is kept: running it a second time beside would be worse.
    private func run(_ claimed: Jobs.Claimed, by handler: Jobs.Handler, until stop: Jobs.Stop) async -> (any Error)? {
        let attempt = Jobs.Attempt(
            job: claimed.lease.job, number: claimed.attempt, last: claimed.attempts, lease: claimed.lease)
        return await withTaskGroup(of: (isHandler: Bool, failure: (any Error)?).self) { group in
            group.addTask {
                do {
                    try await Deadline.within(handler.timeout) { try await handler.run(claimed.payload, attempt) }
                    return (true, nil)
                } catch {
                    return (true, error)
                }
            }
            group.addTask {
                await stop.wait(atMost: handler.timeout)
                return (false, nil)
            }
            var failure: (any Error)?
            while let ended = await group.next() {
                if ended.isHandler { failure = ended.failure }
                group.cancelAll()
            }
            return failure
        }
    }

    /// Writes down how a run ended.
    private func settle(
        _ claimed: Jobs.Claimed, failure: (any Error)?, reason: Jobs.StopReason?
    ) async throws -> Outcome {
        guard let failure else {
            // 0 rows: the handler finished it in its own transaction, or the lease was lost and the worker that has it finishes.
            try await database.run(Jobs.Finish(lease: claimed.lease))
            return .done
        }
        switch reason {
        case .shutdown?:
            try await database.run(Jobs.Release(lease: claimed.lease))
            return .givenBack
        case .leaseLost?:
            logger.warning("a job's lease was lost", metadata: claimed.metadata("\(failure)"))
            return .givenBack
        case .timedOut?:
            return try await fail(claimed, Jobs.TimedOut(limit: timeout(of: claimed.kind)))
        case nil where failure is Jobs.LeaseLost:
            logger.warning("a job's lease was lost", metadata: claimed.metadata("\(failure)"))
            return .givenBack
        case nil where !isReady():
            logger.info("a job waits until this process can do it", metadata: claimed.metadata("\(failure)"))
            try await database.run(Jobs.Release(lease: claimed.lease))
            return .givenBack
        case nil:
            return try await fail(claimed, failure)
        }
    }

    private func fail(_ claimed: Jobs.Claimed, _ failure: any Error) async throws -> Outcome {
        let isDead = try await database.first(
            Jobs.Fail(
                lease: claimed.lease, pause: Jobs.pause(after: claimed.attempt, jitter: jitter(-0.1...0.1)),
                isFinal: failure is Jobs.Hopeless, reason: String(describing: failure).filter { $0 != "\0" }))
        switch isDead {
        case true?: logger.error("a job is dead", metadata: claimed.metadata("\(failure)"))
        case false?: logger.warning("a job failed", metadata: claimed.metadata("\(failure)"))
        case nil: logger.warning("a job's lease was lost", metadata: claimed.metadata("\(failure)"))
        }
        return .failed(failure)
    }

    private func timeout(of kind: String) -> Duration { state.withLock { $0.handlers[kind]?.timeout ?? .zero } }
}

extension Jobs.Worker.Outcome {
    var name: String {
        switch self {
        case .done: "done"
        case .failed: "failed"
        case .givenBack: "given_back"
        }
    }
}

extension Jobs.Claimed {
    func metadata(_ error: String) -> Logger.Metadata {
        ["job.id": "\(lease.job)", "job.kind": "\(kind)", "job.attempt": "\(attempt)", "error": "\(error)"]
    }
}
