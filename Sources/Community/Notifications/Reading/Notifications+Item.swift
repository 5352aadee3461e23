import JSONWriting
import Postgres

extension Notifications {
    /// A notification as its reader sees it now.
    package struct Item: Hashable, Sendable {
        package let id: ID<Item>
        /// `nil` where this program does not know it: a newer one told it. Then nothing else is known of it.
        package let kind: Kind?
        /// Newest first, at most `Limits.notifications.shownActors`.
        package let actors: [Accounts.Reader]
        /// All that the reader may see.
        package let actorCount: Int
        package let book: Catalog.Book?
        package let thread: Thread?
        /// The newest post that it tells of, or the reader's own where others reacted or it was raised.
        package let post: Post?
        /// The review that it is about, and the newest reply to it that it tells of.
        package let review: Review?
        package let reply: ReviewReply?
        /// The group that it is about, or on whose board the post stands.
        package let group: Group?
        /// What moderators did, and how they decided a report of the reader's.
        package let act: Act?
        package let report: Report?
        /// The reader's own goal that was reached.
        package let goal: Goal?
        /// The first `Limits.notifications.excerpt` characters of that post, that reply or the reader's own review
        /// without marks and inline spoilers; `nil` where it is gated, and for bare stars.
        package let excerpt: String?
        package let at: Timestamp
        package let isRead: Bool
        package let isSeen: Bool

        package var key: Key { Key(at: at, id: id) }
        /// One sentence.
        package var text: String { act.map { "\(title): \($0.reason)" } ?? title }
        /// One line of it.
        var title: String {
            if let act { return Catalogue.text(act) }
            if let report { return Catalogue.text(report) }
            return Catalogue.text(kind, actors: actors.map(\.username), count: actorCount)
        }
    }

    package enum Thread: Hashable, Sendable {
        /// Without a title once the post that opened it is gone.
        case whole(ID<Boards.Thread>, title: String?)
        case gated(Gate.Placeholder)
    }

    package enum Post: Hashable, Sendable {
        case whole(ID<Boards.Post>, thread: ID<Boards.Thread>, number: Int)
        case gated(Gate.Placeholder)
    }

    package enum Review: Hashable, Sendable {
        case whole(ID<Reviews.Review>)
        case gated(Gate.Placeholder)
    }

    package enum ReviewReply: Hashable, Sendable {
        case whole(ID<Reviews.Reply>, review: ID<Reviews.Review>, number: Int)
        case gated(Gate.Placeholder)
    }

    package struct Group: Hashable, Sendable, Encodable {
        package let id: ID<Groups.Group>
        package let name: String
    }

    /// What moderators did to the reader, or took back. Who did it is not told.
    package struct Act: Hashable, Sendable, JSONForm {
        /// `post.hide`, `account.warn`, …
        let action: String
        /// To what: `post:7112`, `reader:ann`; of an act on many the first.
        let target: String
        /// To how many things of the reader's.
        let count: Int
        let reason: String
        /// When it ends by itself; `nil`: never.
        let until: Timestamp?
        let isByMachine: Bool

        package func put(into object: JSONObject) {
            object.put("action", action)
            object.put("target", target)
            object.put("target_count", count)
            object.put("reason", reason)
            object.put("until", until)
            object.put("is_decided_by_machine", isByMachine)
        }
    }

    package struct Goal: Hashable, Sendable, Encodable {
        package let year: Int
    }

    /// A report of the reader's that was decided: not what was done.
    package struct Report: Hashable, Sendable, JSONForm {
        let id: ID<Moderation.Report>
        let target: String
        let state: Moderation.Outcome

        package func put(into object: JSONObject) {
            object.put("id", id)
            object.put("target", target)
            object.put("state", state.rawValue)
        }
    }
}

extension Notifications.Item: JSONForm {
    package func put(into object: JSONObject) {
        object.put("id", id)
        object.put("kind", kind?.rawValue)
        object.put("text", text)
        object.put("actors", actors)
        object.put("actor_count", actorCount)
        object.put("book", book)
        object.put("thread", thread)
        object.put("post", post)
        object.put("review", review)
        object.put("reply", reply)
        object.put("group", group)
        object.put("act", act)
        object.put("report", report)
        object.put("goal", goal)
        object.put("excerpt", excerpt)
        object.put("created_at", at)
        object.put("is_read", isRead)
        object.put("is_seen", isSeen)
    }
}

extension Notifications.Thread: JSONWritable {
    /// `{id, state: "shown", title}`, or `{id, state: "gated", kind, position}`.
    package func write(to output: JSONOutput) {
        switch self {
        case .whole(let id, let title):
            output.object { object in
                object.put("id", id)
                object.put("state", Gate.shown)
                object.put("title", title)
            }
        case .gated(let placeholder): placeholder.write(to: output)
        }
    }
}

extension Notifications.Post: JSONWritable {
    /// `{id, state: "shown", thread_id, number}`, or `{id, state: "gated", kind, position}`.
    package func write(to output: JSONOutput) {
        switch self {
        case .whole(let id, let thread, let number):
            output.object { object in
                object.put("id", id)
                object.put("state", Gate.shown)
                object.put("thread_id", thread)
                object.put("number", number)
            }
        case .gated(let placeholder): placeholder.write(to: output)
        }
    }
}

extension Notifications.Review: JSONWritable {
    /// `{id, state: "shown"}`, or `{id, state: "gated", kind, position}`.
    package func write(to output: JSONOutput) {
        switch self {
        case .whole(let id):
            output.object { object in
                object.put("id", id)
                object.put("state", Gate.shown)
            }
        case .gated(let placeholder): placeholder.write(to: output)
        }
    }
}

extension Notifications.ReviewReply: JSONWritable {
    /// `{id, state: "shown", review_id, number}`, or `{id, state: "gated", kind, position}`.
    package func write(to output: JSONOutput) {
        switch self {
        case .whole(let id, let review, let number):
            output.object { object in
                object.put("id", id)
                object.put("state", Gate.shown)
                object.put("review_id", review)
                object.put("number", number)
            }
        case .gated(let placeholder): placeholder.write(to: output)
        }
    }
}
