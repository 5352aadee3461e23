import Postgres
import TestSupport
import Testing

@testable import App

/// What a restored database has counted for the planner, whether the superuser restores it, as the compose file has it, or the tables' owner.
@Suite(.database(.fresh)) struct AnalyzeTests {
    @Test(arguments: [true, false])
    func `what holds rows is counted, and an empty part of the log is left as one that nobody looked at`(
        asSuperuser: Bool
    ) async throws {
        try await withWorld { world in
            let ours = "relnamespace = 'public'::regnamespace"
            let counts =
                "select relname, reltuples from pg_class where relname in ('event_head', 'server') and \(ours) order by 1"
            // As if nobody had ever looked, as it is after a restore.
            try await world.asSuperuser(
                "update pg_class set reltuples = -1, relpages = 0 where relname in ('event_head', 'server', 'activity')"
            )
            let before = try await world.asSuperuser(counts)
            #expect(before == [["event_head", "-1"], ["server", "-1"]], "\(before)")
            if asSuperuser {
                try await world.asSuperuser(Restore.Analyze.sql)
            } else {
                let conninfo = world.lane.ownerConninfo
                try await DirectConnection.onThread {
                    _ = try DirectConnection(conninfo, applicationName: "analyze").run(Restore.Analyze.sql)
                }
            }
            let after = try await world.asSuperuser(counts)
            #expect(after == [["event_head", "1"], ["server", "1"]], "\(after)")
            let empty =
                "select count(*) from pg_class where relname like 'event%' and relkind = 'r' and reltuples = 0 and \(ours)"
            #expect(try await world.asSuperuser(empty) == [["0"]])
            let feed = "select reltuples from pg_class where relname = 'activity' and \(ours)"
            #expect(try await world.asSuperuser(feed) == [["0"]])
        }
    }
}
