import EventLog
import JSONWriting
import MarkdownReading
import Postgres

extension Boards {
    /// The kinds of its events.
    enum EventKind: String, Sendable, CaseIterable {
        case opened = "thread.opened"
        case changed = "thread.changed"
        case created = "post.created"
        case edited = "post.edited"
        case deleted = "post.deleted"
        case restored = "post.restored"
        /// One reaction more or less: `{"post": {"id", "thread_id"}, "reactions"}`, all its counts, to the thread. See
        /// `Post.reacting`.
        case reacted = "post.reacted"
    }

    /// What happens on boards, told to those who follow the thread (`thread:T`) or its board: `book:W` on a book's own,
    /// `group:G` on a group's. Version 1 of each.
    ///
    /// A post that is told is the post as the API shows it to readers who may not see inline spoilers. Its subject is
    /// the text that it tells: it is delivered only while that is the post's, and to those for whom gate and author
    /// open it. The title of a thread stands in events of its first post alone: those of replies may open to readers
    /// whom the first post, raised since, does not.
    enum Event: Sendable {
        /// To the board: `{"post", "thread": {"id", "kind", "title", "book_id", "group_id"}, "is_cut"}`.
        case opened(Thread, Told)
        /// To the thread, the same without a title.
        case created(Thread, Told)
        /// Text, title or scope changed: to the thread, of a first post to the board as well; the same.
        case edited(Thread, Told)
        /// Deleted or hidden. Names alone, and not the author's: `{"post": {"id", "thread_id"}, "thread": {"id",
        /// "book_id", "group_id", "is_gone"}}`. To the thread, of a first post, and of the last one that stood, to the
        /// board as well.
        case deleted(Gone)
        /// Hidden no more: `{"post": {"id", "thread_id"}}`; those who may see it read what it says. To thread and
        /// board.
        case restored(ModeratedPost, in: ModeratedThread)
        /// Locked or pinned, or no more: `{"thread": {"id", "is_locked", "is_pinned"}}`, to thread and board.
        case changed(ModeratedThread, isLocked: Bool, isPinned: Bool)

        /// The thread that it happened in.
        struct Thread: Sendable {
            let id: ID<Boards.Thread>
            let kind: Kind
            let book: ID<Catalog.Work>?
            /// On whose board it stands; `nil`: on the book's own.
            let group: ID<Groups.Group>?
            var title: String?

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
                var told = post
                // What is one viewer's is told to nobody.
                (told.author, told.text, told.ownReactions, told.isMuted) = (author, text, [], nil)
                self.post = told
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

        var kind: EventKind {
            switch self {
            case .opened: .opened
            case .created: .created
            case .edited: .edited
            case .deleted: .deleted
            case .restored: .restored
            case .changed: .changed
            }
        }

        /// The row of the outbox. Of what names no text the subject is the level at which its author is seen.
        func row(in services: Services) throws -> NewEvent {
            switch self {
            case .opened(let thread, let told), .created(let thread, let told), .edited(let thread, let told):
                try row(told.post.author.id, .text, told.text.rawValue, try Self.data(told.post, in: thread), services)
            case .deleted(let gone):
                try row(gone.author, .level, Int64(gone.level.rawValue), try JSON(encoding: gone), services)
            case .restored(let post, let thread):
                try row(
                    post.author, .level, Int64(post.level.rawValue),
                    try JSON.object { $0.put("post", placeOf: post.id, in: thread.id) }, services)
            case .changed(let thread, let isLocked, let isPinned):
                try row(
                    thread.author, .level, Int64(Visibility.members.rawValue),
                    try JSON.object { object in
                        object.put("thread") {
                            $0.put("id", thread.id)
                            $0.put("is_locked", isLocked)
                            $0.put("is_pinned", isPinned)
                        }
                    }, services)
            }
        }

        private func row(
            _ owner: ID<Accounts.Account>, _ subject: EventSubject, _ id: Int64, _ data: JSON, _ services: Services
        ) throws -> NewEvent {
            NewEvent(
                id: try services.ids.make(Event.self).rawValue, kind: kind.rawValue, version: 1, topics: topics,
                owner: owner.rawValue, subjectKind: subject.name, subject: id, at: services.clock.now(), data: data)
        }

        /// Followers of a board hear of threads, and followers of a thread of its posts.
        private var topics: [Topic] {
            switch self {
            case .opened(let thread, _): thread.board
            case .created(let thread, _): [.thread(thread.id.rawValue)]
            case .edited(let thread, let told):
                [.thread(thread.id.rawValue)] + (told.post.opens != nil ? thread.board : [])
            case .deleted(let gone):
                [.thread(gone.thread.rawValue)]
                    + (gone.isFirst || gone.isLast ? Self.board(gone.book, gone.group) : [])
            case .restored(_, let thread), .changed(let thread, _, _):
                [.thread(thread.id.rawValue)] + Self.board(thread.book, thread.group)
            }
        }
    }
}
