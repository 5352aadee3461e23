import Postgres

extension Boards.Event {
    /// The payload of a post that is told: the post, its thread, and whether the text is cut.
    struct Payload: Encodable {
        let post: Boards.Post
        let thread: Thread
        let isCut: Bool

        enum CodingKeys: String, CodingKey {
            case post, thread
            case isCut = "is_cut"
        }

        static func data(_ post: Boards.Post, in thread: Thread) throws -> JSON {
            try JSON.fitting(Limits.Boards.bodyBytes) { Payload(post, in: thread, room: $0) }
        }

        /// `room`: bytes of the text, cut between characters. What is cut is rendered anew, so that its HTML is whole.
        private init(_ post: Boards.Post, in thread: Thread, room: Int) {
            self.thread = thread
            isCut = post.text.body.utf8.count > room
            var told = post
            if isCut {
                let cut = Markdown.render(post.text.body.clipped(to: room).text ?? "")
                told.text = Boards.Text(
                    body: cut.veiled?.body ?? cut.body, html: cut.veiled?.html ?? cut.html,
                    isVeiled: post.text.isVeiled)
            }
            self.post = told
        }
    }

    /// How events name a post of which they do not tell what it says.
    struct Place: Encodable {
        let id: ID<Boards.Post>
        let thread: ID<Boards.Thread>

        enum CodingKeys: String, CodingKey {
            case id
            case thread = "thread_id"
        }
    }

    /// How a thread stands.
    struct Standing: Encodable {
        let id: ID<Boards.Thread>
        let isLocked: Bool
        let isPinned: Bool

        enum CodingKeys: String, CodingKey {
            case id
            case isLocked = "is_locked"
            case isPinned = "is_pinned"
        }
    }
}

extension Boards.Event.Thread: Encodable {
    private enum CodingKeys: String, CodingKey {
        case id, kind, title
        case book = "book_id"
        case group = "group_id"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(kind, forKey: .kind)
        try container.encodeIfPresent(title, forKey: .title)
        try container.encode(book, forKey: .book)
        try container.encode(group, forKey: .group)
    }
}

// Without its author: those to whom it was gated until now were never told whose it was, and what is left of a post
// says so of none.
extension Boards.Event.Gone: Encodable {
    private enum CodingKeys: String, CodingKey {
        case post, thread
    }

    private struct Left: Encodable {
        let id: ID<Boards.Thread>
        let book: ID<Catalog.Work>?
        let group: ID<Groups.Group>?
        let isGone: Bool

        enum CodingKeys: String, CodingKey {
            case id
            case book = "book_id"
            case group = "group_id"
            case isGone = "is_gone"
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            try container.encode(book, forKey: .book)
            try container.encode(group, forKey: .group)
            try container.encode(isGone, forKey: .isGone)
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Boards.Event.Place(id: post, thread: thread), forKey: .post)
        try container.encode(Left(id: thread, book: book, group: group, isGone: isLast), forKey: .thread)
    }
}
