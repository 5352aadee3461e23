import Community
import Postgres

extension Given {
    /// The conversation of two friends, opened by the first.
    package func conversation(
        of one: Signed, with other: Signed
    ) async throws -> ID<Messages.Conversation> {
        try await world.community.messages.open(with: other.username, by: one.identity).conversation.id
    }

    /// Two friends and their conversation.
    package func correspondents() async throws -> (Signed, Signed, ID<Messages.Conversation>) {
        let (one, other) = (try await account(), try await account())
        try await friendship(one, other)
        return (one, other, try await conversation(of: one, with: other))
    }

    /// A message that one of the two sends.
    @discardableResult
    package func message(
        _ body: String = "Hello", in conversation: ID<Messages.Conversation>, by sender: Signed,
        reply: ID<Messages.Message>? = nil, book: ID<Catalog.Work>? = nil, post: ID<Boards.Post>? = nil
    ) async throws -> Messages.Message {
        try await world.community.messages.send(
            Messages.NewMessage(body, reply: reply, book: book, post: post), in: conversation, by: sender.identity)
    }
}
