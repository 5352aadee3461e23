import Migrations
import Postgres
import TestSupport
import Testing
import Web

@testable import App

@Suite(.database(.fresh)) struct ReadinessTests {
    @Test func `a server goes on with the schema of the next version, and is not ready on one that lacks something`()
        async throws
    {
        try await withWorld { world in
            let check = try #require(ServerProcess.checks(world.database).first { $0.name == "schema" })
            let ours = try #require(Migrations.all.last?.number)
            #expect(try await check.run() == String(ours))

            try await world.asSuperuser(
                "insert into schema_migration values (\(ours + 1), '\(ours + 1)_more', 'none', 'applied', now())")
            #expect(try await check.run() == String(ours + 1))

            try await world.asSuperuser("delete from schema_migration where number >= \(ours)")
            await #expect(throws: (any Error).self) { try await check.run() }
        }
    }
}
