import Postgres
import TestSupport
import Testing

@testable import Jobs

@Suite(.database) struct ScheduleTests {
    @Test func `with four schedulers every slot gets exactly one job`() async throws {
        try await withWorld(leaving: .jobs) { world in
            let wanted = ProofCount.of(1000)
            let workers = (0..<4).map { _ in world.worker() }
            for worker in workers {
                worker.schedule("tick", every: .milliseconds(3)) { Note(text: "tick") }
            }

            try await withThrowingTaskGroup(of: Void.self) { group in
                for worker in workers {
                    group.addTask {
                        while try await slots(in: world) < wanted {
                            for _ in 0..<20 { try await worker.enqueueSlots() }
                        }
                    }
                }
                try await group.waitForAll()
            }

            let made = try await slots(in: world)
            #expect(made >= wanted)
            #expect(try await world.jobs().count == made)
            let off = "select count(*) from job_slot where (extract(epoch from due_at) * 1000)::bigint % 3 <> 0"
            #expect(try await world.asSuperuser(off) == [["0"]])
        }
    }

    @Test func `a slot that passed unseen is not made up for, but for the latest`() async throws {
        try await withWorld(leaving: .jobs) { world in
            let worker = world.worker()
            worker.schedule("daily", every: .seconds(86_400), offset: .seconds(3600)) { Note(text: "daily") }
            try await world.asSuperuser(
                "insert into job_slot (task, due_at) values ('daily', now() - interval '9 days')")

            try await worker.enqueueSlots()
            try await worker.enqueueSlots()

            #expect(try await slots(in: world) == 2)
            #expect(try await world.jobs().count == 1)
            let due = "select max(due_at) <= now(), extract(epoch from max(due_at))::bigint % 86400 from job_slot"
            #expect(try await world.asSuperuser(due) == [["t", "3600"]])
        }
    }

    @Test func `the next slot waits for its time, and a unique job that still waits is not doubled`() async throws {
        try await withWorld(leaving: .jobs) { world in
            let worker = world.worker()
            worker.schedule("tick", every: .milliseconds(5)) { Note(text: "tick", key: "only one") }

            try await eventually {
                try await worker.enqueueSlots()
                return try await slots(in: world) > 3
            }

            #expect(try await world.jobs().count == 1)
        }
    }

    @Test func `old slots go, but never the newest of a task`() async throws {
        try await withWorld { world in
            try await world.asSuperuser(
                """
                insert into job_slot (task, due_at)
                values ('a', now() - interval '40 days'), ('a', now() - interval '50 days'), ('b', now() - interval '31 days'),
                       ('b', now())
                """)

            try await world.database.run(Jobs.SweepSlots())
            try await world.database.run(Jobs.Sweep())

            let left = "select task, (now() - due_at > interval '39 days')::text from job_slot order by task"
            #expect(try await world.asSuperuser(left) == [["a", "true"], ["b", "false"]])
        }
    }

    private func slots(in world: World) async throws -> Int {
        Int(try await world.asSuperuser("select count(*) from job_slot").first?.first?.flatMap(\.self) ?? "") ?? -1
    }
}
