import Postgres
import TestSupport
import Testing

@testable import Jobs

/// A job that is there is given something else to do.
@Suite(.database) struct RewriteTests {
    /// Has the keys of a `Note`, which are none of its own.
    private struct Memo: Job {
        static let kind = "test.memo"
        var text: String
        var uniqueKey: String? { "k" }
    }

    private func locked(_ key: String, in world: World) async throws -> String? {
        try await world.database.transaction { try await Jobs.locked(Note.self, key, in: $0)?.text }
    }

    private func rewrite(_ note: Note, in world: World) async throws {
        try await world.database.transaction { try await Jobs.rewrite(note, in: $0) }
    }

    /// The one job that waits, leased.
    private func claimed(by worker: Jobs.Worker) async throws -> Jobs.Claimed {
        let lane = Jobs.Worker.Lane(queue: "default", kinds: [Note.kind], limit: 1)
        return try #require(try await worker.claim(from: lane, atMost: 1).first)
    }

    @Test func `a job is found by its key while it waits and while it runs`() async throws {
        try await withWorld { world in
            let worker = world.worker()
            worker.handle(Note.self) { _, _ in }
            #expect(try await locked("k", in: world) == nil)

            try await Note(text: "waits", key: "k").enqueue(in: world.database)
            #expect(try await locked("k", in: world) == "waits")
            #expect(try await locked("l", in: world) == nil)
            #expect(try await world.database.transaction { try await Jobs.locked(Memo.self, "k", in: $0)?.text } == nil)

            let claimed = try await claimed(by: worker)
            #expect(try await locked("k", in: world) == "waits")

            #expect(try await world.database.run(Jobs.Finish(lease: claimed.lease)) == 1)
            #expect(try await locked("k", in: world) == nil)
        }
    }

    @Test func `a dead job is not found, and neither is one without a key`() async throws {
        try await withWorld(leaving: .jobs) { world in
            let worker = world.worker()
            worker.handle(Note.self) { _, _ in throw Jobs.Hopeless("nobody there") }
            try await Note(text: "dead", key: "k").enqueue(in: world.database)
            try await worker.drain()
            try await Note(text: "no key").enqueue(in: world.database)

            #expect(try await world.jobs().map(\.state) == ["dead", "ready"])
            #expect(try await locked("k", in: world) == nil)
            #expect(try await locked("", in: world) == nil)
        }
    }

    @Test func `nobody finishes a job that is locked until the transaction ends`() async throws {
        try await withWorld { world in
            let worker = world.worker()
            worker.handle(Note.self) { _, _ in }
            try await Note(text: "x", key: "k").enqueue(in: world.database)
            let lease = try await claimed(by: worker).lease
            let isLocked = Gate()
            // Outside the transaction, which tasks begun inside of it would join.
            async let finished: Int = {
                await isLocked.wait()
                return try await world.database.run(Jobs.Finish(lease: lease))
            }()

            try await world.database.transaction { transaction in
                defer { isLocked.open() }
                #expect(try await Jobs.locked(Note.self, "k", in: transaction)?.text == "x")
                isLocked.open()
                try await eventually("nobody waited") { try await world.waiting() == 1 }
            }

            #expect(try await finished == 1)
            #expect(try await world.jobs().isEmpty)
        }
    }

    @Test func `nobody leases a job that is locked`() async throws {
        try await withWorld { world in
            let worker = world.worker()
            let diary = Diary()
            worker.handle(Note.self) { note, _ in diary.write(note.text) }
            try await Note(text: "old", key: "k").enqueue(in: world.database)
            let isLocked = Gate()
            // Outside the transaction, which tasks begun inside of it would join.
            async let looked: Void = {
                await isLocked.wait()
                diary.write("\(try await worker.drain().done) jobs")
            }()

            try await world.database.transaction { transaction in
                defer { isLocked.open() }
                _ = try await Jobs.locked(Note.self, "k", in: transaction)
                isLocked.open()
                try await eventually { !diary.entries.isEmpty }
                try await Jobs.rewrite(Note(text: "new", key: "k"), in: transaction)
            }
            try await looked
            #expect(diary.entries == ["0 jobs"])

            try await worker.drain()
            #expect(diary.entries == ["0 jobs", "new"])
        }
    }

    @Test func `a job that waits does what it was given last, at its own time`() async throws {
        try await withWorld { world in
            let diary = Diary()
            let worker = world.worker()
            worker.handle(Note.self) { note, _ in diary.write(note.text) }
            try await Note(text: "old", key: "k").enqueue(in: world.database, after: .seconds(3600))
            try await Note(text: "other", key: "l").enqueue(in: world.database)

            try await rewrite(Note(text: "new", key: "k"), in: world)

            try await worker.drain()
            #expect(diary.entries == ["other"])
            try await world.makeDue()
            try await worker.drain()
            #expect(diary.entries == ["other", "new"])
        }
    }

    @Test func `a run goes on with what it was given, and finds by its key what it was given since`() async throws {
        try await withWorld { world in
            let diary = Diary()
            let worker = world.worker()
            worker.handle(Note.self) { note, attempt in
                try await world.database.transaction { try await Jobs.rewrite(Note(text: "new", key: "k"), in: $0) }
                try await world.database.transaction { transaction in
                    let now = try await Jobs.locked(Note.self, "k", in: transaction)
                    diary.write("\(note.text), now \(now?.text ?? "gone")")
                    try await attempt.finish(in: transaction)
                }
            }
            try await Note(text: "old", key: "k").enqueue(in: world.database)

            try await worker.drain()

            #expect(diary.entries == ["old, now new"])
            #expect(try await world.jobs().isEmpty)
        }
    }

    @Test func `after a run that failed the next one does what was given meanwhile`() async throws {
        try await withWorld { world in
            let diary = Diary()
            let worker = world.worker()
            worker.handle(Note.self) { note, attempt in
                diary.write(note.text)
                guard attempt.number == 1 else { return }
                try await world.database.transaction { try await Jobs.rewrite(Note(text: "new", key: "k"), in: $0) }
                throw Jobs.TimedOut(limit: .seconds(1))
            }
            try await Note(text: "old", key: "k").enqueue(in: world.database)

            try await worker.drain()
            #expect(try await world.jobs().map(\.attempt) == [1])
            try await world.makeDue()
            try await worker.drain()

            #expect(diary.entries == ["old", "new"])
        }
    }

    @Test func `what no job is there to do is refused`() async throws {
        try await withWorld(leaving: .jobs) { world in
            let worker = world.worker()
            worker.handle(Note.self) { _, _ in throw Jobs.Hopeless("nobody there") }
            await #expect(throws: Jobs.NotThere.self) { try await rewrite(Note(text: "x", key: "k"), in: world) }

            try await Note(text: "dead", key: "k").enqueue(in: world.database)
            try await worker.drain()
            await #expect(throws: Jobs.NotThere.self) { try await rewrite(Note(text: "x", key: "k"), in: world) }

            try await Note(text: "no key").enqueue(in: world.database)
            await #expect(throws: Jobs.NotThere.self) { try await rewrite(Note(text: "x"), in: world) }

            let texts = try await world.asSuperuser("select payload ->> 'text' from job order by id")
            #expect(texts == [["dead"], ["no key"]])
        }
    }
}
