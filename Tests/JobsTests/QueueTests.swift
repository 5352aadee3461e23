import Postgres
import TestSupport
import Testing

@testable import Jobs

@Suite(.database) struct QueueTests {
    @Test func `a job exists exactly when its transaction was committed`() async throws {
        try await withWorld { world in
            let diary = Diary()
            let worker = world.worker()
            worker.handle(Note.self) { note, _ in diary.write(note.text) }

            _ = try await world.database.transaction { try await Note(text: "kept").enqueue(in: $0) }
            await #expect(throws: Jobs.Hopeless.self) {
                try await world.database.transaction { transaction in
                    try await Note(text: "rolled back").enqueue(in: transaction)
                    throw Jobs.Hopeless("no")
                }
            }
            try await worker.drain()

            #expect(diary.entries == ["kept"])
            #expect(try await world.jobs().isEmpty)
        }
    }

    @Test func `of jobs with one key one waits or runs at a time`() async throws {
        try await withWorld { world in
            let diary = Diary()
            let worker = world.worker()
            worker.handle(Note.self) { note, _ in
                diary.write(note.text)
                let isTaken = try await !Note(text: "third", key: "k").enqueue(in: world.database)
                diary.write("taken while it runs: \(isTaken)")
            }

            #expect(try await Note(text: "first", key: "k").enqueue(in: world.database))
            #expect(try await !Note(text: "second", key: "k").enqueue(in: world.database))
            #expect(try await Note(text: "other", key: "l").enqueue(in: world.database))
            try await world.asSuperuser("delete from job where unique_key = 'l'")
            try await worker.drain()
            #expect(diary.entries == ["first", "taken while it runs: true"])

            #expect(try await Note(text: "again", key: "k").enqueue(in: world.database))
            try await world.asSuperuser("delete from job")
        }
    }

    /// Where no job waits but those with this key.
    private struct EnqueueAlone: Statement {
        static let name = "test.enqueue_alone"
        static let sql: SQL<Self> = Jobs.Enqueue.sql(
            \.job, where: "not exists (select 1 from job where unique_key is distinct from \(\.key))")
        let job: Jobs.Enqueue, key: String
    }

    @Test func `a job is put into the queue where its condition holds when that is done, once by its key`() async throws
    {
        try await withWorld { world in
            let diary = Diary()
            let worker = world.worker()
            worker.handle(Note.self) { note, _ in diary.write(note.text) }
            func enqueue(_ text: String, key: String) async throws -> Bool {
                let note = try Jobs.Enqueue(Note(text: text, key: key))
                return try await world.database.run(EnqueueAlone(job: note, key: key)) == 1
            }
            #expect(try await enqueue("first", key: "k"))
            #expect(try await !enqueue("same key", key: "k"))
            #expect(try await !enqueue("not alone", key: "l"))
            try await worker.drain()
            #expect(try await enqueue("alone again", key: "l"))
            try await worker.drain()
            #expect(diary.entries == ["first", "alone again"])
        }
    }

    @Test func `a hundred writers with one key make one job`() async throws {
        try await withWorld(leaving: .jobs) { world in
            let made = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<100 {
                    group.addTask { try await Note(text: "x", key: "same").enqueue(in: world.database) }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }

            #expect(made == 1)
            #expect(try await world.jobs().count == 1)
        }
    }

    @Test func `a delayed job is not run before its time`() async throws {
        try await withWorld { world in
            let diary = Diary()
            let worker = world.worker()
            worker.handle(Note.self) { note, _ in diary.write(note.text) }

            try await Note(text: "later").enqueue(in: world.database, after: .seconds(3600))
            try await worker.drain()
            #expect(diary.entries.isEmpty)

            try await world.makeDue()
            try await worker.drain()
            #expect(diary.entries == ["later"])
        }
    }

    @Test func `a failed job waits attempt to the fourth, then runs again`() async throws {
        try await withWorld { world in
            let worker = world.worker()
            worker.handle(Note.self) { _, attempt in
                if attempt.number < 4 { throw Jobs.TimedOut(limit: .seconds(attempt.number)) }
            }
            try await Note(text: "x").enqueue(in: world.database)

            for (attempt, pause) in [(1, 1.0), (2, 16), (3, 81)] {
                let drained = try await worker.drain()
                #expect(drained.failures.count == 1)
                let row = try #require(try await world.jobs().first)
                #expect(row.state == "ready" && row.attempt == attempt)
                #expect(abs(row.wait - pause) < 5)
                #expect(row.error?.isEmpty == false)
                try await world.makeDue()
            }
            #expect(try await worker.drain().done == 1)
        }
    }

    @Test func `the pause varies by a tenth and no more`() {
        #expect(Jobs.pause(after: 3, jitter: 0.1) == .seconds(81 * 1.1))
        #expect(Jobs.pause(after: 1, jitter: -0.1) == .seconds(0.9))
        #expect(Jobs.pause(after: 19, jitter: 0) == .seconds(130_321))
    }

    @Test func `a job that fails to the end is dead and stays to be looked at`() async throws {
        try await withWorld { world in
            let worker = world.worker()
            worker.handle(Chore.self) { _, _ in throw Jobs.LeaseLost.Sample() }
            try await Chore().enqueue(in: world.database)

            for _ in 0..<4 {
                try await worker.drain()
                try await world.makeDue()
            }

            let rows = try await world.jobs()
            #expect(rows.map(\.state) == ["dead"])
            #expect(rows.map(\.attempt) == [2])
            #expect(rows.map(\.error) == ["Sample()"])
        }
    }

    @Test func `a job that knows that there is no hope is dead at once and frees its key`() async throws {
        try await withWorld { world in
            let worker = world.worker()
            worker.handle(Note.self) { _, _ in throw Jobs.Hopeless("nobody there\0") }
            try await Note(text: "x", key: "k").enqueue(in: world.database)

            try await worker.drain()

            #expect(try await world.jobs().map(\.state) == ["dead"])
            #expect(try await world.jobs().map(\.error) == ["nobody there"])
            #expect(try await Note(text: "y", key: "k").enqueue(in: world.database))
            try await worker.drain()
        }
    }

    @Test func `a job that cannot be read is a failure, not a crash`() async throws {
        try await withWorld(leaving: .jobs) { world in
            let worker = world.worker()
            worker.handle(Note.self) { _, _ in }
            try await Note(text: "x").enqueue(in: world.database)
            try await world.asSuperuser("update job set payload = '{\"other\": 1}'")

            #expect(try await worker.drain().failures.count == 1)
            #expect(try await world.jobs().map(\.state) == ["ready"])
        }
    }

    @Test func `kinds without a handler are left to those who have one`() async throws {
        try await withWorld(leaving: .jobs) { world in
            let worker = world.worker()
            worker.handle(Chore.self) { _, _ in }
            try await Note(text: "x").enqueue(in: world.database)

            #expect(try await worker.drain().done == 0)
            #expect(try await world.jobs().map(\.state) == ["ready"])
        }
    }

    @Test func `effects in the database happen once even when the end of the job is not recorded`() async throws {
        try await withWorld { world in
            try await world.asSuperuser("create table effect (n int); grant all on effect to public")
            let worker = world.worker()
            worker.handle(Note.self) { _, attempt in
                try await world.database.transaction { transaction in
                    try await transaction.run(InsertEffect())
                    try await attempt.finish(in: transaction)
                }
                throw Jobs.Hopeless("the answer to the commit was lost")
            }
            try await Note(text: "x").enqueue(in: world.database)

            try await worker.drain()
            try await worker.drain()

            #expect(try await world.asSuperuser("select count(*) from effect") == [["1"]])
            #expect(try await world.jobs().isEmpty)
            try await world.asSuperuser("drop table effect")
        }
    }

    @Test func `every statement can be prepared`() async throws {
        try await withWorld { world in
            var names = Set<String>()
            for statement in Jobs.statements.flatMap({ $0.prepared }) {
                #expect(names.insert(statement.name).inserted, "two statements are named \(statement.name)")
                try await world.asSuperuser("prepare probe as \(statement.text); deallocate probe")
            }
        }
    }
}

struct InsertEffect: Statement {
    static let name = "test.insert_effect"
    static let sql: SQL<Self> = "insert into effect values (1)"
}

extension Jobs.LeaseLost {
    struct Sample: Error {}
}
