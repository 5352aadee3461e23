import Community
import Postgres

extension Given {
    /// Makes two readers friends, as they would themselves: one asks, the other accepts.
    package func friendship(_ one: Signed, _ other: Signed) async throws {
        let asked = try await world.community.friends.ask(other.username, by: one.identity)
        _ = try await world.community.friends.accept(asked.id, by: other.id)
    }

    /// A request that waits for an answer.
    package func friendRequest(from sender: Signed, to recipient: Signed) async throws -> ID<Friends.Request> {
        try await world.community.friends.ask(recipient.username, by: sender.identity).id
    }
}
