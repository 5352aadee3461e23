import Community
import TestSupport
import Testing

@testable import Web

/// Shelves on open sockets.
@Suite(.database)
struct LibraryStreamTests {
    @Test(.requirement("TRE-6"))
    func `a friend's open socket hears of a move, and that it is taken back, and nothing of what is hidden`()
        async throws
    {
        try await withStream { stream in
            let (ann, bob) = (try await stream.world.given.account(), try await stream.world.given.account())
            try await stream.world.given.friendship(ann, bob)
            let (shown, hidden) = (
                try await stream.world.given.book("Emma"), try await stream.world.given.book("Persuasion")
            )
            let client = try await stream.open(ann)
            client.subscribe("home")
            try await client.hear("subscribed", on: "home")

            try await stream.world.given.shelved(hidden, by: bob.id, visibility: .private)
            try await stream.world.given.shelved(shown, by: bob.id)
            try await eventually { client.frames("event").count == 1 }
            #expect(client.frames("event").map { $0.text("kind") } == ["shelf.moved"])
            let heard = "\(client.frames("event"))"
            #expect(heard.contains("Emma") && !heard.contains("Persuasion"))

            try await stream.world.given.shelved(shown, by: bob.id, visibility: .private)
            try await eventually { client.frames("event").count == 2 }
            #expect(client.frames("event").last?.text("kind") == "shelf.removed")

            try await stream.world.community.profiles.change([.activity: .private], for: bob.id)
            try await eventually { client.frames("event").count == 3 }
            #expect(client.frames("event").last?.text("kind") == "visibility.changed")
            await client.cut(isAbrupt: false)
        }
    }
}
