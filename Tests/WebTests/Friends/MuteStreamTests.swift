import Community
import HTTPTypes
import TestSupport
import Testing

@testable import Web

/// A mute on open sockets.
@Suite(.database)
struct MuteStreamTests {
    @Test(.requirement("TRE-6"))
    func
        `a mute stops what flows to an open socket at once, lifting it lets it flow again, and the book's own topic stays`()
        async throws
    {
        try await withStream { stream in
            let (ann, bob) = (try await stream.world.given.account(), try await stream.world.given.account())
            try await stream.world.given.friendship(ann, bob)
            let books = try await stream.world.given.books(
                (1...3).map { Catalog.NewBook(key: "\($0)", title: "Title \($0)") })
            let (reader, mute) = (stream.app.as(ann), "/api/v1/me/mutes/\(bob.username)")
            let client = try await stream.open(ann)
            client.subscribe("home")
            client.subscribe("book:\(books[1])")
            try await client.hear("subscribed", on: "home")
            try await client.hear("subscribed", on: "book:\(books[1])")

            try await stream.world.given.review(by: bob.id, of: books[0], body: "Before.")
            try await eventually { client.frames("event", on: "home").count == 1 }
            #expect(try await reader.put(mute).status == .noContent)
            try await stream.world.given.review(by: bob.id, of: books[1], body: "Meanwhile.")
            try await eventually { client.frames("event", on: "book:\(books[1])").count == 1 }
            #expect(try await reader.delete(mute).status == .noContent)
            try await stream.world.given.review(by: bob.id, of: books[2], body: "After.")
            try await eventually { client.frames("event", on: "home").count == 2 }

            let home = client.frames("event", on: "home").map { "\($0)" }
            #expect(home[0].contains("Before.") && home[1].contains("After."))
            // What was missed stays missed only while the mute holds: a replay shows it now.
            let first = try #require(client.frames("event", on: "home").first?.cursor)
            client.subscribe("home", from: first)
            try await eventually { client.frames("event", on: "home").count == 4 }
            await client.cut(isAbrupt: false)
        }
    }
}
