import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Community
@testable import Jobs

/// A job of another queue.
private struct Errand: Job {
    static let kind = "test.errand"
}

/// What one task tells others.
private final class Signal: Sendable {
    private let given = Mutex(0)
    var count: Int { given.withLock { $0 } }
    func give() { given.withLock { $0 += 1 } }
}

/// What goes wrong with rankings keeps the lists that were right, and their time.
@Suite(.database(.fresh))
struct RankingFaultTests {
    @Test func `lists that cannot be made stay with their time, and others are made`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let book = try await world.given.book()
            for reader in try await world.readers(3) { try await world.act(on: book, by: reader) }
            let first = world.clock.now()
            try await world.community.ranking.refresh(asOf: first)
            try await world.asSuperuser(
                """
                create function refused() returns trigger language plpgsql as $$ begin raise exception 'no lists today'; end $$;
                create trigger refused before insert on ranking_generation
                    for each row when (new.span = 'day') execute function refused()
                """)
            world.clock.advance(by: .seconds(3600))
            let worker = world.rankingWorker()
            try await Ranking.Refresh(asOf: world.clock.now()).enqueue(in: world.database)
            let drained = try await worker.drain()
            let failure = try #require(drained.failures.first as? PostgresError)
            #expect(drained.failures.count == 1 && failure.message?.contains("no lists today") == true)
            #expect(try await world.time(of: .day) == first)
            #expect(try await world.list(.day).map(\.entry.work) == [book])
            for span in [Ranking.Span.week, .month] { #expect(try await world.time(of: span) == world.clock.now()) }

            try await world.asSuperuser("drop trigger refused on ranking_generation; update job set due_at = now()")
            #expect(try await worker.drain().done == 1)
            #expect(try await world.time(of: .day) == world.clock.now())
        }
    }

    @Test func `a fold that takes too long keeps no list from being made`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let book = try await world.given.book()
            for reader in try await world.readers(3) { try await world.act(on: book, by: reader) }
            try await world.asSuperuser(
                """
                create function slow() returns trigger language plpgsql as $$ begin raise query_canceled; end $$;
                create trigger slow before insert on work_bucket for each row execute function slow()
                """)
            let now = world.clock.now()
            await #expect(throws: PostgresError.self) { try await world.community.ranking.refresh(asOf: now) }
            for span in Ranking.Span.allCases { #expect(try await world.time(of: span) == now) }
            try await world.asSuperuser("drop trigger slow on work_bucket")
            try await world.community.ranking.refresh(asOf: now)
            #expect(try await world.list(.day).map(\.entry.work) == [book])
        }
    }

    @Test func `lists as of a week ago are those of that time, and do not pass for those of yesterday`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let now = world.clock.now()
            try await world.usual()
            let (then, lately) = (try await world.given.book("Then"), try await world.given.book("Lately"))
            world.clock.set(now - .seconds(7 * 86_400))
            for reader in try await world.readers(3) { try await world.act(on: then, by: reader) }
            world.clock.set(now)
            for reader in try await world.readers(3) { try await world.act(on: lately, by: reader) }
            try await world.community.ranking.refresh(asOf: now - .seconds(86_400))
            try await world.community.ranking.refresh(asOf: now - .seconds(7 * 86_400) + .seconds(3600))
            for span in Ranking.Span.allCases { #expect(try await world.list(span).map(\.entry.work) == [then]) }
            #expect(try await world.list(.day).first?.entry.isPopular == false)
            try await world.community.ranking.refresh(asOf: now)
            // Yesterday nothing was read but the one of last week.
            #expect(try await world.list(.week).first { $0.entry.work == lately }?.entry.moved == nil)
        }
    }

    @Test func `lists that a clock dated ahead are made anew at once when it is set back`() async throws {
        try await withWorld(leaving: .outbox) { world in
            try await world.community.ranking.refresh()
            world.clock.advance(by: .seconds(60))
            try await world.community.ranking.refresh()
            #expect(try await world.time(of: .month) == world.clock.now() - .seconds(60))
            try await world.asSuperuser("update ranking_current set checked_at = now() + interval '1 day'")
            try await world.community.ranking.refresh()
            for span in Ranking.Span.allCases { #expect(try await world.time(of: span) == world.clock.now()) }
        }
    }

    @Test func `a ranking job that hangs keeps no other job and no reader waiting, and is done afterwards`()
        async throws
    {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let book = try await world.given.book()
            for reader in try await world.readers(3) { try await world.act(on: book, by: reader) }
            let first = world.clock.now()
            try await world.community.ranking.refresh(asOf: first)
            world.clock.advance(by: .seconds(60))
            let later = world.clock.now()
            let done = Signal()
            try await Ranking.Refresh(asOf: later).enqueue(in: world.database)
            try await Errand().enqueue(in: world.database)
            let worker = world.rankingWorker()
            worker.handle(Errand.self) { _, _ in done.give() }
            let isHeld = Signal()
            let isEnough = Signal()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await world.database.transaction { transaction in
                        try await transaction.run(Ranking.Statements.LockSums())
                        isHeld.give()
                        try await eventually { isEnough.count > 0 }
                    }
                }
                try await eventually { isHeld.count > 0 }
                group.addTask { try await worker.run() }
                try await eventually { try await world.waiting() > 0 && done.count == 1 }
                #expect(try await world.time(of: .day) == first)
                #expect(try await world.list(.day).map(\.entry.work) == [book])
                isEnough.give()
                try await eventually { try await world.time(of: .day) == later }
                group.cancelAll()
            }
        }
    }

    @Test func `a job that names no time is done, and one that cannot be read keeps none from coming`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let worker = world.rankingWorker()
            func put(_ payload: String) async throws {
                try await world.asSuperuser(
                    """
                    insert into job (kind, queue, unique_key, payload, attempts, due_at)
                    values ('ranking.refresh', 'ranking', 'all', '\(payload)', 1, now())
                    """)
            }
            try await put("{}")
            #expect(try await worker.drain().done == 1)
            let made = try await world.time(of: .day)
            #expect(made == world.clock.now())
            world.clock.advance(by: .seconds(60))
            try await put(#"{"asOf": ["what a later version knows"]}"#)
            let failed = try await worker.drain()
            #expect(failed.done == 0 && failed.failures.count == 1)
            #expect(try await world.time(of: .day) == made)
            #expect(try await Ranking.Refresh(asOf: world.clock.now()).enqueue(in: world.database))
            #expect(try await worker.drain().done == 1)
            #expect(try await world.time(of: .day) == world.clock.now())
            try await world.asSuperuser("delete from job where state = 'dead'")
        }
    }

    @Test func `a refresh that ends its process is done again, and after the second time waits for an hour`()
        async throws
    {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let worker = world.rankingWorker()
            let lane = Jobs.Worker.Lane(queue: Ranking.Refresh.queue, kinds: [Ranking.Refresh.kind], limit: 1)
            try await Ranking.Refresh(asOf: nil).enqueue(in: world.database)
            for losses in 1...2 {
                #expect(try await world.rankingWorker().claim(from: lane, atMost: 1).count == 1)
                try await world.asSuperuser("update job set lease_until = now() - interval '1 second'")
                try await worker.rescue()
                let row = try await world.asSuperuser(
                    "select state, lease_losses, (due_at > now() + interval '50 minutes')::text from job")
                #expect(row == [["ready", "\(losses)", losses == 2 ? "true" : "false"]])
                // The schedule puts no other beside it, which would be a stranger again.
                #expect(try await Ranking.Refresh(asOf: nil).enqueue(in: world.database) == false)
            }
            #expect(try await worker.drain().done == 0)
            try await world.asSuperuser("update job set due_at = now()")
            #expect(try await worker.drain().done == 1)
        }
    }
}

extension World {
    func rankingWorker() -> Jobs.Worker {
        let worker = Jobs.Worker(database: database, logger: logger)
        Ranking.register(on: worker, community: community)
        return worker
    }

    /// As of when the lists are that are shown.
    func time(of span: Ranking.Span) async throws -> Timestamp? {
        try await community.ranking.list(span, genre: nil, page: PageRequest()).asOf
    }
}
