import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database)
struct NodeLeaseTests {
    private func lease(in world: World) -> (lease: NodeLease, ids: IDMaker) {
        let ids = IDMaker(clock: world.clock)
        return (NodeLease(database: world.database, ids: ids, random: world.random, logger: world.logger), ids)
    }

    @Test func `no identifier is made without a number, and none after it is given back`() async throws {
        try await withWorld { world in
            let (lease, ids) = lease(in: world)
            #expect(throws: Failure.self) { try ids.make(Accounts.Account.self) }
            try await lease.acquire()
            _ = try ids.make(Accounts.Account.self)
            await lease.release()
            #expect(throws: Failure.self) { try ids.make(Accounts.Account.self) }
        }
    }

    @Test func `twenty processes that start at once get twenty numbers`() async throws {
        try await withWorld { world in
            let leases = (0..<20).map { _ in lease(in: world).lease }
            try await withThrowingDiscardingTaskGroup { group in
                for lease in leases { group.addTask { try await lease.acquire() } }
            }
            var numbers: Set<Int> = []
            for lease in leases { numbers.insert(try #require(await lease.number)) }
            #expect(numbers.count == 20)
            for lease in leases { await lease.release() }
        }
    }

    @Test func `a number that is given back rests behind those that were never used`() async throws {
        try await withWorld { world in
            let (first, _) = lease(in: world)
            try await first.acquire()
            let used = await first.number
            await first.release()
            let (second, _) = lease(in: world)
            try await second.acquire()
            #expect(await second.number != used)
            await second.release()
        }
    }

    @Test func `a server that lost its number takes another and goes on`() async throws {
        try await withWorld { world in
            let (lease, ids) = lease(in: world)
            try await lease.acquire()
            let lost = try #require(await lease.number)
            try await world.asSuperuser("update node_lease set holder = 'another'")
            await lease.keep()
            let number = try #require(await lease.number)
            #expect(number != lost)
            let id = try ids.make(Accounts.Account.self)
            #expect(Int(id.rawValue >> 12 & 1023) == number)
            await lease.release()
            try await world.asSuperuser("update node_lease set expires_at = now()")
        }
    }

    @Test func `a number that ran out while nobody took it is still its holder's`() async throws {
        try await withWorld { world in
            let (lease, _) = lease(in: world)
            try await lease.acquire()
            let number = await lease.number
            try await world.asSuperuser("update node_lease set expires_at = now() - interval '1 hour'")
            await lease.keep()
            #expect(await lease.number == number)
            await lease.release()
        }
    }

    @Test(.database(.fresh))
    func `a lapsed number does not wait for its turn, and a renewal that failed is tried again and again`()
        async throws
    {
        try await withWorld { world in
            let (lease, ids) = lease(in: world)
            try await lease.acquire()
            let number = try #require(await lease.number)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await lease.run() }
                defer { group.cancelAll() }

                // The next turn is a quarter of a minute away.
                ids.hold(node: number, until: .now)
                try await eventually(within: .seconds(12)) { ids.holdsNode }

                try await world.asSuperuser("revoke update on node_lease from commonplace_app")
                ids.hold(node: number, until: .now)
                try await eventually { world.log.lines.contains { $0.contains("not renewed") } }
                #expect(!ids.holdsNode)
                #expect(throws: Failure.self) { try ids.make(Accounts.Account.self) }
                try await world.asSuperuser("grant update on node_lease to commonplace_app")
                try await eventually { ids.holdsNode }
                #expect(await lease.number == number)
            }
            #expect(world.log.lines.count { $0.contains("not renewed") } == 1, "one line for one outage")
            try await world.asSuperuser("update node_lease set expires_at = now()")
        }
    }

    @Test func `where all numbers are held a process does not start`() async throws {
        try await withWorld { world in
            try await world.asSuperuser(
                "insert into node_lease select n, 'another', now() + interval '1 hour' from generate_series(0, 1023) n")
            let (lease, _) = lease(in: world)
            await #expect(throws: Failure.busy("no node number is free", retryAfter: .seconds(60))) {
                try await lease.acquire()
            }
            try await world.asSuperuser("delete from node_lease")
        }
    }
}

struct IDMakerTests {
    @Test func `identifiers ascend without repeating while the clock stands still or goes back`() throws {
        let clock = TestClock()
        let ids = IDMaker(node: 5, clock: clock)
        var last = ID<Accounts.Account>.min
        var wrong = 0
        for round in 0..<20_000 {
            if round == 10_000 { clock.advance(by: .seconds(-60)) }
            let id: ID<Accounts.Account> = try ids.make()
            if id <= last || id.rawValue >> 12 & 1023 != 5 { wrong += 1 }
            last = id
        }
        #expect(wrong == 0)
    }
}
