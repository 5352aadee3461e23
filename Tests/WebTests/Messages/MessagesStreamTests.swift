import Community
import Postgres
import TestSupport
import Testing

@testable import Web

/// Messages on open sockets.
@Suite(.database, .requirement("FRI-2"))
struct MessagesStreamTests {
    @Test func `the inbox hears what is said, edited and deleted, and nothing any more after a block`() async throws {
        try await withStream { stream in
            let world = stream.world
            let store = world.community.messages
            let (ann, bob, id) = try await world.given.correspondents()
            let client = try await stream.open(bob)
            client.subscribe("inbox")
            try await client.hear("subscribed", on: "inbox")
            func kinds() -> [String?] { client.frames("event").map { $0.text("kind") } }

            let sent = try await world.given.message("Hello there", in: id, by: ann)
            try await eventually { kinds() == ["message.sent"] }
            #expect("\(client.frames("event"))".contains("Hello there"))
            _ = try await store.edit(sent.id, to: "Well then", by: ann.identity)
            try await eventually { kinds().last == "message.edited" }
            try await store.delete(sent.id, by: ann.id)
            try await eventually { kinds().last == "message.deleted" }
            _ = try await store.read(id, upTo: 1, by: bob.id)
            try await eventually { kinds().last == "conversation.read" }

            // What a test puts into one transaction is more than the program does in one.
            try await LockWatch.$isOff.withValue(true) {
                try await world.database.transaction { _ in
                    try await world.given.message("Too late", in: id, by: ann)
                    try await world.community.friends.block(bob.username, by: ann.id)
                }
            }
            _ = try await world.given.friendRequest(from: try await world.given.account(), to: bob)
            try await eventually { kinds().last == "friend.requested" }
            #expect(
                kinds() == [
                    "message.sent", "message.edited", "message.deleted", "conversation.read", "friend.requested",
                ])
            #expect(!"\(client.frames("event"))".contains("Too late"))
            await client.cut(isAbrupt: false)
        }
    }

    @Test func `who comes back hears what messages say now, not what they said`() async throws {
        try await withStream { stream in
            let world = stream.world
            let (ann, bob, id) = try await world.given.correspondents()
            let client = try await stream.open(bob)
            client.subscribe("inbox")
            let place = try #require(try await client.hear("subscribed", on: "inbox").cursor)
            await client.cut(isAbrupt: false)
            let sent = try await world.given.message("Regretted", in: id, by: ann)
            _ = try await world.community.messages.edit(sent.id, to: "Considered", by: ann.identity)

            let back = try await stream.open(bob)
            back.subscribe("inbox", from: place)
            try await eventually("heard: \(back.text.suffix(600))") { back.frames("event").count == 1 }
            #expect(back.frames("event").map { $0.text("kind") } == ["message.edited"])
            #expect("\(back.frames("event"))".contains("Considered"))
            #expect(!"\(back.frames("event"))".contains("Regretted"))
            await back.cut(isAbrupt: false)
        }
    }
}
