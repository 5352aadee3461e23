import Logging
import Postgres
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

@testable import Jobs

@Suite(.database) struct LeaseTests {
    @Test func `the job of a killed worker runs again`() async throws {
        try await withWorld { world in
            let (diary, gate) = (Diary(), Gate())
            let killed = world.worker()
            killed.handle(Note.self) { _, attempt in
                diary.write("killed, run \(attempt.number)")
                try await Task.sleep(for: .seconds(600))
            }
            let other = world.worker()
            other.handle(Note.self) { _, attempt in
                diary.write("other, run \(attempt.number)")
                gate.open()
            }
            try await Note(text: "x").enqueue(in: world.database)

            try await running(killed) { try await eventually { diary.entries.count == 1 } }
            #expect(try await world.jobs().map(\.state) == ["running"])
            try await world.expireLeases()
            try await running(other) { try await eventually { try await world.jobs().isEmpty } }

            #expect(diary.entries == ["killed, run 1", "other, run 2"])
        }
    }

    @Test func `a job that is taken out of the queue is its worker's no more`() async throws {
        try await withWorld { world in
            let worker = world.worker()
            let lane = Jobs.Worker.Lane(queue: "default", kinds: [Note.kind], limit: 1)
            worker.handle(Note.self) { _, _ in }
            try await Note(text: "runs", key: "one").enqueue(in: world.database)
            let run = try #require(try await worker.claim(from: lane, atMost: 1).first)
            try await Note(text: "waits", key: "two").enqueue(in: world.database)
            try await Note(text: "stays", key: "three").enqueue(in: world.database)

            let taken = try await world.database.transaction { transaction in
                let taken = try await Jobs.take(Note.self, ["one", "two", "four"], in: transaction)
                try await Note(text: "instead", key: "one").enqueue(in: transaction)
                return taken
            }

            #expect(Set(taken.map(\.text)) == ["runs", "waits"])
            #expect(try await world.database.run(Jobs.Finish(lease: run.lease)) == 0)
            let left = try await world.asSuperuser("select payload ->> 'text' from job order by id")
            #expect(left.map { $0.first ?? nil } == ["stays", "instead"])
            try await world.asSuperuser("delete from job")
        }
    }

    @Test func `a worker that was paused past its lease changes no row`() async throws {
        try await withWorld { world in
            let paused = world.worker()
            let lane = Jobs.Worker.Lane(queue: "default", kinds: [Note.kind], limit: 1)
            paused.handle(Note.self) { _, _ in }
            try await Note(text: "x").enqueue(in: world.database)
            let old = try #require(try await paused.claim(from: lane, atMost: 1).first)

            try await world.expireLeases()
            try await paused.rescue()
            let new = try #require(try await paused.claim(from: lane, atMost: 1).first)

            #expect(new.lease.token > old.lease.token)
            #expect(try await world.database.run(Jobs.Finish(lease: old.lease)) == 0)
            #expect(try await world.database.run(Jobs.Release(lease: old.lease)) == 0)
            let failed = Jobs.Fail(lease: old.lease, pause: .zero, isFinal: true, reason: "late")
            #expect(try await world.database.run(failed) == 0)
            #expect(try await world.database.all(Jobs.Renew(leases: [old.lease], length: .seconds(60))).isEmpty)
            await #expect(throws: Jobs.LeaseLost.self) {
                try await world.database.transaction { transaction in
                    try await Jobs.Attempt(job: old.lease.job, number: 1, last: 20, lease: old.lease).finish(
                        in: transaction)
                }
            }
            #expect(try await world.database.run(Jobs.Finish(lease: new.lease)) == 1)
        }
    }

    @Test func `no two workers run a job at a time, and none is forgotten`() async throws {
        try await withWorld { world in
            let diary = Diary()
            func makeWorker() -> Jobs.Worker {
                let worker = world.worker()
                worker.limit("default", to: 8)
                worker.handle(Note.self) { note, _ in
                    diary.write("begin \(note.text)")
                    await Task.yield()
                    diary.write("end \(note.text)")
                }
                return worker
            }
            for number in 0..<200 { try await Note(text: "\(number)").enqueue(in: world.database) }

            let (first, second) = (makeWorker(), makeWorker())
            try await running(first) {
                try await running(second) {
                    try await eventually(within: .seconds(60)) { try await world.jobs().isEmpty }
                }
            }

            let begun = diary.entries.filter { $0.hasPrefix("begin") }
            #expect(begun.count == 200)
            #expect(Set(begun).count == 200)
        }
    }

    @Test func `a heartbeat keeps the lease of a long job`() async throws {
        try await withWorld { world in
            let (diary, gate) = (Diary(), Gate())
            let worker = world.worker { timing in
                // Long beside what a busy machine keeps a thread waiting.
                timing.lease = .seconds(4)
                timing.heartbeat = .milliseconds(200)
            }
            worker.handle(Note.self) { _, attempt in
                diary.write("run \(attempt.number)")
                await gate.wait()
            }
            try await Note(text: "x").enqueue(in: world.database)

            try await running(worker) {
                try await eventually { diary.entries.count == 1 }
                let first = try await leaseEnd(in: world)
                // Renewed again and again, past the end of the first lease.
                try await eventually(within: .seconds(60)) { try await leaseEnd(in: world) > first + 5 }
                #expect(diary.entries == ["run 1"])
                gate.open()
                try await eventually { try await world.jobs().isEmpty }
            }
            #expect(diary.entries == ["run 1"])
        }
    }

    @Test func `a job whose lease went to another is cancelled`() async throws {
        try await withWorld(leaving: .jobs) { world in
            let diary = Diary()
            let worker = world.worker { timing in
                timing.heartbeat = .milliseconds(20)
                timing.rescue = .seconds(600)
            }
            worker.handle(Note.self) { _, _ in
                do {
                    diary.write("begin")
                    try await Task.sleep(for: .seconds(600))
                } catch {
                    diary.write("cancelled")
                    throw error
                }
            }
            try await Note(text: "x").enqueue(in: world.database)

            try await running(worker) {
                try await eventually { diary.entries == ["begin"] }
                try await world.asSuperuser(
                    "update job set lease_token = lease_token + 1, lease_until = now() + interval '1 hour', worker = 'other'"
                )
                try await eventually { diary.entries == ["begin", "cancelled"] }
            }
            #expect(try await world.jobs().map(\.state) == ["running"])
        }
    }

    @Test func `a job whose workers are lost three times is dead and lets others live`() async throws {
        try await withWorld { world in
            let worker = world.worker()
            let lane = Jobs.Worker.Lane(queue: "default", kinds: [Note.kind], limit: 1)
            worker.handle(Note.self) { _, _ in }
            try await Note(text: "poison", key: "k").enqueue(in: world.database)

            for losses in 1...3 {
                #expect(try await world.worker().claim(from: lane, atMost: 1).count == 1)
                try await world.expireLeases()
                try await worker.rescue()
                try await world.makeDue()
                let row = try #require(try await world.jobs().first)
                #expect(row.losses == losses)
                #expect(row.state == (losses == 3 ? "dead" : "ready"))
            }

            #expect(try await worker.claim(from: lane, atMost: 1).isEmpty)
            #expect(try await Note(text: "good", key: "k").enqueue(in: world.database))
            #expect(try await worker.drain().done == 1)
        }
    }

    @Test func `a run that takes too long is cancelled and counts as failed`() async throws {
        try await withWorld(leaving: .jobs) { world in
            let worker = world.worker()
            worker.handle(Chore.self) { _, _ in try await Task.sleep(for: .seconds(600)) }
            try await Chore().enqueue(in: world.database)

            let drained = try await worker.drain()

            #expect(drained.failures.first is Jobs.TimedOut)
            #expect(try await world.jobs().first?.error?.contains("not done after") == true)
        }
    }

    @Test func `a full queue does not hold up another`() async throws {
        try await withWorld { world in
            let (diary, gate) = (Diary(), Gate())
            let worker = world.worker()
            worker.limit("default", to: 1)
            worker.handle(Note.self) { _, _ in await gate.wait() }
            worker.handle(Chore.self) { _, _ in diary.write("chore") }
            for _ in 0..<10 { try await Note(text: "long").enqueue(in: world.database) }

            try await running(worker) {
                try await eventually { try await world.jobs().contains { $0.state == "running" } }
                try await Chore().enqueue(in: world.database)
                worker.wake()
                try await eventually { diary.entries == ["chore"] }
                try await eventually { try await world.jobs().count { $0.state == "running" } == 1 }
                gate.open()
                try await eventually { try await world.jobs().isEmpty }
            }
        }
    }

    @Test func `a shutdown lets running jobs end and leases no more`() async throws {
        try await withWorld(leaving: .jobs) { world in
            let (diary, gate) = (Diary(), Gate())
            let worker = world.worker()
            worker.limit("default", to: 1)
            worker.handle(Note.self) { note, _ in
                diary.write("begin \(note.text)")
                await gate.wait()
                diary.write("end \(note.text)")
            }
            try await Note(text: "first").enqueue(in: world.database)
            try await Note(text: "second").enqueue(in: world.database)

            try await stopped(worker, when: { diary.entries.count == 1 }, then: { gate.open() })

            #expect(diary.entries == ["begin first", "end first"])
            #expect(try await world.jobs().map(\.state) == ["ready"])
        }
    }

    @Test func `after its grace a shutdown cancels what runs and gives it back unharmed`() async throws {
        try await withWorld(leaving: .jobs) { world in
            let diary = Diary()
            let worker = world.worker { $0.grace = .milliseconds(50) }
            worker.handle(Note.self) { _, _ in
                diary.write("begin")
                try await Task.sleep(for: .seconds(600))
            }
            try await Note(text: "x").enqueue(in: world.database)

            try await stopped(worker, when: { diary.entries.count == 1 }, then: {})

            let row = try #require(try await world.jobs().first)
            #expect(row.state == "ready" && row.attempt == 0 && row.losses == 0)
        }
    }

    /// Runs `worker` as a service, shuts it down gracefully once `isReady`, calls `then`, and returns when it has ended.
    private func stopped(
        _ worker: Jobs.Worker, when isReady: () async throws -> Bool, then next: () -> Void
    ) async throws {
        let group = ServiceGroup(
            configuration: .init(
                services: [.init(service: worker)], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            try await eventually { try await isReady() }
            await group.triggerGracefulShutdown()
            // The worker hears of it in its own time.
            try await eventually { worker.state.withLock(\.isStopping) }
            next()
            try await tasks.waitForAll()
        }
    }

    /// Seconds since 1970.
    private func leaseEnd(in world: World) async throws -> Double {
        let rows = try await world.asSuperuser("select extract(epoch from lease_until)::float8 from job")
        return Double(rows.first?.first?.flatMap(\.self) ?? "") ?? 0
    }
}
