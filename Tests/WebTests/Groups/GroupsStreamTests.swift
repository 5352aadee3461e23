import Community
import Postgres
import TestSupport
import Testing

@testable import Web

/// Groups on open sockets.
@Suite(.database, .requirement("DIS-3"))
struct GroupsStreamTests {
    @Test func `members hear what happens in a private group until they are removed; others may not follow it`()
        async throws
    {
        try await withStream { stream in
            let world = stream.world
            let (ann, bob, cid) = (
                try await world.given.account("ann"), try await world.given.account("bob"),
                try await world.given.account("cid")
            )
            let id = try await world.given.club(by: ann.id, .private, with: [(bob.id, .member)])
            let thread = try await world.given.thread(in: id, by: ann.id)
            let client = try await stream.open(bob)
            for topic in ["group:\(id)", "thread:\(thread.id)"] {
                client.subscribe(topic)
                try await client.hear("subscribed", on: topic)
            }
            let stranger = try await stream.open(cid)
            for topic in ["group:\(id)", "thread:\(thread.id)"] { stranger.subscribe(topic) }
            try await eventually { stranger.frames("error").count == 2 }
            #expect(stranger.frames("error").allSatisfy { $0.text("code") == "unknown_topic" })
            func kinds() -> [String?] { client.frames("event").map { $0.text("kind") } }
            _ = try await world.given.thread(in: id, by: ann.id, title: "Another")
            try await eventually { kinds() == ["thread.opened"] }
            _ = try await world.community.boards.reply(Boards.NewPost(body: "Hi"), in: thread.id, by: ann.id)
            try await eventually { kinds() == ["thread.opened", "post.created"] }

            try await world.community.groups.remove("bob", from: id, by: ann.id)
            for topic in ["group:\(id)", "thread:\(thread.id)"] { try await client.hear("closed", on: topic) }
            _ = try await world.community.boards.reply(Boards.NewPost(body: "Alone"), in: thread.id, by: ann.id)
            #expect(!"\(client.frames("event"))".contains("Alone"))
            await client.cut(isAbrupt: false)
            await stranger.cut(isAbrupt: false)
        }
    }

    @Test func `closing a group closes what everybody follows of it`() async throws {
        try await withStream { stream in
            let world = stream.world
            let (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            let id = try await world.given.club(by: ann.id)
            let thread = try await world.given.thread(in: id, by: ann.id)
            let client = try await stream.open(bob)
            for topic in ["group:\(id)", "thread:\(thread.id)"] {
                client.subscribe(topic)
                try await client.hear("subscribed", on: topic)
            }
            try await world.community.groups.close(id, by: ann.id)
            for topic in ["group:\(id)", "thread:\(thread.id)"] { try await client.hear("closed", on: topic) }
            await client.cut(isAbrupt: false)
        }
    }
}
