import Community
import EventLog
import Postgres
import TestSupport
import Testing

@testable import Web

/// Groups on open sockets.
@Suite(.database)
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
            // The first thread may be told as well, where the hub heard of it last.
            try await eventually { "\(client.frames("event"))".contains("Another") }
            _ = try await world.community.boards.reply(Boards.NewPost(body: "Hi"), in: thread.id, by: ann.id)
            try await eventually { kinds().last == "post.created" }

            try await world.community.groups.remove("bob", from: id, by: ann.id)
            for topic in ["group:\(id)", "thread:\(thread.id)"] { try await client.hear("closed", on: topic) }
            _ = try await world.community.boards.reply(Boards.NewPost(body: "Alone"), in: thread.id, by: ann.id)
            #expect(!"\(client.frames("event"))".contains("Alone"))
            await client.cut(isAbrupt: false)
            await stranger.cut(isAbrupt: false)
        }
    }

    @Test
    func `what happened in a private group is not delivered at home to who was removed before it was`() async throws {
        try await withStream { stream in
            let (world, given) = (stream.world, stream.world.given)
            let (ann, bob) = (try await given.account("ann"), try await given.account("bob"))
            let friend = try await given.account("friend")
            try await given.friendship(ann.id, friend.id)
            let id = try await given.club(by: bob.id, .private, with: [(ann.id, .member)])
            let threads = [try await given.thread(in: id, by: bob.id), try await given.thread(in: id, by: bob.id)]
            let client = try await stream.open(ann)
            client.subscribe("home")
            try await client.hear("subscribed", on: "home")
            func kinds() -> [String?] { client.frames("event", on: "home").map { $0.text("kind") } }
            try await world.community.boards.delete(threads[0].post, by: bob.id)
            try await eventually { kinds().last == "post.deleted" }

            // The hub has not heard yet that the home is made of less.
            try await world.asSuperuser("delete from group_member where group_id = \(id) and reader_id = \(ann.id)")
            try await world.community.boards.delete(threads[1].post, by: bob.id)
            try await stream.publish(1, on: [.reader(friend.id.rawValue)], owner: friend, level: .friends)

            try await eventually { kinds().last == "test.happened" }
            #expect(kinds().filter { $0 == "post.deleted" }.count == 1)
            await client.cut(isAbrupt: false)
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
