import CoreMetrics
import Postgres
import TestSupport
import Testing
import Web

@testable import EventLog

/// What is told of the log: what waits, what lags, who leads and what is kept.
@Suite(.database)
struct StandingTests {
    private func node(
        _ world: World, _ database: Database? = nil, following follower: Follower = Follower()
    ) -> EventLog.Node {
        EventLog.Node(database: database ?? world.database, receiver: follower, logger: world.logger)
    }

    @Test func `what no relay moves is counted, and for how long the first has waited`() async throws {
        try await withWorld { world in
            let node = node(world)
            let empty = try await node.standing()
            #expect(empty.outbox == 0 && empty.waited == .zero)
            #expect(empty.oldest == 1 && empty.kept == .zero, "nothing is kept")

            for number in 0..<7 { try await EventLog.append(world.event(number), in: world.database) }
            try await world.asSuperuser(
                """
                update outbox set at = now() - interval '2 hours' where position = (select min(position) from outbox)
                """)
            let held = try await node.standing()
            #expect(held.outbox == 7 && held.lag == 0 && !held.leads)
            #expect(held.waited >= .seconds(7_200) && held.waited < .seconds(9_000))

            try await world.relay().moveAll()
            let moved = try await node.standing()
            #expect(moved.outbox == 0 && moved.waited == .zero && moved.oldest == 1)
            // A clock that runs ahead has written nothing in the future.
            try await EventLog.append(world.event(7), in: world.database)
            try await world.asSuperuser("update outbox set at = now() + interval '1 hour'")
            #expect(try await node.standing().waited == .zero)
            try await world.relay().moveAll()
        }
    }

    @Test func `a tail that is held lags by what it has not handed on, and by nothing when it has caught up`()
        async throws
    {
        try await withWorld { world in
            for number in 0..<4 { try await EventLog.append(world.event(number), in: world.database) }
            try await world.relay().moveAll()
            let follower = Follower()
            let node = node(world, following: follower)
            #expect(try await node.standing().lag == 0, "what was there before it began is not for it")
            try await world.running([{ try? await node.run() }]) {
                try await eventually { follower.hasBegun }
                follower.refuse(.max)
                for number in 4..<9 { try await EventLog.append(world.event(number), in: world.database) }
                try await eventually { try await node.standing().lag == 5 }
                #expect(try await node.standing().outbox == 0, "they have been moved")

                follower.refuse(0)
                try await eventually { try await node.standing().lag == 0 }
                #expect(follower.count == 5)
            }
        }
    }

    @Test func `one leads, who stands in for it does not, and leads once the lock is free`() async throws {
        try await withWorld { world in
            let (stopped, other) = (world.secondDatabase(), world.secondDatabase())
            let follower = Follower()
            let node = node(world, other, following: follower)
            // Has the lock and does nothing.
            try await stopped.session { leader in
                let leads = try await leader.one(EventLog.Statements.Lead())
                #expect(leads)
                try await world.running([{ try? await node.run() }]) {
                    try await eventually { follower.hasBegun }
                    try await EventLog.append(world.event(0), in: world.database)
                    try await eventually { follower.count == 1 }
                    #expect(try await !node.standing().leads, "it stands in")

                    try await world.asSuperuser(
                        """
                        select pg_terminate_backend(pid)
                          from pg_locks
                         where locktype = 'advisory' and granted and classid = \(EventLog.Statements.Lead.key >> 32)
                           and database = (select oid from pg_database where datname = current_database())
                        """)
                    try await eventually { try await node.standing().leads }
                }
                #expect(try await !node.standing().leads, "it has ended")
            }
            for database in [stopped, other] { await database.shutdown() }
        }
    }

    @Test(.database(.fresh)) func `the oldest event follows an expiry`() async throws {
        try await withWorld { world in
            try await world.partitionLog(every: 4, count: 6)
            for number in 0..<20 { try await EventLog.append(world.event(number), in: world.database) }
            try await world.relay().moveAll()
            try await world.asSuperuser("update event set logged_at = now() - interval '31 days' where seq <= 12")
            let node = node(world)
            let before = try await node.standing()
            #expect(before.oldest == 1 && before.kept >= .seconds(31 * 86_400))

            try await world.upkeep().once()
            let after = try await node.standing()
            #expect(after.oldest == 13 && after.kept < .seconds(86_400))

            try await world.asSuperuser("update event set logged_at = now() - interval '31 days'")
            try await world.upkeep().once()
            let empty = try await node.standing()
            #expect(empty.oldest == 21 && empty.kept == .zero, "the next event will be the oldest")
        }
    }

    @Test func `all of it stands in the figures of the process`() async throws {
        try await withWorld { world in
            let (metrics, follower) = (Prometheus(), Follower())
            let node = node(world, following: follower)
            try await withMetricsFactory(metrics) {
                try await world.running([{ try? await node.run() }]) {
                    try await eventually { follower.hasBegun }
                    follower.refuse(.max)
                    for number in 0..<6 { try await EventLog.append(world.event(number), in: world.database) }
                    try await eventually { metrics.text().contains("\ncommonplace_log_lag 6\n") }
                    #expect(metrics.text().contains("\ncommonplace_log_oldest 1\n"))
                    try await eventually { metrics.text().contains("\ncommonplace_log_leads 1\n") }
                    for name in ["outbox", "outbox_seconds"] {
                        try await eventually { metrics.text().contains("\ncommonplace_log_\(name) 0\n") }
                    }
                    #expect(metrics.text().contains("\ncommonplace_log_oldest_seconds "))
                    follower.refuse(0)
                    try await eventually { metrics.text().contains("\ncommonplace_log_lag 0\n") }
                }
            }
        }
    }
}
