import EventLog
import FoundationEssentials
import Postgres

extension Boards {
    /// What a change of a post tells others, to `thread:T`, and to `book:W` or `group:G` where it is a thread's first
    /// post.
    ///
    /// Version 1 of each carries the post as the API shows it to whoever may not see inline spoilers. Its subject is
    /// the text that it tells: it is delivered only while that is the post's, and to those for whom gate and author
    /// open it. The title of a thread stands in events of its first post alone: those of replies may open to readers
    /// whom the first post, raised since, does not.
    enum Event: Sendable {
        case opened(Thread, Told)
        case created(Thread, Told)
        /// Text, title or scope changed.
        case edited(Thread, Told)
        /// Carries ids only.
        case deleted(Gone)

        /// The thread that it happened in.
        struct Thread: Sendable {
            let id: ID<Boards.Thread>
            let kind: Kind
            let book: ID<Catalog.Work>?
            /// On whose board it stands; `nil`: on the book's own.
            let group: ID<Groups.Group>?
            let title: String?

            var board: [Topic] { Event.board(book, group) }
        }

        /// The topic of a board.
        static func board(_ book: ID<Catalog.Work>?, _ group: ID<Groups.Group>?) -> [Topic] {
            if let group { return [.group(group.rawValue)] }
            return book.map { [.book($0.rawValue)] } ?? []
        }

        /// A post in the form that is told.
        struct Told: Sendable {
            let post: Post
            /// The text that is told, by its id.
            let text: ID<Text>

            /// `author`: by the name that everybody is told.
            init(_ post: Post, by author: Accounts.Reader, _ text: Markdown.Text, _ id: ID<Text>) {
                self.init(
                    post, by: author, id,
                    as: Text(
                        body: text.veiled?.body ?? text.body, html: text.veiled?.html ?? text.html,
                        isVeiled: text.veiled != nil))
            }

            init(_ post: Post, by author: Accounts.Reader, _ id: ID<Text>, as text: Text) {
                self.post = Post(
                    id: post.id, thread: post.thread, number: post.number, parent: post.parent, depth: post.depth,
                    author: author, opens: post.opens, scope: post.scope, also: post.also, quoted: post.quoted,
                    text: text, replies: post.replies, reactions: post.reactions, version: post.version,
                    createdAt: post.createdAt, editedAt: post.editedAt)
                self.text = id
            }
        }

        /// A post that was deleted.
        struct Gone: Sendable {
            let post: ID<Post>
            let thread: ID<Boards.Thread>
            let book: ID<Catalog.Work>?
            let group: ID<Groups.Group>?
            let author: ID<Accounts.Account>
            /// Who could see what its author says.
            let level: Visibility
            let isFirst: Bool
            /// The whole thread went with it.
            let isLast: Bool
        }

        var kind: String {
            switch self {
            case .opened: "thread.opened"
            case .created: "post.created"
            case .edited: "post.edited"
            case .deleted: "post.deleted"
            }
        }

        /// The row of the outbox.
        func row(in house: House) throws -> NewEvent {
            let id = try house.ids.make(Event.self).rawValue
            switch self {
            case .opened(let thread, let told), .created(let thread, let told), .edited(let thread, let told):
                return NewEvent(
                    id: id, kind: kind, version: 1, topics: topics(thread.board, thread.id),
                    owner: told.post.author.id.rawValue,
                    subjectKind: Feed.Subject.text.rawValue, subject: told.text.rawValue, at: house.clock.now(),
                    data: try Payload.data(told.post, in: thread))
            case .deleted(let gone):
                return NewEvent(
                    id: id, kind: kind, version: 1, topics: topics(Self.board(gone.book, gone.group), gone.thread),
                    owner: gone.author.rawValue,
                    subjectKind: Feed.Subject.level.rawValue, subject: Int64(gone.level.rawValue),
                    at: house.clock.now(), data: try JSON(encoding: gone))
            }
        }

        /// Whoever follows a board hears of threads, and whoever follows a thread of its posts.
        private func topics(_ board: [Topic], _ thread: ID<Boards.Thread>) -> [Topic] {
            switch self {
            case .opened: board
            case .created: [.thread(thread.rawValue)]
            case .edited(_, let told): [.thread(thread.rawValue)] + (told.post.opens != nil ? board : [])
            case .deleted(let gone): [.thread(thread.rawValue)] + (gone.isFirst || gone.isLast ? board : [])
            }
        }
    }

    /// The payload of all but `post.deleted`: the post, its thread, and whether the text is cut.
    private struct Payload: Encodable {
        let post: Post
        let thread: Event.Thread
        let isCut: Bool

        enum CodingKeys: String, CodingKey {
            case post, thread
            case isCut = "is_cut"
        }

        /// As much of the text as an event has room for; its HTML may be many times as long.
        static func data(_ post: Post, in thread: Event.Thread) throws -> JSON {
            for room in [Limits.Boards.bodyBytes, 8_000, 3_000, 800, 200, 0] {
                let bytes = [UInt8](try JSONEncoder().encode(Payload(post, in: thread, room: room)))
                if bytes.count <= size { return JSON(bytes: bytes) }
            }
            throw Failure.invalid("/body", "too_long", "the event would be too large")
        }

        /// Bytes of JSON that an event may have, with room for the spaces that the database adds.
        private static let size = 15_000

        /// `room`: bytes of the text, cut between characters. What is cut is rendered anew, so that its HTML is whole.
        private init(_ post: Post, in thread: Event.Thread, room: Int) {
            self.thread = thread
            isCut = post.text.body.utf8.count > room
            guard isCut else {
                self.post = post
                return
            }
            let cut = Markdown.render(post.text.body.clipped(to: room).text ?? "")
            self.post = Post(
                id: post.id, thread: post.thread, number: post.number, parent: post.parent, depth: post.depth,
                author: post.author, opens: post.opens, scope: post.scope, also: post.also, quoted: post.quoted,
                text: Text(
                    body: cut.veiled?.body ?? cut.body, html: cut.veiled?.html ?? cut.html,
                    isVeiled: post.text.isVeiled),
                replies: post.replies, reactions: post.reactions, version: post.version, createdAt: post.createdAt,
                editedAt: post.editedAt)
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

// Without its author: those to whom it was gated until now were never told whose it was, and what is left of a post says so of none.
extension Boards.Event.Gone: Encodable {
    private enum CodingKeys: String, CodingKey {
        case post = "post_id"
        case thread = "thread_id"
        case book = "book_id"
        case group = "group_id"
        case isLast = "is_thread_gone"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(post, forKey: .post)
        try container.encode(thread, forKey: .thread)
        try container.encode(book, forKey: .book)
        try container.encode(group, forKey: .group)
        try container.encode(isLast, forKey: .isLast)
    }
}
