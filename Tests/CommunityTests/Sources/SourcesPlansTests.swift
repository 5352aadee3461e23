import Postgres
import TestSupport
import Testing

@testable import Community

/// What look-ups and their jobs ask of many records goes by index.
@Suite(.database(.fresh)) struct SourcesPlansTests {
    @Test func `no look-up, page or refresh reads a whole table`() async throws {
        try await withWorld { world in
            try await world.asSuperuser(
                """
                insert into work (id, title) select n, 'Title ' || n from generate_series(1, 20000) n;
                insert into edition (id, work_id) select n, n from generate_series(1, 20000) n;
                insert into source_record (key, source, edition_id, page, fetched_at, refresh_at)
                select 'google:' || n, 'google', n, 'https://books.google.com/books?id=' || n, now(),
                       now() + n * interval '1 minute'
                  from generate_series(1, 20000) n;
                insert into source_silence (question, until)
                select 'isbn:' || n, now() + n * interval '1 second' from generate_series(1, 20000) n;
                analyze
                """)
            for statement in StatementTypes.of(Sources.self) {
                let plan = try await world.genericPlan(of: statement)
                #expect(
                    plan.scans(of: ["work", "edition", "source_record", "source_silence"]).isEmpty,
                    "\(statement.name):\n\(plan)")
                // The due ones of a source may be a third of all to the planner, which reads them by index until it has enough.
                #expect(plan.cost < 2_000, "\(statement.name):\n\(plan)")
            }
            let due = try await world.genericPlan(of: Sources.DueRecords.self)
            #expect(due.uses("source_record_due"), "\(due)")
        }
    }
}
