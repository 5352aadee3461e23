// The form of a review in replies and in events: the same, so that a client that hears of a review need not ask for it.

extension Reviews.Rating: Encodable {
    /// Stars: a number, 0.25 … 5.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(stars)
    }
}

extension Reviews.Book: Encodable {
    private enum CodingKeys: String, CodingKey { case id, title, authors }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(title, forKey: .title)
        try container.encode(authors, forKey: .authors)
    }
}

extension Reviews.Review: Encodable {
    private enum CodingKeys: String, CodingKey {
        case id, reader, book, rating, body, html, spoilers, visibility, replies, reactions, version
        case isVeiled = "is_veiled"
        case ownReactions = "own_reactions"
        case levelIsOwn = "visibility_is_own"
        case createdAt = "created_at"
        case editedAt = "edited_at"
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(reader, forKey: .reader)
        try container.encode(book, forKey: .book)
        try container.encode(rating, forKey: .rating)
        try container.encode(text?.body, forKey: .body)
        try container.encode(text?.html, forKey: .html)
        try container.encode(text?.isVeiled ?? false, forKey: .isVeiled)
        try container.encode(spoilers, forKey: .spoilers)
        try container.encode(visibility, forKey: .visibility)
        try container.encode(levelIsOwn, forKey: .levelIsOwn)
        try container.encode(replies, forKey: .replies)
        try container.encode(Boards.ReactionCounts(reactions), forKey: .reactions)
        try container.encode(Boards.Reaction.allCases.filter(ownReactions.contains), forKey: .ownReactions)
        try container.encode(version, forKey: .version)
        try container.encode(createdAt, forKey: .createdAt)
        try container.encode(editedAt, forKey: .editedAt)
    }
}

extension Reviews.Shown: Encodable {
    /// A review, or `{id, gated: true, kind, position}`.
    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .whole(let review): try review.encode(to: encoder)
        case .gated(let placeholder): try placeholder.encode(to: encoder)
        }
    }
}
