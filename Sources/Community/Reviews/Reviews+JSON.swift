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
        case id, reader, book, rating, body, visibility, version
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
        try container.encode(body, forKey: .body)
        try container.encode(visibility, forKey: .visibility)
        try container.encode(levelIsOwn, forKey: .levelIsOwn)
        try container.encode(version, forKey: .version)
        try container.encode(createdAt, forKey: .createdAt)
        try container.encode(editedAt, forKey: .editedAt)
    }
}
