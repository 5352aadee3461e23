import EventLog
import Postgres

extension Boards {
    /// What moderators did, as threads and boards are told: names of things and how they stand, no word of a text. A hidden post is told as a
    /// deleted one (`Event.deleted`).
    enum ModerationEvent: Sendable {
        /// Version 1: `{"thread":{"id","is_locked","is_pinned"}}`.
        case changed(ModeratedThread, isLocked: Bool, isPinned: Bool)
        /// Version 1: `{"post_id","thread_id"}`; what it says, whoever may see it reads.
        case restored(ModeratedPost, in: ModeratedThread)

        /// The row of the outbox.
        func row(in house: House) throws -> NewEvent {
            let id = try house.ids.make(ModerationEvent.self).rawValue
            switch self {
            case .changed(let thread, let isLocked, let isPinned):
                return NewEvent(
                    id: id, kind: "thread.changed", topics: thread.topics, owner: thread.author.rawValue,
                    subjectKind: Feed.Subject.level.rawValue, subject: Int64(Visibility.members.rawValue),
                    at: house.clock.now(),
                    data: try JSON(encoding: [
                        "thread": Changed(id: thread.id, isLocked: isLocked, isPinned: isPinned)
                    ]))
            case .restored(let post, let thread):
                return NewEvent(
                    id: id, kind: "post.restored", topics: thread.topics, owner: post.author.rawValue,
                    subjectKind: Feed.Subject.level.rawValue, subject: Int64(post.level.rawValue),
                    at: house.clock.now(),
                    data: try JSON(encoding: ["post_id": post.id.text, "thread_id": thread.id.text]))
            }
        }

        private struct Changed: Encodable {
            let id: ID<Thread>
            let isLocked: Bool
            let isPinned: Bool

            private enum CodingKeys: String, CodingKey {
                case id
                case isLocked = "is_locked"
                case isPinned = "is_pinned"
            }
        }
    }
}

extension Boards.ModeratedThread {
    /// Whoever is in it, and whoever follows the board.
    fileprivate var topics: [Topic] {
        [.thread(id.rawValue)] + Boards.Event.board(book, group)
    }
}
