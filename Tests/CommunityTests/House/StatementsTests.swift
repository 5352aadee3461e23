import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database)
struct StatementsTests {
    @Test func `every statement of the community can be prepared on the migrated database`() async throws {
        try await withWorld { world in
            for statement in Community.statements {
                do {
                    try await prepare(statement, in: world)
                } catch let error as PostgresError where error.sqlState == ambiguousFunction {
                    // `unnest($1, …)` takes its types from what is bound; the importer's tests run each of these.
                    #expect(statement.name.hasPrefix("catalog."), "\(statement.name)")
                } catch {
                    Issue.record("\(statement.name): \((error as? PostgresError)?.message ?? "\(error)")")
                }
            }
        }
    }

    @Test func `statements have names of their own, of the right form`() {
        let names = Community.statements.map { $0.name }
        #expect(Set(names).count == names.count)
        for name in names {
            #expect(name.utf8.count <= 60)
            #expect(name.wholeMatch(of: /[a-z0-9_]+\.[a-z0-9_]+/) != nil, "\(name)")
        }
    }

    private let ambiguousFunction = SQLState(rawValue: "42725")

    private func prepare<S: Statement>(_ statement: S.Type, in world: World) async throws {
        _ = try await world.database.describe(statement)
    }
}
