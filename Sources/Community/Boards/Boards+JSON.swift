// The form of threads and posts in replies and in events: the same, so that a client that hears of a post need not ask
// for it.

extension Boards.Kind: Encodable {}
extension Boards.Watching: Encodable {}
extension Reaction: Encodable, CodingKey {}

extension Boards.Also: Encodable {
    private enum CodingKeys: String, CodingKey {
        case book = "book_id"
        case scope
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(book, forKey: .book)
        try container.encode(scope, forKey: .scope)
    }
}

extension Boards.Post: Encodable {
    private enum CodingKeys: String, CodingKey {
        case id, number, depth, author, kind, scope, also, body, html, replies, reactions, version
        case thread = "thread_id"
        case parent = "parent_id"
        case answers = "in_reply_to"
        case quoted = "quoted_id"
        case isVeiled = "is_veiled"
        case ownReactions = "own_reactions"
        case createdAt = "created_at"
        case editedAt = "edited_at"
        case isMuted = "is_muted"
    }

    /// `kind` is that of a placeholder: `reply`, or the kind of the thread that it opens.
    package var kindName: String { opens?.rawValue ?? Self.reply }

    /// The kind of a post that opens no thread.
    package static let reply = "reply"

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(thread, forKey: .thread)
        try container.encode(number, forKey: .number)
        try container.encode(parent, forKey: .parent)
        try container.encode(answers, forKey: .answers)
        try container.encode(depth, forKey: .depth)
        try container.encode(author, forKey: .author)
        try container.encode(kindName, forKey: .kind)
        try container.encode(scope, forKey: .scope)
        try container.encode(also, forKey: .also)
        try container.encode(quoted, forKey: .quoted)
        try container.encode(text.body, forKey: .body)
        try container.encode(text.html, forKey: .html)
        try container.encode(text.isVeiled, forKey: .isVeiled)
        try container.encode(replies, forKey: .replies)
        try container.encode(ReactionCounts(reactions), forKey: .reactions)
        try container.encode(Reaction.allCases.filter(ownReactions.contains), forKey: .ownReactions)
        try container.encode(version, forKey: .version)
        try container.encode(createdAt, forKey: .createdAt)
        try container.encode(editedAt, forKey: .editedAt)
        try container.encodeIfPresent(isMuted, forKey: .isMuted)
    }
}

extension Boards.Tombstone: Encodable {
    private enum CodingKeys: String, CodingKey {
        case id, deleted, number, depth
        case parent = "parent_id"
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(true, forKey: .deleted)
        try container.encode(number, forKey: .number)
        try container.encode(parent, forKey: .parent)
        try container.encode(depth, forKey: .depth)
    }
}

extension Boards.Shown: Encodable {
    /// A post, `{id, gated: true, kind, position}`, or `{id, deleted: true, number, parent_id, depth}`.
    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .whole(let post): try post.encode(to: encoder)
        case .gated(let placeholder): try placeholder.encode(to: encoder)
        case .tombstone(let tombstone): try tombstone.encode(to: encoder)
        }
    }
}

extension Boards.Thread: Encodable {
    fileprivate enum CodingKeys: String, CodingKey {
        case id, author, kind, title, scope, replies, reactions, posts, unread, watching, version
        case book = "book_id"
        case group = "group_id"
        case isLocked = "is_locked"
        case isPinned = "is_pinned"
        case createdAt = "created_at"
        case lastPostAt = "last_post_at"
        case isMuted = "is_muted"
        case first = "first_post"
        case readNumber = "read_number"
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try encode(into: &container)
    }

    fileprivate func encode(into container: inout KeyedEncodingContainer<CodingKeys>) throws {
        try container.encode(id, forKey: .id)
        try container.encode(book, forKey: .book)
        try container.encode(group, forKey: .group)
        try container.encode(author, forKey: .author)
        try container.encode(kind, forKey: .kind)
        try container.encode(title, forKey: .title)
        try container.encode(scope, forKey: .scope)
        try container.encode(replies, forKey: .replies)
        try container.encode(reactions, forKey: .reactions)
        try container.encode(posts, forKey: .posts)
        try container.encode(unread, forKey: .unread)
        try container.encode(watching, forKey: .watching)
        try container.encode(isLocked, forKey: .isLocked)
        try container.encode(isPinned, forKey: .isPinned)
        try container.encode(version, forKey: .version)
        try container.encode(createdAt, forKey: .createdAt)
        try container.encode(lastPostAt, forKey: .lastPostAt)
        try container.encode(isMuted, forKey: .isMuted)
    }
}

extension Boards.ShownThread: Encodable {
    /// A thread, or `{id, gated: true, kind, position}`.
    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .whole(let thread): try thread.encode(to: encoder)
        case .gated(let placeholder): try placeholder.encode(to: encoder)
        }
    }
}

extension Boards.OpenThread: Encodable {
    /// A thread with `first_post` and `read_number`, or `{id, gated: true, kind, position}`.
    package func encode(to encoder: any Encoder) throws {
        guard case .whole(let whole) = thread else { return try thread.encode(to: encoder) }
        var container = encoder.container(keyedBy: Boards.Thread.CodingKeys.self)
        try whole.encode(into: &container)
        try container.encode(first, forKey: .first)
        try container.encode(readNumber, forKey: .readNumber)
    }
}
