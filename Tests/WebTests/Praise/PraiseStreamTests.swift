import Community
import TestSupport
import Testing

@testable import Web

/// Favourites and recommendations on open sockets.
@Suite(.database)
struct PraiseStreamTests {
    @Test(.requirement("TRE-6"))
    func `a friend's open socket hears what is held up and taken back, and nothing of what is hidden`() async throws {
        try await withStream { stream in
            let (ann, bob) = (try await stream.world.given.account(), try await stream.world.given.account())
            try await stream.world.given.friendship(ann, bob)
            let (shown, hidden) = (
                try await stream.world.given.book("Emma"), try await stream.world.given.book("Persuasion")
            )
            let client = try await stream.open(ann)
            client.subscribe("home")
            try await client.hear("subscribed", on: "home")

            try await stream.world.given.praised(hidden, .favourite, by: bob.id, visibility: .private)
            try await stream.world.given.praised(shown, by: bob.id)
            try await eventually { client.frames("event").count == 1 }
            #expect(client.frames("event").map { $0.text("kind") } == ["book.recommended"])

            try await stream.world.given.praised(shown, .favourite, by: bob.id)
            try await stream.world.community.praise.remove(.recommendation, on: shown, by: bob.id)
            try await eventually { client.frames("event").count == 3 }
            #expect(
                client.frames("event").suffix(2).map { $0.text("kind") } == [
                    "book.favourited", "recommendation.removed",
                ])
            #expect(!"\(client.frames("event"))".contains("Persuasion"))
            await client.cut(isAbrupt: false)
        }
    }
}
