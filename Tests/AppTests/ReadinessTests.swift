import Community
import EventLog
import Migrations
import Postgres
import TestSupport
import Testing
import Web

@testable import App

@Suite(.database(.fresh)) struct ReadinessTests {
    @Test func `a read-only database and a lapsed node number are told, as what keeps nobody from reading`()
        async throws
    {
        try await withWorld { world in
            let lapsed = world.checks(ids: IDMaker(clock: world.clock))
            let node = try #require(lapsed.first { $0.name == "node" })
            #expect(node.need == .writes)
            await #expect(throws: Failure.self) { try await node.run() }

            let checks = world.checks()
            #expect(try await checks.first { $0.name == "node" }?.run() == "held")
            let writes = try #require(checks.first { $0.name == "writes" })
            #expect(writes.need == .writes)
            #expect(try await writes.run() == "taken")
            let alter = "do $$ begin execute format('alter database %I %s', current_database(), '"
            try await world.asSuperuser(alter + "set default_transaction_read_only = on'); end $$")
            let others = "from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
            try await eventually {
                _ = try await world.asSuperuser("select pg_terminate_backend(pid) \(others)")
                do {
                    _ = try await writes.run()
                    return false
                } catch let failure as Failure {
                    return failure == .conflict(code: .readOnly, "the database is read-only")
                } catch is PostgresError {
                    return false
                }
            }
            try await world.asSuperuser(
                "set transaction_read_only = off; " + alter + "reset default_transaction_read_only'); end $$")
            try await eventually {
                _ = try await world.asSuperuser("select pg_terminate_backend(pid) \(others)")
                return (try? await writes.run()) == "taken"
            }
        }
    }

    @Test func `a server goes on with the schema of the next version, and is not ready on one that lacks something`()
        async throws
    {
        try await withWorld { world in
            let checks = world.checks()
            let check = try #require(checks.first { $0.name == "schema" })
            let ours = try #require(Migrations.all.last?.number)
            #expect(try await check.run() == String(ours))

            try await world.asSuperuser(
                "insert into schema_migration values (\(ours + 1), '\(ours + 1)_more', 'none', 'applied', now())")
            #expect(try await check.run() == String(ours + 1))

            try await world.asSuperuser("delete from schema_migration where number >= \(ours)")
            await #expect(throws: (any Error).self) { try await check.run() }
        }
    }

    @Test func `what waits for the relay, what the tail has not handed on, and who leads are told`() async throws {
        try await withWorld { world in
            for number in 1...3 { try await world.append(number) }
            let check = try #require(world.checks().first { $0.name == "log" })
            let idle = try await check.run()
            #expect(idle.wholeMatch(of: /3 in the outbox, the oldest for \d+ ms; 0 behind; follows/) != nil, "\(idle)")

            let node = world.node
            async let _ = node.run()
            let told = try #require(world.checks(node: node).first { $0.name == "log" })
            try await eventually { try await told.run() == "0 in the outbox, the oldest for 0 ms; 0 behind; leads" }
        }
    }
}

/// Takes what comes.
private struct Nobody: EventReceiver {
    func begin(at head: EventLog.Head) async {}
    func receive(_ events: [LoggedEvent]) async throws {}
}

extension World {
    fileprivate var node: EventLog.Node { EventLog.Node(database: database, receiver: Nobody(), logger: logger) }

    /// What `/readyz` asks; `ids`: those of the community unless they are given.
    fileprivate func checks(ids: IDMaker? = nil, node: EventLog.Node? = nil) -> [ServerStatus.Check] {
        ServerProcess.checks(database, ids: ids ?? community.services.ids, node: node ?? self.node)
    }

    fileprivate func append(_ number: Int) async throws {
        let event = NewEvent(
            id: Int64(number), kind: "test.happened", topics: [.server], at: clock.now(),
            data: JSON(bytes: Array("{}".utf8)))
        try await EventLog.append(event, in: database)
    }
}
