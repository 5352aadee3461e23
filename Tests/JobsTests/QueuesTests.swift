import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Jobs

/// A job that can be done as of another time.
private struct Dated: DatedJob {
    static let kind = "test.dated"
    static let queue = "dated"
    let time: Int64?

    init(asOf time: Timestamp?) { self.time = time?.microseconds }
}

/// Queues as somebody at a terminal sees and changes them.
@Suite(.database) struct QueuesTests {
    @Test func `of a paused queue nothing is begun, what runs goes on, and other queues are worked on`() async throws {
        try await withWorld { world in
            let diary = Diary()
            let gate = Gate()
            let worker = world.worker()
            worker.limit(Note.queue, to: 1)
            worker.handle(Note.self) { note, _ in
                diary.write("began " + note.text)
                await gate.wait()
                diary.write("ended " + note.text)
            }
            worker.handle(Chore.self) { _, _ in diary.write("chore") }
            try await Note(text: "first").enqueue(in: world.database)

            try await running(worker) {
                try await eventually { diary.entries == ["began first"] }
                #expect(try await Jobs.pause(Note.queue, by: "cli:test", in: world.database))
                #expect(try await !Jobs.pause(Note.queue, by: "cli:test", in: world.database))
                try await Note(text: "second").enqueue(in: world.database)
                gate.open()
                try await eventually { diary.entries.last == "ended first" }
                // The chore was put in after the note: a worker that looked for it has looked for the note too.
                try await Chore().enqueue(in: world.database)
                try await eventually { diary.entries.last == "chore" }
                #expect(try await world.jobs().map(\.state) == ["ready"])

                #expect(try await Jobs.resume(Note.queue, in: world.database))
                #expect(try await !Jobs.resume(Note.queue, in: world.database))
                try await eventually { try await world.jobs().isEmpty }
                #expect(diary.entries.last == "ended second")
            }
        }
    }

    @Test func `a worker is known by its queues while it serves, and forgotten when it ends`() async throws {
        try await withWorld { world in
            let worker = world.worker()
            worker.handle(Note.self) { _, _ in }
            worker.handle(Chore.self) { _, _ in }
            worker.serve(only: [Chore.queue])
            try await Note(text: "left alone").enqueue(in: world.database)
            try await Chore().enqueue(in: world.database)
            let known = "select name, queues::text from job_worker"

            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await worker.run() }
                try await eventually { try await world.asSuperuser(known) == [[worker.name, "{chores}"]] }
                try await eventually { try await world.jobs().count == 1 }
                worker.stop()
                try await group.waitForAll()
            }

            #expect(try await world.asSuperuser(known).isEmpty)
            #expect(try await world.jobs().map(\.attempt) == [0])
            try await world.asSuperuser("delete from job")
        }
    }

    @Test func `a queue with due work is named once no worker has served it for 60 s, or it is paused`() async throws {
        try await withWorld { world in
            let database = world.database
            func said() async throws -> String? { try await Jobs.complaint(in: database) }
            try await Note(text: "due").enqueue(in: database)
            try await Chore().enqueue(in: database, after: .seconds(3600))
            #expect(try await said() == nil)

            try await world.asSuperuser("update job set due_at = due_at - interval '61 seconds'")
            #expect(try await said() == "work is due and no worker does it: default")
            try await database.run(Jobs.SeeWorker(worker: "w", queues: ["chores", "default"]))
            #expect(try await said() == nil)
            try await world.asSuperuser("update job_worker set seen_at = now() - interval '61 seconds'")
            #expect(try await said() == "work is due and no worker does it: default")

            try await database.run(Jobs.SeeWorker(worker: "w", queues: ["chores", "default"]))
            _ = try await Jobs.pause("default", by: "cli:test", in: database)
            #expect(try await said() == "work is due and no worker does it: default (paused)")
            _ = try await Jobs.resume("default", in: database)
            try await world.asSuperuser("update job_worker set seen_at = now() - interval '61 minutes'")
            try await database.run(Jobs.SweepWorkers())
            #expect(try await world.asSuperuser("select count(*) from job_worker") == [["0"]])
            try await world.asSuperuser("delete from job")
        }
    }

    @Test func `jobs are listed, shown, tried again and removed, and what is not there is refused`() async throws {
        try await withWorld { world in
            let database = world.database
            let worker = world.worker()
            worker.handle(Chore.self) { _, _ in throw Jobs.Hopeless("no use") }
            worker.handle(Note.self) { _, _ in }
            try await Chore().enqueue(in: database)
            try await worker.drain()
            try await Note(text: "later", key: "k").enqueue(in: database, after: .seconds(3600))

            let all = try await Jobs.list(limit: 10, in: database)
            #expect(all.map(\.state) == [.ready, .dead])
            let dead = try #require(all.last)
            #expect(dead.error == "no use")
            #expect(try await Jobs.list(queue: "chores", limit: 10, in: database).map(\.id) == [dead.id])
            #expect(try await Jobs.list(state: .ready, limit: 10, in: database).map(\.kind) == [Note.kind])
            #expect(try await Jobs.list(kind: Chore.kind, limit: 10, in: database).map(\.id) == [dead.id])
            #expect(try await Jobs.list(limit: 1, in: database).count == 1)

            let stats = try await Jobs.stats(in: database)
            #expect(stats.map(\.name) == ["chores", "default"])
            #expect(
                stats.map { [$0.due, $0.later, $0.running, $0.dead, $0.workers] } == [
                    [0, 0, 0, 1, 0], [0, 1, 0, 0, 0],
                ])

            try await Jobs.retry(dead.id, in: database)
            let again = try await Jobs.job(dead.id, in: database)
            #expect(again.state == .ready && again.attempt == 0 && again.endedAt == nil)
            try await worker.drain()
            try await Jobs.cancel(dead.id, in: database)
            await #expect(throws: Jobs.Refusal.noSuchJob) { try await Jobs.cancel(dead.id, in: database) }
            await #expect(throws: Jobs.Refusal.noSuchJob) { try await Jobs.retry(dead.id, in: database) }

            let note = try #require(all.first)
            try await world.asSuperuser(
                "insert into job (kind, queue, unique_key, payload, attempts, state, ended_at) select kind, queue, unique_key, payload, 1, 'dead', now() from job"
            )
            let twin = try #require(try await Jobs.list(state: .dead, limit: 1, in: database).first)
            await #expect(throws: Jobs.Refusal.keyTaken) { try await Jobs.retry(twin.id, in: database) }
            try await world.asSuperuser(
                "update job set state = 'running', lease_until = now() + interval '1 hour' where state = 'ready'")
            await #expect(throws: Jobs.Refusal.runs) { try await Jobs.retry(note.id, in: database) }
            try await world.asSuperuser("delete from job")
        }
    }

    @Test func `a task is run at once in this process, as of a time where it knows one, and tells how it ended`()
        async throws
    {
        try await withWorld { world in
            let seen = Mutex<[Int64?]>([])
            let worker = world.worker()
            worker.handle(Dated.self) { job, attempt in
                try await world.database.transaction { try await attempt.finish(in: $0) }
                seen.withLock { $0.append(job.time) }
            }
            worker.handle(Note.self) { _, _ in throw Jobs.Hopeless("no use") }
            worker.schedule("dated", every: .seconds(60), Dated.self)
            worker.schedule("plain", every: .seconds(60)) { Note(text: "plain", key: "only one") }
            // It is not the one that waits, and does not wait for it.
            try await Note(text: "waits", key: "only one").enqueue(in: world.database)

            try await worker.run(task: "dated")
            try await worker.run(task: "dated", asOf: Timestamp(microseconds: 7))
            #expect(seen.withLock(\.self) == [nil, 7])
            await #expect(throws: Jobs.Hopeless.self) { try await worker.run(task: "plain") }
            await #expect(throws: Jobs.Worker.TaskRefusal.hasNoTime) {
                try await worker.run(task: "plain", asOf: Timestamp(microseconds: 7))
            }
            await #expect(throws: Jobs.Worker.TaskRefusal.noSuchTask) { try await worker.run(task: "none") }
            #expect(worker.tasks == ["dated", "plain"])
            #expect(try await Jobs.list(limit: 10, in: world.database).map(\.state) == [.ready, .dead])
            try await world.asSuperuser("delete from job")
        }
    }
}
