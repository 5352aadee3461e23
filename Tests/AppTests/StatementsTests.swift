import Postgres
import TestSupport
import Testing
import Web

@testable import App

/// The statements of the program's own and of `Web`; those of the domains have theirs in `CommunityTests`.
@Suite(.database) struct StatementsTests {
    @Test func `every statement is understood by the migrated database, and reads the columns that it says it gives`()
        async throws
    {
        try await withWorld { world in
            for statement in StatementTypes.of("App") + StatementTypes.of("Web") {
                let check = try await StatementCheck(statement, in: world.database)
                #expect(check.faults.isEmpty && check.stopped == nil, "\(statement.name)")
            }
        }
    }
}
