import Postgres
import TestSupport
import Testing

@testable import App

/// What a restored database has counted for the planner.
@Suite(.database(.fresh)) struct AnalyzeTests {
    @Test func `what holds rows is counted, and an empty part of the log is left as one that nobody looked at`()
        async throws
    {
        try await withWorld { world in
            try await world.asSuperuser(Restore.Analyze.sql)
            let counted = try await world.asSuperuser(
                """
                select relname, reltuples > 0 from pg_class
                 where relname in ('schema_migration', 'event_from_1', 'event_topic_from_1')
                 order by relname
                """)
            #expect(counted == [["event_from_1", "f"], ["event_topic_from_1", "f"], ["schema_migration", "t"]])
            let empty = try await world.asSuperuser(
                "select count(*) from pg_class where relname like 'event%' and relkind = 'r' and reltuples = 0")
            #expect(empty == [["0"]])
        }
    }
}
