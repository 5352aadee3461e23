import Postgres

// The form of conversations and messages in replies and in events: the same, so that a client that hears of a message
// need not ask for it.

extension Messages.Card: Encodable {
    private enum CodingKeys: String, CodingKey { case kind, book, post, id }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .book(let book):
            try container.encode("book", forKey: .kind)
            try container.encode(book, forKey: .book)
        case .post(let id):
            try container.encode("post", forKey: .kind)
            try container.encode(id, forKey: .id)
        case .shown(_, let post):
            try container.encode("post", forKey: .kind)
            try container.encode(post, forKey: .post)
        }
    }
}

extension Messages.Message: Encodable {
    private enum CodingKeys: String, CodingKey {
        case id, seq, body, html, card, version
        case conversation = "conversation_id"
        case sender = "sender_id"
        case reply = "reply_to"
        case createdAt = "created_at"
        case editedAt = "edited_at"
        case deletedAt = "deleted_at"
        case isHidden = "is_hidden"
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(conversation, forKey: .conversation)
        try container.encode(seq, forKey: .seq)
        try container.encode(sender, forKey: .sender)
        try container.encode(body, forKey: .body)
        try container.encode(html, forKey: .html)
        try container.encode(card, forKey: .card)
        try container.encode(reply, forKey: .reply)
        try container.encode(version, forKey: .version)
        try container.encode(createdAt, forKey: .createdAt)
        try container.encode(editedAt, forKey: .editedAt)
        try container.encode(deletedAt, forKey: .deletedAt)
        try container.encode(isHidden, forKey: .isHidden)
    }
}

extension Messages.Preview: Encodable {
    private enum CodingKeys: String, CodingKey {
        case id, seq, text
        case sender = "sender_id"
        case hasCard = "has_card"
        case createdAt = "created_at"
        case deletedAt = "deleted_at"
        case isHidden = "is_hidden"
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(seq, forKey: .seq)
        try container.encode(sender, forKey: .sender)
        try container.encode(text, forKey: .text)
        try container.encode(hasCard, forKey: .hasCard)
        try container.encode(createdAt, forKey: .createdAt)
        try container.encode(deletedAt, forKey: .deletedAt)
        try container.encode(isHidden, forKey: .isHidden)
    }
}

extension Messages.Conversation: Encodable {
    private enum CodingKeys: String, CodingKey {
        case id, reader, unread
        case canWrite = "can_write"
        case isArchived = "is_archived"
        case isMuted = "is_muted"
        case readSeq = "read_seq"
        case theirReadSeq = "their_read_seq"
        case lastSeq = "last_seq"
        case last = "last_message"
        case createdAt = "created_at"
        case activeAt = "active_at"
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(reader, forKey: .reader)
        try container.encode(canWrite, forKey: .canWrite)
        try container.encode(isArchived, forKey: .isArchived)
        try container.encode(isMuted, forKey: .isMuted)
        try container.encode(unread, forKey: .unread)
        try container.encode(readSeq, forKey: .readSeq)
        try container.encode(theirReadSeq, forKey: .theirReadSeq)
        try container.encode(lastSeq, forKey: .lastSeq)
        try container.encode(last, forKey: .last)
        try container.encode(createdAt, forKey: .createdAt)
        try container.encode(activeAt, forKey: .activeAt)
    }
}

extension Messages.Reading: Encodable {
    private enum CodingKeys: String, CodingKey {
        case unread
        case readSeq = "read_seq"
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(readSeq, forKey: .readSeq)
        try container.encode(unread, forKey: .unread)
    }
}

extension Messages.Settings: Encodable {
    private enum CodingKeys: String, CodingKey { case readReceipts = "read_receipts" }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(readReceipts, forKey: .readReceipts)
    }
}
