// The form of an entry in replies.

extension Library.Entry: Encodable {
    private enum CodingKeys: String, CodingKey {
        case id, book, status, started, finished, rating, position, visibility, note, version
        case edition = "edition_id"
        case timesRead = "times_read"
        case addedAt = "added_at"
        case movedAt = "moved_at"
        case readings
    }

    package func encode(to encoder: any Encoder) throws { try encode(to: encoder, readings: nil) }

    /// With the member `readings` where they are given.
    func encode(to encoder: any Encoder, readings: [Library.Reading]?) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(book, forKey: .book)
        try container.encode(status, forKey: .status)
        try container.encode(edition, forKey: .edition)
        try container.encode(started, forKey: .started)
        try container.encode(finished, forKey: .finished)
        try container.encode(timesRead, forKey: .timesRead)
        try container.encode(rating, forKey: .rating)
        try container.encode(position, forKey: .position)
        try container.encode(own?.visibility, forKey: .visibility)
        try container.encode(own?.note, forKey: .note)
        try container.encode(version, forKey: .version)
        try container.encode(addedAt, forKey: .addedAt)
        try container.encode(movedAt, forKey: .movedAt)
        if let readings { try container.encode(readings, forKey: .readings) }
    }
}

extension Library.Shelved: Encodable {
    package func encode(to encoder: any Encoder) throws { try entry.encode(to: encoder, readings: readings) }
}

extension Library.Reading: Encodable {
    private enum CodingKeys: String, CodingKey { case id, outcome, started, finished }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(outcome.rawValue, forKey: .outcome)
        try container.encode(started, forKey: .started)
        try container.encode(finished, forKey: .finished)
    }
}

extension Library.Counts: Encodable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(_ text: String) { stringValue = text }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(all, forKey: Key("all"))
        for status in Library.Status.allCases { try container.encode(self[status], forKey: Key(status.rawValue)) }
    }
}

extension Library.List: Encodable {
    private enum CodingKeys: String, CodingKey {
        case id, reader, title, description, visibility, books, version
        case createdAt = "created_at"
        case changedAt = "changed_at"
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(reader, forKey: .reader)
        try container.encode(title, forKey: .title)
        try container.encode(description, forKey: .description)
        try container.encode(visibility, forKey: .visibility)
        try container.encode(books, forKey: .books)
        try container.encode(version, forKey: .version)
        try container.encode(createdAt, forKey: .createdAt)
        try container.encode(changedAt, forKey: .changedAt)
    }
}

extension Library.ListItem: Encodable {
    private enum CodingKeys: String, CodingKey {
        case book, note
        case addedAt = "added_at"
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(book, forKey: .book)
        try container.encode(note, forKey: .note)
        try container.encode(addedAt, forKey: .addedAt)
    }
}
