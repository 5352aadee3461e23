import Postgres
import TestSupport
import Testing

@testable import EventLog

/// What happens to events while the process that leads stands still.
@Suite(.database)
struct StandInTests {
    @Test func `somebody stands in for a leader that stands still, and the leader goes on without harm`() async throws {
        try await withWorld { world in
            let (stopped, others) = (world.secondDatabase(), [world.secondDatabase(), world.secondDatabase()])
            let followers = [Follower(), Follower()]
            let nodes = zip(others, followers).map { database, follower in
                EventLog.Node(database: database, receiver: follower, logger: world.logger)
            }
            let rounds = 40

            // Has the lock and does nothing, as a process under SIGSTOP.
            try await stopped.session { leader in
                let leads = try await leader.one(EventLog.Statements.Lead())
                #expect(leads)
                try await world.running(nodes.map { node in { try? await node.run() } }) {
                    try await eventually { followers.allSatisfy(\.hasBegun) }
                    for number in 0..<rounds { try await EventLog.append(world.event(number), in: world.database) }
                    for follower in followers { try await eventually { follower.count == rounds } }
                    // The leader goes on: both move from now on.
                    for number in rounds..<(2 * rounds) {
                        try await EventLog.append(world.event(number), in: world.database)
                        _ = try await leader.batch { batch in
                            batch.run(EventLog.Statements.LockHead())
                            batch.run(EventLog.Statements.MoveOutbox(limit: EventLog.Relay.batch))
                        }
                    }
                    for follower in followers { try await eventually { follower.count == 2 * rounds } }
                }
            }
            for database in others + [stopped] { await database.shutdown() }

            for follower in followers {
                expectWhole(follower.events)
                #expect(follower.events.map { origin($0).number } == Array(0..<(2 * rounds)))
            }
        }
    }

    @Test func `a process that stops with the end of the log locked is ended by Postgres`() async throws {
        try await withWorld { world in
            let (stopped, other) = (world.secondDatabase(), world.secondDatabase())
            let follower = Follower()
            let node = EventLog.Node(database: other, receiver: follower, logger: world.logger)

            await #expect(throws: PostgresError.self) {
                try await stopped.session { leader in
                    try await leader.run(EventLog.Statements.Terms())
                    try await leader.run(EventLog.Statements.Lead())
                    try await leader.run(Begin())
                    try await leader.run(EventLog.Statements.LockHead())
                    try await world.running([{ try? await node.run() }]) {
                        for number in 0..<10 { try await EventLog.append(world.event(number), in: world.database) }
                        try await eventually { follower.count == 10 }
                    }
                    try await leader.run(EventLog.Statements.Prove())
                }
            }
            for database in [stopped, other] { await database.shutdown() }
            expectWhole(follower.events)
        }
    }

    @Test func `a log that stands still for a second while something waits is nobody's`() async {
        let start = ContinuousClock.now
        func at(_ milliseconds: Int) -> ContinuousClock.Instant { start.advanced(by: .milliseconds(milliseconds)) }
        let watch = EventLog.Relay.Watch()
        let (quiet, waits) = (EventLog.Relay.Look(waits: false, seq: 7), EventLog.Relay.Look(waits: true, seq: 7))

        #expect(await !watch.isStill(quiet, at: at(0)))
        #expect(await !watch.isStill(quiet, at: at(5_000)), "nothing waits")
        #expect(await !watch.isStill(waits, at: at(6_000)))
        #expect(await !watch.isStill(waits, at: at(6_999)))
        #expect(await watch.isStill(waits, at: at(7_000)))

        // Somebody moved, and there is more.
        let next = EventLog.Relay.Look(waits: true, seq: 8)
        #expect(await !watch.isStill(next, at: at(7_500)))
        #expect(await !watch.isStill(next, at: at(8_000)))
        #expect(await watch.isStill(next, at: at(8_500)))
        // Everything was moved meanwhile.
        #expect(await !watch.isStill(EventLog.Relay.Look(waits: false, seq: 8), at: at(8_600)))
        #expect(await !watch.isStill(next, at: at(9_900)))
    }
}

private struct Begin: Statement {
    static let name = "test.begin"
    static let sql: SQL<Self> = "begin"
}
