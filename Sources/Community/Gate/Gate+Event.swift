import EventLog
import JSONWriting
import Postgres

extension Gate {
    /// What opened for a reader.
    struct Unlocked: Hashable, Sendable, JSONForm {
        let book: ID<Catalog.Work>
        /// Posts that the reader may see: exact, at most `Limits.gate.unlocked`.
        let count: Int
        /// There are more than that, or may be: not all were looked at.
        let isMore: Bool
        /// The newest ones, at most `Limits.gate.unlockedNamed`.
        let ids: [ID<Boards.Post>]

        init(book: ID<Catalog.Work>, posts: [ID<Boards.Post>], isCut: Bool) {
            self.book = book
            count = min(posts.count, Limits.gate.unlocked)
            isMore = isCut || posts.count > Limits.gate.unlocked
            ids = Array(posts.prefix(Limits.gate.unlockedNamed))
        }

        func put(into object: JSONObject) {
            object.put("book", idOf: book)
            object.put("post_count", count)
            object.put("has_more", isMore)
            object.put("ids", ids)
        }
    }

    /// A post that gives away another part of its book from now on.
    struct Rescoped: Hashable, Sendable, JSONForm {
        let post: ID<Boards.Post>
        let thread: ID<Boards.Thread>
        let scope: Scope

        func put(into object: JSONObject) {
            object.put("post", placeOf: post, in: thread)
            object.put("scope", scope)
        }
    }

    /// The kinds of its events.
    enum EventKind: String, Sendable, CaseIterable {
        case unlocked = "posts.unlocked"
        case raised = "post.raised"
        case lowered = "post.lowered"
    }

    enum Event: Sendable {
        /// In the reader's inbox; version 1: `{"book": {"id"}, "count", "more", "ids"}`.
        case unlocked(Unlocked, for: ID<Accounts.Account>)
        /// In the author's inbox, who does not hear whose doing it is; version 1: `{"post": {"id", "thread_id"},
        /// "scope"}`. `isRaised`: `post.raised`, else `post.lowered`.
        case rescoped(Rescoped, isRaised: Bool, of: ID<Accounts.Account>)
        /// The same for followers of the thread; delivered as the post's text is, or as its placeholder.
        case told(Rescoped, isRaised: Bool, text: ID<Boards.Text>, author: ID<Accounts.Account>)

        var kind: EventKind {
            switch self {
            case .unlocked: .unlocked
            case .rescoped(_, let isRaised, _), .told(_, let isRaised, _, _): isRaised ? .raised : .lowered
            }
        }

        private var topic: Topic {
            switch self {
            case .unlocked(_, let reader), .rescoped(_, _, let reader): .inbox(reader.rawValue)
            case .told(let rescoped, _, _, _): .thread(rescoped.thread.rawValue)
            }
        }

        private func data() throws -> JSON {
            switch self {
            case .unlocked(let unlocked, _): try JSON(encoding: unlocked)
            case .rescoped(let rescoped, _, _), .told(let rescoped, _, _, _): try JSON(encoding: rescoped)
            }
        }

        /// The row of the outbox.
        func row(_ services: Services) throws -> NewEvent {
            let id = try services.ids.make(Event.self).rawValue
            let now = services.clock.now()
            guard case .told(_, _, let text, let author) = self else {
                return NewEvent(id: id, kind: kind.rawValue, version: 1, topics: [topic], at: now, data: try data())
            }
            return NewEvent(
                id: id, kind: kind.rawValue, version: 1, topics: [topic], owner: author.rawValue,
                subjectKind: EventSubject.text.name, subject: text.rawValue, at: now, data: try data())
        }

        /// Writes the event into the outbox, as part of `transaction`.
        func append(in transaction: some Queryable, services: Services) async throws {
            try await EventLog.append(try row(services), in: transaction)
        }
    }
}
