import EventLog
import Postgres
import TestSupport
import Testing

@Suite(.database)
struct RelayTests {
    @Test func `what was rolled back never enters the log`() async throws {
        try await withWorld { world in
            struct Undone: Error {}
            try await EventLog.append(world.event(1), in: world.database)
            await #expect(throws: Undone.self) {
                try await world.database.transaction { transaction in
                    try await EventLog.append(world.event(2), in: transaction)
                    throw Undone()
                }
            }
            try await EventLog.append(world.event(3), in: world.database)

            try await world.relay().moveAll()

            let events = try await world.log.events(after: 0, limit: 10)
            #expect(events.map { origin($0).number } == [1, 3])
            expectWhole(events)
        }
    }

    @Test func `an event comes back as it was written`() async throws {
        try await withWorld { world in
            let written = NewEvent(
                id: 77, kind: "review.posted", version: 2, topics: [.reader(9), .book(42), .reader(9)], owner: 9,
                subjectKind: "review", subject: 5, at: Timestamp(microseconds: 1_790_000_000_123_456),
                data: JSON(bytes: Array(#"{"a": "ü", "b": null}"#.utf8)))
            try await EventLog.append(written, in: world.database)
            try await world.relay().moveAll()

            let event = try #require(try await world.log.events(after: 0, limit: 10).first)
            #expect(event.id == 77 && event.kind == "review.posted" && event.version == 2)
            #expect(event.places.map(\.topic) == [.reader(9), .book(42)])
            #expect(event.owner == 9 && event.subjectKind == "review" && event.subject == 5)
            #expect(event.at == written.at && event.data.text == #"{"a": "ü", "b": null}"#)
        }
    }

    @Test func `each topic's events are linked, within a move and across moves`() async throws {
        try await withWorld { world in
            for round in 0..<3 {
                for number in 0..<7 {
                    let topics: [Topic] = [.book(Int64(number % 2)), .reader(Int64(number % 3))]
                    try await EventLog.append(world.event(round * 7 + number, topics: topics), in: world.database)
                }
                try await world.relay().moveAll()
            }
            expectWhole(try await world.log.events(after: 0, limit: 100))
        }
    }

    @Test func `a data object over 16 KiB or a kind of another form is refused`() async throws {
        try await withWorld { world in
            let large = JSON(bytes: Array(#"{"text": "\#(String(repeating: "x", count: 17_000))"}"#.utf8))
            let small = JSON(bytes: Array("{}".utf8))
            for (kind, data, constraint) in [
                ("test.large", large, "outbox_data_object"), ("Test large", small, "outbox_kind_form"),
                ("test.list", JSON(bytes: Array("[]".utf8)), "outbox_data_object"),
            ] {
                let event = NewEvent(id: 1, kind: kind, topics: [.book(1)], at: world.clock.now(), data: data)
                let error = await #expect(throws: PostgresError.self) {
                    try await EventLog.append(event, in: world.database)
                }
                #expect(error?.constraint == constraint)
            }
        }
    }

    @Test(.database(.fresh))
    func `commits out of order are neither skipped nor misplaced, across the edges of partitions`() async throws {
        try await withWorld { world in
            let rounds = ProofCount.of(5_000)
            try await world.partitionLog(every: rounds / 5 + 1, count: 12)
            let database = world.database
            let other = world.secondDatabase()
            let follower = Follower()
            let node = EventLog.Node(database: other, receiver: follower, logger: world.logger)

            try await world.running([{ try? await node.run() }]) {
                try await eventually { follower.hasBegun }
                // Each round: the transaction that inserted first commits last, with another writer's commit in between.
                for round in 0..<rounds {
                    try await database.transaction { late in
                        try await EventLog.append(world.event(round, by: 1), in: late)
                        try await withThrowingTaskGroup(of: Void.self) { group in
                            group.addTask {
                                try await EventLog.append(world.event(round, by: 2), in: other)
                                if round % 7 == 0 { try await eventually { try await !other.one(OutboxHasRows()) } }
                            }
                            try await group.waitForAll()
                        }
                    }
                }
                try await eventually(within: .seconds(60)) { follower.count == rounds * 2 }
            }
            await other.shutdown()

            #expect(try await world.parts().count { $0.ends <= 2 * Int64(rounds) } == 9, "edges within the log")
            let events = follower.events
            expectWhole(events)
            for writer in 1...2 {
                let numbers = events.map(origin).filter { $0.writer == writer }.map(\.number)
                #expect(
                    numbers == Array(0..<rounds), "one writer's events in the order of its commits, none lost or twice")
            }
        }
    }

    @Test func `two relays that do not know of each other leave no hole and move nothing twice`() async throws {
        try await withWorld { world in
            let count = ProofCount.of(20_000)
            let databases = [world.secondDatabase(), world.secondDatabase()]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<4 {
                    group.addTask {
                        for number in 0..<(count / 4) {
                            try await EventLog.append(world.event(number, by: Int64(writer)), in: world.database)
                        }
                    }
                }
                for database in databases {
                    group.addTask {
                        while try await world.log.head().seq < count { try await world.relay(database).moveAll() }
                    }
                }
                try await group.waitForAll()
            }
            for database in databases { await database.shutdown() }

            let events = try await world.log.events(after: 0, limit: count + 1)
            #expect(events.count == count)
            expectWhole(events)
            #expect(Set(events.map(\.id)).count == count)
            for writer in 0..<4 {
                let numbers = events.map(origin).filter { $0.writer == writer }.map(\.number)
                #expect(numbers == Array(0..<(count / 4)))
            }
        }
    }

    @Test func `when the leader's connection is killed, another process takes over and nothing is lost or moved twice`()
        async throws
    {
        try await withWorld { world in
            let rounds = ProofCount.of(100)
            let databases = [world.secondDatabase(), world.secondDatabase()]
            let followers = [Follower(), Follower()]
            let nodes = zip(databases, followers).map { database, follower in
                EventLog.Node(database: database, receiver: follower, logger: world.logger)
            }
            let perRound = 20

            try await world.running(nodes.map { node in { try? await node.run() } }) {
                try await eventually { followers.allSatisfy(\.hasBegun) }
                for round in 0..<rounds {
                    try await eventually(within: .seconds(60)) { try await world.leaders() == 1 }
                    for number in 0..<perRound {
                        try await EventLog.append(world.event(round * perRound + number), in: world.database)
                    }
                    try await world.asSuperuser(
                        """
                        select pg_terminate_backend(pid) from pg_locks
                         where locktype = 'advisory' and granted
                           and database = (select oid from pg_database where datname = current_database())
                        """)
                }
                for follower in followers {
                    try await eventually { follower.count == rounds * perRound }
                }
            }
            for database in databases { await database.shutdown() }

            for follower in followers {
                expectWhole(follower.events)
                #expect(follower.events.map { origin($0).number } == Array(0..<(rounds * perRound)))
            }
        }
    }
}

extension World {
    /// Backends that hold the relay's lock.
    fileprivate func leaders() async throws -> Int {
        let rows = try await asSuperuser(
            """
            select count(*) from pg_locks
             where locktype = 'advisory' and granted
               and database = (select oid from pg_database where datname = current_database())
            """)
        return Int(rows.first?.first.flatMap { $0 } ?? "") ?? -1
    }
}

private struct OutboxHasRows: Statement {
    static let name = "test.outbox_has_rows"
    static let sql: SQL<Self> = "select exists (select from outbox)"
    typealias Output = Bool
}
