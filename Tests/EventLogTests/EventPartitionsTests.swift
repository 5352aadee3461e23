import EventLog
import Logging
import Migrations
import Postgres
import TestSupport
import Testing

/// What migration 0052 makes of a log that stands.
@Suite(.database(.empty))
struct EventPartitionsTests {
    private static let name = "0052_event_partitions"

    /// What a version before 0052 has left: fifty events, of which ten older ones have expired.
    private static let oldLog = """
        insert into event (seq, id, kind, version, topics, owner_id, at, data, logged_at)
        select n, n, 'test.happened', 1, array['reader:' || n % 3, 'book:' || n % 17], n % 5, now(),
               jsonb_build_object('writer', 1, 'number', n), now() - interval '20 days' + n * interval '1 minute'
          from generate_series(11, 60) n;
        insert into event_topic (topic, seq, prev)
        select topic, seq, coalesce(lag(seq) over (partition by topic order by seq), 0)
          from (select seq, unnest(topics) collate "C" as topic from event) place;
        update event_head set seq = 60, oldest = 11
        """

    private func migrate(_ world: World, _ migrations: [Migration]) async throws -> [String] {
        try await Migrator(conninfo: world.lane.ownerConninfo, migrations: migrations, logger: world.logger).up()
    }

    @Test func `a log that stands keeps its events, places and links, and goes on`() async throws {
        try await withWorld { world in
            // Makes the roles.
            _ = try await Migrator(conninfo: world.lane.superuserConninfo, migrations: [], logger: world.logger).up()
            _ = try await migrate(world, Migrations.all.filter { $0.name < Self.name })
            try await world.asSuperuser(Self.oldLog)
            let rows = [
                "select event::text from event order by seq", "select event_topic::text from event_topic order by 1",
                "select event_head::text from event_head",
            ]
            var before: [[[String?]]] = []
            for sql in rows { before.append(try await world.asSuperuser(sql)) }

            let applied = try await migrate(world, Migrations.all.filter { $0.name <= Self.name })

            #expect(applied == [Self.name])
            for (sql, found) in zip(rows, before) { #expect(try await world.asSuperuser(sql) == found) }
            #expect(before[0].count == 50 && before[1].count == 100)
            let parts = try await world.parts()
            #expect(parts.map { $0.first } == [1, 61, 500_061] && parts.map { $0.ends } == [61, 500_061, 1_000_061])

            // The version before goes on for a while: it writes no heads.
            try await world.asSuperuser(
                """
                insert into event (seq, id, kind, version, topics, at, data)
                values (61, 61, 'test.happened', 1, array['book:5'], now(), '{}');
                insert into event_topic (topic, seq, prev) values ('book:5', 61, 56);
                update event_head set seq = 61
                """)
            for book: Int64 in [5, 4, 99] {
                try await EventLog.append(world.event(Int(book), topics: [.book(book)]), in: world.database)
            }
            try await world.relay().moveAll()
            let next = try await world.log.events(after: 61, limit: 10)
            #expect(next.map(\.seq) == [62, 63, 64] && next.map { $0.places[0].prev } == [61, 55, 0])

            // The part that was the whole log ends with its last event, and goes when that is past keeping.
            try await world.asSuperuser("update event set logged_at = logged_at - interval '11 days' where seq <= 60")
            try await world.upkeep().once()
            #expect(try await world.log.head().oldest == 61)
            #expect(try await world.asSuperuser("select count(*) from event") == [["4"]])
        }
    }
}
