import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database)
struct OperationsTests {
    @Test func `it is told of once a second at most, not in its first second, and its end always`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let ann = try await world.given.account("ann").id
            let services = world.community.services
            let id = try await world.database.transaction {
                try await Operations.begin("test.work", for: ann, of: services, in: $0)
            }
            /// Says how far it is, asked for so many seconds ago, and told of last then too; gives whether it is to be told.
            func isTold(done: Int, askedFor: Double, told: Double?) async throws -> Bool {
                let dates = Date(askedFor: askedFor, told: told)
                let advance = Operations.Statements.Advance(id: id, done: done, total: 10)
                return try await world.database.transaction { transaction in
                    try await transaction.run(dates)
                    return try await transaction.first(advance)?.isTold ?? false
                }
            }
            #expect(try await !isTold(done: 1, askedFor: 0.999, told: nil))
            #expect(try await isTold(done: 2, askedFor: 1, told: nil))
            #expect(try await !isTold(done: 3, askedFor: 60, told: 0.999))
            #expect(try await world.community.operations.operation(id, of: ann).done == 3)
            #expect(try await isTold(done: 4, askedFor: 60, told: 1))

            /// Events that came since the last look.
            func told() async throws -> Int {
                try await world.asSuperuser(
                    "delete from outbox where kind = 'operation.changed' returning position"
                ).count
            }
            try await world.asSuperuser("update operation set told_at = clock_timestamp()")
            let former = try await world.asSuperuser("select told_at from operation").first?.first.flatMap(\.self) ?? ""
            try await Operations.settle(id, services)
            try await world.database.transaction { try await Operations.end(id, isDone: true, services, in: $0) }
            #expect(try await told() == 1)
            let apart = "select told_at - '\(former)'::timestamptz >= interval '1 second' from operation"
            #expect(try await world.asSuperuser(apart) == [["t"]])

            // What comes too late changes nothing.
            try await world.asSuperuser("update operation set told_at = now() - interval '1 hour'")
            try await Operations.advance(id, done: 5, of: 10, services)
            try await world.database.transaction { try await Operations.end(id, isDone: false, services, in: $0) }
            #expect(try await told() == 0)
            let end = try await world.community.operations.operation(id, of: ann)
            #expect(end.state == .done && end.done == 10)
        }
    }
}

/// Seconds before the transaction's beginning; `told` is `nil` where it was never told of.
private struct Date: Statement {
    static let name = "test.date_operation"
    static let sql: SQL<Self> = """
        update operation set created_at = now() - make_interval(secs => \(\.askedFor)), told_at = now() - make_interval(secs => \(\.told))
        """
    let askedFor: Double
    let told: Double?
}
