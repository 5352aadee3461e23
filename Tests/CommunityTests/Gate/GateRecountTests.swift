import Postgres
import TestSupport
import Testing

@testable import Community

/// What `commonplace check` says about the books of posts.
@Suite(.database) struct GateRecountTests {
    @Test func `a post that says no book, or another than its thread, is found`() async throws {
        try await withWorld { world in
            let (book, other) = (try await world.given.book(), try await world.given.book())
            let ann = try await world.given.reader()
            let thread = try await world.given.thread(on: book, by: ann)
            let reply = try await world.given.post(in: thread.id, by: ann)
            #expect(try await world.database.differences(of: Gate.self, "works") == [])

            try await world.asSuperuser("update post set work_id = null where id = \(thread.post)")
            #expect(
                try await world.database.differences(of: Gate.self, "works") == [
                    "post \(thread.post) was written about none, its thread is about work \(book)"
                ])

            try await world.asSuperuser("update post set work_id = \(book) where id = \(thread.post)")
            try await world.asSuperuser("update post set work_id = \(other) where id = \(reply)")
            #expect(
                try await world.database.differences(of: Gate.self, "works") == [
                    "post \(reply) was written about work \(other), its thread is about work \(book)"
                ])
        }
    }
}
