import Community
import EventLog
import TestSupport
import Testing

@testable import Web

/// Following on open sockets.
@Suite(.database)
struct FollowsStreamTests {
    @Test(.requirement("TRE-6"))
    func `an open home carries the reviews of a book from when it is followed until it is not, each once`() async throws
    {
        try await withStream { stream in
            let given = stream.world.given
            let (ann, bob, cid) = (try await given.account(), try await given.account(), try await given.account())
            try await given.friendship(ann, bob)
            let book = try await given.book("Emma")
            let client = try await stream.open(ann)
            client.subscribe("home")
            client.subscribe("inbox")
            try await client.hear("subscribed", on: "home")
            try await client.hear("subscribed", on: "inbox")

            try await given.review(by: cid.id, of: book, body: "Before.")
            try await stream.world.community.follows.put(.book(book), by: ann.id)
            // A friend's review of a followed book comes by two topics, and once.
            try await given.review(by: bob.id, of: book, body: "Meanwhile.")
            try await given.shelved(book, .read, by: cid.id)
            try await given.review(by: cid.id, of: book, body: "Changed.")
            try await eventually { client.frames("event", on: "home").count >= 2 }
            try await stream.world.community.follows.remove(.book(book), by: ann.id)
            try await given.review(by: cid.id, of: book, body: "After.")
            try await stream.publish(4, on: [.inbox(ann.id.rawValue)])
            try await eventually {
                client.frames("event", on: "inbox").contains { $0.members["data"]?["n"] == .number("4") }
            }

            let home = client.frames("event", on: "home").map { "\($0)" }
            #expect(home.count == 2 && home[0].contains("Meanwhile.") && home[1].contains("Changed."))
            await client.cut(isAbrupt: false)
        }
    }
}
