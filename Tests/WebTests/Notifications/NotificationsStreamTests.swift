import Community
import Postgres
import TestSupport
import Testing

@testable import Web

/// Notifications on open sockets.
@Suite(.database)
struct NotificationsStreamTests {
    @Test func `the inbox hears that there is something, and not what it says`() async throws {
        try await withStream { stream in
            let world = stream.world
            let (ann, bob) = (try await world.given.account("ann"), try await world.given.account())
            let dan = try await world.given.account()
            let thread = try await world.given.thread(on: try await world.given.book(), by: ann.id)
            let client = try await stream.open(ann)
            client.subscribe("inbox")
            try await client.hear("subscribed", on: "inbox")
            func told() -> [String] {
                client.frames("event").filter { $0.text("kind") == "notification.new" }.map { "\($0)" }
            }
            func reply(_ author: Signed) async throws {
                _ = try await world.community.boards.reply(
                    Boards.NewPost(body: "Kanarienvogel", scope: .scope(.free)), in: thread.id, by: author.id)
            }

            try await reply(bob)
            try await world.tell()
            try await eventually { told().count == 1 }
            #expect(told()[0].contains("post.reply") && told()[0].contains("actor_count"))

            try await reply(dan)
            try await world.tell()
            try await eventually { told().count == 2 }
            #expect(!"\(client.frames("event"))".contains("Kanarienvogel"))
            await client.cut(isAbrupt: false)
        }
    }
}
