import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database)
struct OperationsTests {
    @Test func `it is told of once a second at most, not in its first second, and its end always`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let ann = try await world.given.account("ann").id
            let house = world.community.house
            let id = try await world.database.transaction {
                try await Operations.begin("test.work", for: ann, of: house, in: $0)
            }
            func set(_ column: String, to time: String) async throws {
                try await world.asSuperuser("update operation set \(column) = \(time)")
            }
            /// Events that came since the last look.
            func told() async throws -> Int {
                let count = try await world.asSuperuser(
                    "select position from outbox where kind = 'operation.changed'"
                ).count
                try await world.asSuperuser("delete from outbox")
                return count
            }
            try await set("created_at", to: "clock_timestamp() + interval '1 hour'")
            try await Operations.advance(id, done: 1, of: 10, house)
            #expect(try await told() == 0)
            try await set("created_at", to: "clock_timestamp() - interval '1 second'")
            try await Operations.advance(id, done: 2, of: 10, house)
            #expect(try await told() == 1)
            try await set("told_at", to: "clock_timestamp() + interval '1 hour'")
            try await Operations.advance(id, done: 3, of: 10, house)
            #expect(try await told() == 0)
            #expect(try await world.community.operations.operation(id, of: ann).done == 3)
            try await set("told_at", to: "clock_timestamp() - interval '1 second'")
            try await Operations.advance(id, done: 4, of: 10, house)
            #expect(try await told() == 1)

            try await set("told_at", to: "clock_timestamp()")
            let former = try await world.asSuperuser("select told_at from operation").first?.first.flatMap(\.self) ?? ""
            try await Operations.settle(id, house)
            try await world.database.transaction { try await Operations.end(id, isDone: true, house, in: $0) }
            #expect(try await told() == 1)
            let apart = "select told_at - '\(former)'::timestamptz >= interval '1 second' from operation"
            #expect(try await world.asSuperuser(apart) == [["t"]])

            // What comes too late changes nothing.
            try await Operations.advance(id, done: 5, of: 10, house)
            try await world.database.transaction { try await Operations.end(id, isDone: false, house, in: $0) }
            #expect(try await told() == 0)
            let end = try await world.community.operations.operation(id, of: ann)
            #expect(end.state == .done && end.done == 10)
        }
    }
}
