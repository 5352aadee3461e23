import ArgumentParser
import Community
import FoundationEssentials
import Jobs
import PlainText
import Postgres

extension Bench {
    /// So many jobs that do nothing, due at once.
    struct InsertJobs: Statement {
        static let sql: SQL<Self> = """
            insert into job (kind, queue, payload, attempts, due_at)
            select \(\.kind), \(\.queue), '{}', 20, now() from generate_series(1, \(\.count)::bigint)
            """
        let kind: String, queue: String, count: Int
    }

    struct JobsLeft: Statement {
        static let sql: SQL<Self> = "select count(*) from job where queue = \(\.queue)"
        let queue: String
        typealias Output = Int
    }
}

/// `commonplace bench jobs`: how many jobs that do nothing a worker does in a second, and what putting one into the queue adds to a transaction.
struct BenchJobs: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jobs", abstract: "Measure the queue with jobs that do nothing, on a database to throw away.")

    @OptionGroup var options: GlobalOptions

    @Option(help: "Jobs. 1000 to 1000000.")
    var jobs = 20_000

    @Option(help: "Of these, so many at a time. 1 to 64.")
    var slots = 64

    @Option(help: "A folder for what `pgbench` takes to do the same, and so many jobs are left for it.")
    var folder: String?

    private struct Nothing: Job {
        static let kind = "bench.nothing"
        static let queue = "bench"
    }

    /// Of a kind that no worker knows: for `pgbench`.
    private static let peer = "bench_peer"

    func validate() throws {
        guard (1_000...1_000_000).contains(jobs), (1...64).contains(slots) else {
            throw ValidationError("jobs 1000...1000000, slots 1...64")
        }
    }

    func run() async throws {
        let command = self
        try await Runtime.open(options, as: "commonplace bench") { runtime in
            let enqueued = try await command.enqueue(runtime.database)
            let rate = try await command.work(runtime)
            if let folder = command.folder { try await command.preparePeer(in: folder, runtime) }
            print(
                "{\"jobs\":\(command.jobs),\"jobs_per_second\":\(Int(rate)),"
                    + String(
                        format: "\"enqueue_added_ms\":%.3f,\"enqueue_alone_ms\":%.3f}", enqueued.added, enqueued.alone))
        }
    }

    /// What putting a job into the queue takes within a transaction that is taken back, medians in milliseconds: what it adds to a statement
    /// that it goes out with, as in requests, and in a round trip of its own.
    private func enqueue(_ database: Database) async throws -> (added: Double, alone: Double) {
        struct TakenBack: Error {}
        let putting = try Jobs.Enqueue(Nothing())
        let times = BenchBox<[[Double]]>([[], [], []])
        for _ in 0..<1_000 {
            do {
                try await database.transaction { transaction in
                    for kind in 0..<3 {
                        let began = ContinuousClock.now
                        try await transaction.batch { batch in
                            if kind < 2 { batch.run(Bench.JobsLeft(queue: Nothing.queue)) }
                            if kind > 0 { batch.run(putting) }
                        }
                        let time = (ContinuousClock.now - began) / .milliseconds(1)
                        times.change { $0[kind].append(time) }
                    }
                    throw TakenBack()
                }
            } catch is TakenBack {}
        }
        let medians = times.value.map { $0.sorted()[$0.count / 2] }
        return (medians[1] - medians[0], medians[2])
    }

    /// Jobs a second, from the start of a worker until the last row is gone.
    private func work(_ runtime: Runtime) async throws -> Double {
        let database = runtime.database
        try await database.run(Bench.InsertJobs(kind: Nothing.kind, queue: Nothing.queue, count: jobs))
        let worker = Jobs.Worker(database: database, logger: runtime.logger)
        let done = BenchBox(0)
        worker.handle(Nothing.self) { _, _ in done.change { $0 += 1 } }
        worker.limit(Nothing.queue, to: slots)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            let began = ContinuousClock.now
            group.addTask { try await worker.run() }
            while done.value < jobs { try await Task.sleep(for: .milliseconds(2)) }
            while try await database.one(Bench.JobsLeft(queue: Nothing.queue)) > 0 {
                try await Task.sleep(for: .milliseconds(2))
            }
            let rate = Double(jobs) / ((ContinuousClock.now - began) / .seconds(1))
            group.cancelAll()
            return rate
        }
    }

    /// Writes `conninfo` and `jobs.sql`: each transaction of `pgbench` leases a job and finishes it, as a worker does with one slot.
    private func preparePeer(in folder: String, _ runtime: Runtime) async throws {
        let load = BenchLoad(folder: folder)
        let claim = try BenchLoad.sql(
            "jobs.claim",
            [
                "queue": "'\(Self.peer)'", "kinds": "array['\(Self.peer)']", "limit": "1", "lease": "60",
                "worker": "'pgbench'", "suspects": "0",
            ])
        let finish = try BenchLoad.sql("jobs.finish", ["job": ":c_id::bigint", "token": ":c_lease_token::bigint"])
        try load.write(runtime.ownerConninfo, "conninfo")
        try load.write(
            """
            \(claim) \\gset c_
            \(finish);

            """, "jobs.sql")
        // More than `pgbench` finishes in any run: a claim that finds none would end it.
        try await runtime.database.run(
            Bench.InsertJobs(kind: Self.peer, queue: Self.peer, count: max(100_000, 10 * jobs)))
    }
}
