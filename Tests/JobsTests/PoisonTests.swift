import Postgres
import TestSupport
import Testing

@testable import Jobs

/// A job that kills whatever runs it, beside others that do no harm.
@Suite(.database) struct PoisonTests {
    private let lane = Jobs.Worker.Lane(queue: "default", kinds: [Note.kind], limit: 8)

    /// Another process: it has lost nothing yet.
    private func process(in world: World) -> Jobs.Worker {
        let worker = world.worker()
        worker.handle(Note.self) { _, _ in }
        return worker
    }

    private func text(_ job: Jobs.Claimed) -> String { job.payload.text.contains("poison") ? "poison" : "good" }

    @Test func `what kills its process three times is dead, and takes nothing with it that was beside it`() async throws
    {
        try await withWorld { world in
            for number in 0..<6 {
                try await Note(text: number == 2 ? "poison" : "good \(number)").enqueue(in: world.database)
            }
            var (deaths, done) = (0, 0)
            var round = 0
            while try await world.jobs().contains(where: { $0.state == "ready" }), round < 20 {
                round += 1
                // Something new runs beside it each time.
                if round <= 3 { try await Note(text: "new \(round)").enqueue(in: world.database) }
                let process = self.process(in: world)
                let claimed = try await process.claim(from: lane, atMost: 8)
                #expect(claimed.count(where: \.isSuspect) <= 1)
                #expect(try await process.claim(from: lane, atMost: 8).isEmpty, "one suspect at a time")
                if claimed.contains(where: { text($0) == "poison" }) {
                    deaths += 1
                    try await world.expireLeases()
                    try await self.process(in: world).rescue()
                    let waits = try await world.jobs().filter { $0.losses == 2 }.map(\.wait)
                    #expect(waits.allSatisfy { $0 > 3500 }, "a row of crashes is over in an hour")
                    try await world.makeDue()
                } else {
                    for job in claimed { if case .done = await process.perform(job) { done += 1 } }
                }
            }

            #expect(deaths == 3)
            #expect(done == 8)
            let left = try await world.asSuperuser("select payload ->> 'text', state, lease_losses from job")
            #expect(left == [["poison", "dead", "3"]])
            try await world.asSuperuser("delete from job")
        }
    }

    @Test func `a suspect that runs long keeps the others away for its first minute`() async throws {
        try await withWorld { world in
            for number in 0..<3 { try await Note(text: "suspect \(number)").enqueue(in: world.database) }
            #expect(try await self.process(in: world).claim(from: lane, atMost: 8).count == 3)
            try await world.expireLeases()
            var timing = Jobs.Timing()
            timing.suspicion = .milliseconds(200)
            let process = Jobs.Worker(database: world.database, logger: world.logger, timing: timing)
            process.handle(Note.self) { _, _ in }
            try await process.rescue()
            try await world.makeDue()

            let first = try #require(try await process.claim(from: lane, atMost: 8).first)
            #expect(try await process.claim(from: lane, atMost: 8).isEmpty)
            try await Task.sleep(for: .milliseconds(250))
            let second = try await process.claim(from: lane, atMost: 8)
            #expect(second.count == 1)
            // The end of the first, which is late, makes no room beside the second.
            _ = await process.perform(first)
            #expect(try await process.claim(from: lane, atMost: 8).isEmpty)
            for job in second { _ = await process.perform(job) }
            #expect(try await process.drain().done == 1)
        }
    }

    @Test func `a worker whose leases ended while the database was away has lost no job`() async throws {
        try await withWorld { world in
            let process = self.process(in: world)
            try await Note(text: "x").enqueue(in: world.database)

            for _ in 0..<4 {
                #expect(try await process.claim(from: lane, atMost: 1).count == 1)
                try await world.expireLeases()
                try await process.rescue()
                let row = try #require(try await world.jobs().first)
                #expect(row.state == "ready" && row.losses == 0 && row.attempt == 0)
            }
            #expect(try await process.drain().done == 1)
        }
    }

    @Test func `a process that can do nothing leases no job, and what fails in it meanwhile was no attempt`()
        async throws
    {
        try await withWorld { world in
            let (diary, ready) = (Diary(), Switch())
            var timing = Jobs.Timing()
            timing.poll = .milliseconds(10)
            let worker = Jobs.Worker(
                database: world.database, logger: world.logger, timing: timing, isReady: { ready.isOn })
            worker.handle(Note.self) { _, attempt in
                diary.write("run \(attempt.number)")
                guard diary.entries.count > 1 else {
                    ready.isOn = false
                    throw Jobs.TimedOut(limit: .zero)
                }
            }
            try await Note(text: "x").enqueue(in: world.database)

            try await running(worker) {
                try await eventually { try await world.jobs().map(\.state) == ["ready"] && !ready.isOn }
                let row = try #require(try await world.jobs().first)
                #expect(row.attempt == 0 && row.error == nil)
                // The worker looks again and again, and takes nothing.
                let asked = ready.questions
                try await eventually { ready.questions > asked + 5 }
                #expect(diary.entries == ["run 1"])
                ready.isOn = true
                try await eventually { try await world.jobs().isEmpty }
            }
            #expect(diary.entries == ["run 1", "run 1"])
        }
    }
}
