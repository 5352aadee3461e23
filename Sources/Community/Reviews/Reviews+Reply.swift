import Postgres

extension Reviews {
    /// What somebody answered to a review.
    package struct Reply: Hashable, Sendable {
        package let id: ID<Reply>
        package let review: ID<Review>
        /// 1, 2, … in the order of commits. One that was taken back leaves a gap.
        package let number: Int
        package internal(set) var author: Accounts.Reader
        package internal(set) var text: Text
        /// Under the spoiler mark, its own or the review's.
        package let spoilers: Bool
        package internal(set) var version: Int
        package let createdAt: Timestamp
        package internal(set) var editedAt: Timestamp?
    }

    /// A reply as one viewer sees it. What may not be seen at all is none.
    package enum ShownReply: Hashable, Sendable {
        case whole(Reply)
        case gated(Gate.Placeholder)
    }

    /// The place of a reply in its list.
    package struct ReplyPlace: Hashable, Sendable, Codable {
        package let number: Int
    }

    /// What a reply stands on, as its author sees it.
    struct Ground: Sendable {
        let book: ID<Catalog.Work>
        let visibility: Visibility
        let isOpen: Bool
    }

    /// A reply that stands, locked, and whose it is.
    struct StandingReply: Sendable {
        /// With all of its text.
        let reply: Reply
        let book: ID<Catalog.Work>
        /// Of the review.
        let visibility: Visibility
        /// Its author may still see the review.
        let isSeen: Bool
        let isOpen: Bool
    }
}

extension Reviews.Reply: Encodable {
    private enum CodingKeys: String, CodingKey {
        case id, number, author, body, html, spoilers, version
        case review = "review_id"
        case isVeiled = "is_veiled"
        case createdAt = "created_at"
        case editedAt = "edited_at"
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(review, forKey: .review)
        try container.encode(number, forKey: .number)
        try container.encode(author, forKey: .author)
        try container.encode(text.body, forKey: .body)
        try container.encode(text.html, forKey: .html)
        try container.encode(text.isVeiled, forKey: .isVeiled)
        try container.encode(spoilers, forKey: .spoilers)
        try container.encode(version, forKey: .version)
        try container.encode(createdAt, forKey: .createdAt)
        try container.encode(editedAt, forKey: .editedAt)
    }
}

extension Reviews.ShownReply: Encodable {
    /// A reply, or `{id, gated: true, kind, position}`.
    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .whole(let reply): try reply.encode(to: encoder)
        case .gated(let placeholder): try placeholder.encode(to: encoder)
        }
    }
}
