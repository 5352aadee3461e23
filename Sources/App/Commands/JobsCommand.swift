import ArgumentParser
import Community
import FoundationEssentials
import Jobs
import Postgres

/// `commonplace jobs`: the queue of background work, looked at and changed from the server's own terminal.
struct JobsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jobs",
        abstract: "Look after background work from the server's own terminal.",
        discussion: """
            A job that was done is gone. Data go to standard output, one line a job with tabs between the columns, or as JSON with --json.

            Examples:
              commonplace jobs stats
              commonplace jobs list --state dead
              commonplace jobs retry 7112
              commonplace jobs pause media
              commonplace jobs run feed.upkeep

            Exit codes: 0 done; 1 the task failed; 3 not found; 5 the state of the job or queue does not allow it; 7 a value breaks a \
            rule; 64 usage; 75 the database is away.
            """,
        subcommands: [
            JobsList.self, JobsShow.self, JobsRetry.self, JobsCancel.self, JobsPause.self, JobsResume.self,
            JobsStats.self, JobsRun.self,
        ])

    /// Does `body`, and says as a command does what the queue refuses.
    static func open(
        _ options: GlobalOptions, _ body: @escaping @Sendable (Runtime) async throws -> Void
    ) async throws {
        try await Runtime.open(options, as: "commonplace jobs", statementTimeout: .seconds(600)) { runtime in
            do {
                try await body(runtime)
            } catch let refusal as Jobs.Refusal {
                switch refusal {
                case .noSuchJob: throw CommandError(.notFound, "there is no such job; one that was done is gone")
                case .runs: throw CommandError(.conflict, "that job runs now")
                case .keyTaken: throw CommandError(.conflict, "another job of this kind and key waits or runs")
                }
            }
        }
    }
}

/// A job as it is printed.
private struct JobRow: Encodable {
    let id, kind, queue, state: String
    let attempt, attempts, losses: Int
    let dueAt, createdAt: String
    let endedAt, key, worker, error: String?

    init(_ job: Jobs.Listed) {
        (id, kind, queue, state) = (String(job.id), job.kind, job.queue, job.state.rawValue)
        (attempt, attempts, losses) = (job.attempt, job.attempts, job.losses)
        (dueAt, createdAt, endedAt) = (job.dueAt.text, job.createdAt.text, job.endedAt?.text)
        (key, worker, error) = (job.key, job.worker, job.error)
    }

    var line: [String] { [id, kind, queue, state, "\(attempt)/\(attempts)", dueAt, key ?? "", error ?? ""] }
}

/// `commonplace jobs list`: running jobs, then those that wait, then dead ones.
struct JobsList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List jobs: those that run, those that wait by when they are due, dead ones, newest first.")

    @OptionGroup var options: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Option(help: "Of this queue alone.")
    var queue: String?

    @Option(help: "running, ready or dead.")
    var state: Jobs.State?

    @Option(help: "Of this kind alone.")
    var kind: String?

    @Option(help: "Jobs at most, 1 to 10000.")
    var limit = 100

    func validate() throws {
        guard (1...10_000).contains(limit) else { throw ValidationError("--limit must be 1 to 10000.") }
    }

    func run() async throws {
        try await JobsCommand.open(options) { runtime in
            let jobs = try await Jobs.list(
                queue: queue, state: state, kind: kind, limit: limit, in: runtime.database)
            let rows = jobs.map(JobRow.init)
            try output.print(
                rows, columns: ["ID", "KIND", "QUEUE", "STATE", "ATTEMPT", "DUE", "KEY", "ERROR"],
                empty: "No job is like that."
            ) { rows[$0].line }
        }
    }
}

/// `commonplace jobs show ID`: everything about one job.
struct JobsShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a job, what it is to do and why it failed.")

    @OptionGroup var options: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The job's number.")
    var id: Int64

    func run() async throws {
        try await JobsCommand.open(options) { runtime in
            let job = try await Jobs.job(id, in: runtime.database)
            let row = JobRow(job)
            if output.json { return try OutputOptions.print(json: row) }
            let facts: [(String, String?)] = [
                ("job", row.id), ("kind", row.kind), ("queue", row.queue), ("state", row.state), ("key", row.key),
                ("attempt", "\(row.attempt) of \(row.attempts)"), ("workers lost", String(row.losses)),
                ("worker", row.worker), ("due", row.dueAt), ("created", row.createdAt), ("given up", row.endedAt),
                ("error", row.error), ("payload", String(decoding: job.payload.bytes, as: UTF8.self)),
            ]
            output.print(lines: facts.compactMap { name, value in value.map { [name, $0] } })
        }
    }
}

/// `commonplace jobs retry ID`.
struct JobsRetry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Make a dead job, or one that waits, due now, as if it had never been tried.")

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The job's number.")
    var id: Int64

    func run() async throws {
        try await JobsCommand.open(options) { runtime in
            try await Jobs.retry(id, in: runtime.database)
            Admin.say("Job \(id) is due.")
        }
    }
}

/// `commonplace jobs cancel ID`.
struct JobsCancel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Remove a job. One that runs is stopped within 15 s.")

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The job's number.")
    var id: Int64

    func run() async throws {
        try await JobsCommand.open(options) { runtime in
            try await Jobs.cancel(id, in: runtime.database)
            Admin.say("Job \(id) is gone.")
        }
    }
}

/// `commonplace jobs pause QUEUE`.
struct JobsPause: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Let no worker begin a job of a queue; what runs goes on.")

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The queue.")
    var queue: String

    func run() async throws {
        try await JobsCommand.open(options) { runtime in
            try JobsCommand.check(queue, runtime)
            guard try await Jobs.pause(queue, by: Admin.actor.text, in: runtime.database) else {
                throw CommandError(.conflict, "the queue \(queue) is paused already")
            }
            Admin.say("The queue \(queue) is paused.")
        }
    }
}

/// `commonplace jobs resume QUEUE`.
struct JobsResume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Let workers begin jobs of a queue again.")

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The queue.")
    var queue: String

    func run() async throws {
        try await JobsCommand.open(options) { runtime in
            guard try await Jobs.resume(queue, in: runtime.database) else {
                try JobsCommand.check(queue, runtime)
                throw CommandError(.conflict, "the queue \(queue) is not paused")
            }
            Admin.say("The queue \(queue) goes on.")
        }
    }
}

/// `commonplace jobs stats`: every queue in numbers.
struct JobsStats: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract:
            "Print for each queue: due, waiting, running and dead jobs, seconds of the oldest due, workers, paused since."
    )

    @OptionGroup var options: GlobalOptions
    @OptionGroup var output: OutputOptions

    private struct Row: Encodable {
        let queue: String
        let due, later, running, dead, oldestSeconds, workers: Int
        let pausedSince: String?
    }

    func run() async throws {
        try await JobsCommand.open(options) { runtime in
            let rows = try await Jobs.stats(in: runtime.database).map { queue in
                Row(
                    queue: queue.name, due: queue.due, later: queue.later, running: queue.running, dead: queue.dead,
                    oldestSeconds: queue.oldestSeconds, workers: queue.workers, pausedSince: queue.pausedSince?.text)
            }
            try output.print(
                rows,
                columns: ["QUEUE", "DUE", "WAITING", "RUNNING", "DEAD", "OLDEST", "WORKERS", "PAUSED SINCE"],
                empty: "There is no queue yet."
            ) { index in
                let row = rows[index]
                let numbers = [row.due, row.later, row.running, row.dead, row.oldestSeconds, row.workers]
                return [row.queue] + numbers.map(String.init) + [row.pausedSince ?? ""]
            }
        }
    }
}

/// `commonplace jobs run TASK [--as-of TIME]`: the job of a schedule, now, in this process.
struct JobsRun: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Do what a schedule does, now and here, whatever its queue has to do.")

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The schedule's name, such as feed.upkeep.")
    var task: String

    @Option(help: "As of this time, such as 2026-01-31T12:00:00Z, where the task knows another time than now.")
    var asOf: Timestamp?

    func run() async throws {
        try await JobsCommand.open(options) { runtime in
            let worker = try ServerProcess.worker(runtime)
            let start = ContinuousClock.now
            do {
                try await worker.run(task: task, asOf: asOf)
            } catch Jobs.Worker.TaskRefusal.noSuchTask {
                throw CommandError(.notFound, "no task is named so; there are " + worker.tasks.joined(separator: ", "))
            } catch Jobs.Worker.TaskRefusal.hasNoTime {
                throw CommandError(.invalid, "the task \(task) knows no time but the present")
            }
            let spent = Int((ContinuousClock.now - start) / .milliseconds(1))
            Admin.say("The task \(task) was done in \(spent) ms.")
        }
    }
}

extension JobsCommand {
    /// Throws, with exit code 3, where no kind of job waits in this queue.
    static func check(_ queue: String, _ runtime: Runtime) throws {
        let known = try ServerProcess.worker(runtime).queues.map(\.name)
        guard !known.contains(queue) else { return }
        throw CommandError(.notFound, "no queue is named so; there are " + known.joined(separator: ", "))
    }
}

extension Jobs.State: ExpressibleByArgument {}
extension Timestamp: ExpressibleByArgument {
    package init?(argument: String) { self.init(text: argument) }
}
