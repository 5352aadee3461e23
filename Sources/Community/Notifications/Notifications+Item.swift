import Postgres

extension Notifications {
    /// A notification as its reader sees it now.
    package struct Item: Hashable, Sendable {
        package let id: ID<Item>
        /// `nil` where this program does not know it: a newer one told it. Then nothing else is known of it.
        package let kind: Kind?
        /// Newest first, at most `Limits.Notifications.shownActors`.
        package let actors: [Accounts.Reader]
        /// All that the reader may see.
        package let actorCount: Int
        package let book: Catalog.Book?
        package let thread: Thread?
        /// The newest post that it tells of, or the reader's own where others reacted or it was raised.
        package let post: Post?
        /// The review that it is about, and the newest reply to it that it tells of.
        package let review: Review?
        package let reply: ReviewReply?
        /// The group that it is about, or on whose board the post stands.
        package let group: Group?
        /// The first `Limits.Notifications.excerpt` characters of that post, that reply or the reader's own review
        /// without marks and inline spoilers; `nil` where it is gated, and for bare stars.
        package let excerpt: String?
        package let at: Timestamp
        package let isRead: Bool
        package let isSeen: Bool

        package var key: Key { Key(at: at, id: id) }
        /// One sentence.
        package var text: String { Catalogue.text(kind, actors: actors.map(\.username), count: actorCount) }
    }

    package enum Thread: Hashable, Sendable {
        /// Without a title once the post that opened it is gone.
        case whole(ID<Boards.Thread>, title: String?)
        case gated(Gate.Placeholder)
    }

    package enum Post: Hashable, Sendable {
        case whole(ID<Boards.Post>, thread: ID<Boards.Thread>, number: Int)
        case gated(Gate.Placeholder)
    }

    package enum Review: Hashable, Sendable {
        case whole(ID<Reviews.Review>)
        case gated(Gate.Placeholder)
    }

    package enum ReviewReply: Hashable, Sendable {
        case whole(ID<Reviews.Reply>, review: ID<Reviews.Review>, number: Int)
        case gated(Gate.Placeholder)
    }

    package struct Group: Hashable, Sendable, Encodable {
        package let id: ID<Groups.Group>
        package let name: String
    }
}

extension Notifications.Item: Encodable {
    private enum CodingKeys: String, CodingKey {
        case id, kind, text, actors, book, thread, post, review, reply, group, excerpt, at
        case actorCount = "actor_count"
        case isRead = "is_read"
        case isSeen = "is_seen"
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(kind?.rawValue, forKey: .kind)
        try container.encode(text, forKey: .text)
        try container.encode(actors, forKey: .actors)
        try container.encode(actorCount, forKey: .actorCount)
        try container.encode(book, forKey: .book)
        try container.encode(thread, forKey: .thread)
        try container.encode(post, forKey: .post)
        try container.encode(review, forKey: .review)
        try container.encode(reply, forKey: .reply)
        try container.encode(group, forKey: .group)
        try container.encode(excerpt, forKey: .excerpt)
        try container.encode(at, forKey: .at)
        try container.encode(isRead, forKey: .isRead)
        try container.encode(isSeen, forKey: .isSeen)
    }
}

extension Notifications.Thread: Encodable {
    private enum CodingKeys: String, CodingKey { case id, title }

    /// `{id, title}`, or `{id, gated: true, kind, position}`.
    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .whole(let id, let title):
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            try container.encode(title, forKey: .title)
        case .gated(let placeholder): try placeholder.encode(to: encoder)
        }
    }
}

extension Notifications.Post: Encodable {
    private enum CodingKeys: String, CodingKey {
        case id, number
        case thread = "thread_id"
    }

    /// `{id, thread_id, number}`, or `{id, gated: true, kind, position}`.
    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .whole(let id, let thread, let number):
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            try container.encode(thread, forKey: .thread)
            try container.encode(number, forKey: .number)
        case .gated(let placeholder): try placeholder.encode(to: encoder)
        }
    }
}

extension Notifications.Review: Encodable {
    /// `{id}`, or `{id, gated: true, kind, position}`.
    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .whole(let id): try ["id": id].encode(to: encoder)
        case .gated(let placeholder): try placeholder.encode(to: encoder)
        }
    }
}

extension Notifications.ReviewReply: Encodable {
    private enum CodingKeys: String, CodingKey {
        case id, number
        case review = "review_id"
    }

    /// `{id, review_id, number}`, or `{id, gated: true, kind, position}`.
    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .whole(let id, let review, let number):
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            try container.encode(review, forKey: .review)
            try container.encode(number, forKey: .number)
        case .gated(let placeholder): try placeholder.encode(to: encoder)
        }
    }
}
