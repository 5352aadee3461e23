import Community
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import Web

/// Long work for a reader, seen from outside.
@Suite(.database)
struct OperationsRoutesTests {
    @Test func `an archive is an operation that tells its reader alone how far it is and how it ended`() async throws {
        try await withApp(leaving: .outbox) { app in
            let reader = try await app.world.given.account("ann")
            let ann = app.as(reader)
            let bob = app.as(try await app.world.given.account("bob"))
            let export = try await ann.post("/api/v1/me/export").json
            let path = "/api/v1/operations/" + (export["operation"]?.text ?? "")
            #expect(try await app.get(path).status == .unauthorized)
            #expect(try await bob.get(path).status == .notFound)
            let waiting = try await ann.get(path).json
            #expect(waiting["state"] == "waiting" && waiting["kind"] == "leaving.export")
            #expect(waiting["done_count"] == 0 && waiting["total_count"] == .null)

            #expect(try await app.world.work() == 0)
            let done = try await ann.get(path).json
            #expect(done["state"] == "done")
            #expect(done["done_count"] == done["total_count"] && done["done_count"] != 0)
            let told = try await Self.told(in: app.world)
            #expect(told.last == ["{inbox:\(reader.id)}", "done"])
            // Told on the way too, where the work took more than a second.
            #expect(told.dropLast().allSatisfy { $0 == ["{inbox:\(reader.id)}", "running"] })

            // The archive goes with another wish, and what tells of it stays for a week.
            let next = try await ann.post("/api/v1/me/export").json["operation"]
            #expect(next != export["operation"])
            #expect(try await ann.get(path).json["state"] == "done")
            try await app.world.work()
            try await app.world.asSuperuser(
                """
                update operation
                   set told_at = told_at - interval '8 days', created_at = created_at - interval '8 days'
                """)
            try await app.world.community.operations.sweep()
            #expect(try await ann.get(path).status == .notFound)
        }
    }

    @Test func `one that failed for good says so`() async throws {
        try await withApp(leaving: .outbox) { app in
            let ann = app.as(try await app.world.given.account("ann"))
            let export = try await ann.post("/api/v1/me/export").json
            try await app.world.asSuperuser("update job set attempt = attempts - 1")
            // What the archive reads is not there: no run succeeds.
            try await app.world.asSuperuser("alter table praise rename to praise_gone")
            #expect(try await app.world.work() == 1)
            try await app.world.asSuperuser("alter table praise_gone rename to praise")
            let failed = try await ann.get("/api/v1/operations/" + (export["operation"]?.text ?? "")).json
            #expect(failed["state"] == "failed")
            try await app.world.asSuperuser("delete from job")
        }
    }

    /// Topics and state of each event, in order.
    private static func told(in world: World) async throws -> [[String?]] {
        try await world.asSuperuser(
            """
            select topics::text, data #>> '{operation,state}'
              from outbox
             where kind = 'operation.changed'
             order by position
            """)
    }
}
