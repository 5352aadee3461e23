import Logging
import Metrics
import Postgres
import Synchronization

extension Jobs.Worker {
    /// Heartbeat: says which queues are served, for those who ask whether any worker does.
    func sayPresent(in lanes: [Lane]) async {
        let queues = lanes.map(\.queue)
        repeat {
            await trying("that this worker serves its queues was not said") {
                try await database.run(Jobs.SeeWorker(worker: name, queues: queues))
            }
        } while await pause(timing.heartbeat)
    }

    /// Heartbeat: keeps the leases of running jobs. A job whose lease is lost, or could be because the database has been away for most
    /// of its length, is cancelled before another worker can start it.
    func renewLeases() async {
        while await pause(timing.heartbeat) {
            let held = state.withLock { Array($0.held.values) }
            guard !held.isEmpty else { continue }
            let asked = ContinuousClock.now
            do {
                let kept = Set(
                    try await Deadline.within(timing.heartbeat) {
                        try await database.all(Jobs.Renew(leases: held.map(\.lease), length: timing.lease))
                    })
                for each in held {
                    if kept.contains(each.lease.job) {
                        state.withLock { $0.held[each.lease]?.renewed = asked }
                    } else {
                        // The job may also have ended meanwhile; then nobody listens.
                        each.stop.give(.leaseLost)
                    }
                }
            } catch {
                logger.warning("leases were not renewed", metadata: ["leases": "\(held.count)", "error": "\(error)"])
                let doubtful = ContinuousClock.now - (timing.lease - timing.heartbeat)
                for each in held where each.renewed <= doubtful { each.stop.give(.leaseLost) }
            }
        }
    }

    /// Takes jobs away from workers that have been silent for longer than their lease.
    func rescueJobs() async {
        repeat {
            await trying("lost jobs were not looked for") {
                try await rescue()
                for queue in state.withLock({ Set($0.handlers.values.map(\.queue)) }) { try await report(queue) }
            }
        } while await pause(timing.rescue)
    }

    /// One look for jobs of lost workers.
    func rescue() async throws {
        let rescued = try await database.all(Jobs.Rescue(losses: Jobs.leaseLosses, worker: name, pause: Jobs.lossPause))
        for job in rescued {
            let metadata: Logger.Metadata = [
                "job.id": "\(job.job)", "job.kind": "\(job.kind)", "queue": "\(job.queue)",
            ]
            if job.isDead {
                logger.error("a job is dead: its workers were lost", metadata: metadata)
            } else {
                logger.warning("a job's worker was lost, it will run again", metadata: metadata)
            }
        }
        if !rescued.isEmpty { wake() }
    }

    /// Enqueues the jobs of schedules whose time has come.
    func keepSchedules() async {
        repeat {
            await trying("schedules were not kept") { try await enqueueSlots() }
        } while await pause(timing.schedule)
    }

    /// One look at every schedule.
    func enqueueSlots() async throws {
        var enqueued = 0
        for schedule in state.withLock({ $0.schedules }) {
            guard let job = try schedule.make(nil) else { continue }
            enqueued += try await database.run(
                Jobs.EnqueueSlot(
                    task: schedule.task, everyMilliseconds: schedule.interval.wholeMicroseconds / 1000,
                    offsetMilliseconds: schedule.offset.wholeMicroseconds / 1000, job: job))
        }
        if enqueued > 0 { wake() }
    }

    /// Forgets what is too old to matter, hourly.
    func sweep() async {
        while await pause(.seconds(3600)) {
            await trying("old jobs were not removed") {
                try await database.run(Jobs.Sweep())
                try await database.run(Jobs.SweepSlots())
                try await database.run(Jobs.SweepWorkers())
            }
        }
    }

    /// Logs why `body` failed: the next round tries again.
    func trying(_ complaint: String, _ body: () async throws -> Void) async {
        do {
            try await body()
        } catch {
            if !Task.isCancelled { logger.warning("\(complaint)", metadata: ["error": "\(error)"]) }
        }
    }

    private func report(_ queue: String) async throws {
        let depth = try await database.one(Jobs.Depth(queue: queue))
        Gauge(label: "commonplace_jobs_due", dimensions: [("queue", queue)]).record(depth.due)
        Gauge(label: "commonplace_jobs_dead", dimensions: [("queue", queue)]).record(depth.dead)
        Gauge(label: "commonplace_jobs_oldest_due_seconds", dimensions: [("queue", queue)]).record(depth.oldestSeconds)
    }

    /// False when the worker is over.
    private func pause(_ duration: Duration) async -> Bool {
        do {
            try await Task.sleep(for: duration)
            return true
        } catch {
            return false
        }
    }
}
