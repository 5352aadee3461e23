import Postgres

/// What readers are told of: that somebody answered, mentioned, quoted or reacted to them, asked them for friendship,
/// or wrote where they follow.
///
/// - **Grouped**: one row for a reader, a kind and a subject while it is unread. Another actor or another post moves it
///   up, unseen again; once it was read, the next begins a new one. It knows each actor once, at most 100, and shows
///   the newest three.
/// - **How it comes about**: whoever writes puts a `Tell` into the queue, in the same transaction. It tells at most 500
///   readers in a transaction and puts the rest behind itself. Nobody is told of the same thing twice: neither when a
///   job runs again, nor when a reaction is taken back and given again.
/// - **Of one post a reader is told once**, as the first that fits: a reply to what they said, a mention, a quote, a
///   post in a thread that they follow. An edit tells those whom it mentions.
/// - **Never told**: the actor; whoever may not see the actor or the post (`Visibility`, so nobody across a block); who
///   muted the thread or the board, except that one's own post was raised; who switched the kind off; whoever has no
///   reach.
/// - **Shown as things are now**: rows hold no text. Actors, posts, titles and excerpts are looked up when they are
///   read, through `Visibility` and `Gate`: an actor who was blocked or whose post is gone drops out; a gated post or
///   title is its placeholder; excerpts hold no inline spoiler. One without anything to show is left out.
/// - **Counted as stored**: `reader_tally.unread_notifications` is the number of unread rows, exact at every commit,
///   those with nothing to show included until the daily sweep takes them; reading all takes them at once.
/// - **Mail**: where reader and kind want it, of what has been unread for 15 minutes, one mail with all that gathered,
///   at most one an hour, to proven addresses. Usual: what waits for an answer (`post.reply`, `post.mention`,
///   `friend.requested`).
/// - **Kept**: 90 days and the newest 1,000 of each reader; the daily sweep takes the rest.
/// - **A new kind** is a case of `Kind` with its deed, a line of `Catalogue`, and a call: `Tell.told` where it concerns one
///   reader, in the transaction of what happened.
///
/// Tables: `notification`, `notification_actor`, `notification_setting`. Counter: `reader_tally.unread_notifications`.
/// Events (v1): `notification.new` `{notification: {id, kind, actor_count}, unread}` to `inbox:R`, owned by the actor.
/// Jobs: `Tell`, `Forget`, and by schedule `Digest` (each minute) and `Sweep` (daily). Limits: `Limits.Notifications`.
/// Locks are taken in the order account, notification (by reader), reader_tally.
package enum Notifications {
    enum Statements {}
}

extension Notifications {
    /// What happened.
    package enum Kind: String, Sendable, CaseIterable, PostgresText, Codable, CodingKey {
        /// Somebody answered the reader's post; grouped by that.
        case postReply = "post.reply"
        /// Somebody wrote in a thread that the reader follows; grouped by that.
        case threadReply = "thread.reply"
        /// Somebody named the reader; grouped by thread.
        case postMention = "post.mention"
        /// Somebody quoted the reader's post; grouped by that.
        case postQuote = "post.quote"
        /// Somebody reacted to the reader's post; grouped by that.
        case postReaction = "post.reaction"
        /// The reader's post is shown to fewer; nobody is named.
        case postRaised = "post.raised"
        /// Somebody opened a thread on a board that the reader follows; grouped by book.
        case boardThread = "board.thread"
        case friendRequested = "friend.requested"
        case friendAccepted = "friend.accepted"

        /// What its actors did, by which it is known whether they are still to be named.
        enum Deed: CaseIterable {
            /// They wrote the post that is their cause.
            case post
            /// They reacted to the post that is.
            case reaction
            /// They sent the request that is.
            case request
            /// Nothing that could be taken back: they are named while they are to be seen.
            case plain
            /// There are none; it is about the post that is the subject.
            case nobody
        }

        var deed: Deed {
            switch self {
            case .postReply, .threadReply, .postMention, .postQuote, .boardThread: .post
            case .postReaction: .reaction
            case .postRaised: .nobody
            case .friendRequested: .request
            case .friendAccepted: .plain
            }
        }

        /// What holds for whoever chose nothing.
        package var usual: Channels {
            switch self {
            case .postReply, .postMention, .friendRequested: Channels(inbox: true, mail: true)
            default: Channels(inbox: true, mail: false)
            }
        }

        /// The kinds that are usually mailed, for an SQL list.
        static var mailed: String {
            allCases.filter(\.usual.mail).map { "'\($0.rawValue)'" }.joined(separator: ", ")
        }

        /// The kinds with such a deed, for an SQL list.
        static func list(_ deeds: Deed...) -> String {
            allCases.filter { deeds.contains($0.deed) }.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        }
    }

    /// Where a reader is told of a kind.
    package struct Channels: Hashable, Sendable, Encodable {
        /// Without it nothing of the kind is told.
        package let inbox: Bool
        /// Also by mail, while it is unread.
        package let mail: Bool

        package init(inbox: Bool, mail: Bool) {
            self.inbox = inbox
            self.mail = mail
        }
    }

    /// A notification as its reader sees it now.
    package struct Item: Hashable, Sendable {
        package let id: ID<Item>
        package let kind: Kind
        /// Newest first, at most `Limits.Notifications.shownActors`.
        package let actors: [Accounts.Reader]
        /// All that the reader may see.
        package let actorCount: Int
        package let book: Reviews.Book?
        package let thread: Thread?
        /// The newest post that it tells of, or the reader's own where others reacted or it was raised.
        package let post: Post?
        /// The first `Limits.Notifications.excerpt` characters of that post without marks and inline spoilers; `nil`
        /// where it is gated.
        package let excerpt: String?
        package let at: Timestamp
        package let isRead: Bool
        package let isSeen: Bool

        package var key: Key { Key(at: at, id: id) }
        /// One sentence.
        package var text: String { Catalogue.text(kind, actors: actors.map(\.username), count: actorCount) }
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

    /// Which ones are wanted.
    package struct Filter: Hashable, Sendable {
        package let isUnread: Bool
        package let kind: Kind?

        package init(isUnread: Bool = false, kind: Kind? = nil) {
            self.isUnread = isUnread
            self.kind = kind
        }

        package static let all = Filter()
    }

    /// A place in the list: newest first, to the microsecond.
    package struct Key: Hashable, Sendable, Codable {
        /// Microseconds since 1970: what JSON's milliseconds would cut off.
        let at: Int64
        let id: ID<Item>

        init(at: Timestamp, id: ID<Item>) {
            self.at = at.microseconds
            self.id = id
        }

        var time: Timestamp { Timestamp(microseconds: at) }

        /// Before everything, newest first.
        static var first: Key { Key(at: .end, id: .max) }
    }
}

extension Notifications.Item: Encodable {
    private enum CodingKeys: String, CodingKey {
        case id, kind, text, actors, book, thread, post, excerpt, at
        case actorCount = "actor_count"
        case isRead = "is_read"
        case isSeen = "is_seen"
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(kind.rawValue, forKey: .kind)
        try container.encode(text, forKey: .text)
        try container.encode(actors, forKey: .actors)
        try container.encode(actorCount, forKey: .actorCount)
        try container.encode(book, forKey: .book)
        try container.encode(thread, forKey: .thread)
        try container.encode(post, forKey: .post)
        try container.encode(excerpt, forKey: .excerpt)
        try container.encode(at, forKey: .at)
        try container.encode(isRead, forKey: .isRead)
        try container.encode(isSeen, forKey: .isSeen)
    }
}

extension Notifications.Thread: Encodable {
    private enum CodingKeys: String, CodingKey { case id, title }

    /// `{id, title}`, or `{id, gated: true, kind, position}`.
    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .whole(let id, let title):
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            try container.encode(title, forKey: .title)
        case .gated(let placeholder): try placeholder.encode(to: encoder)
        }
    }
}

extension Notifications.Post: Encodable {
    private enum CodingKeys: String, CodingKey {
        case id, number
        case thread = "thread_id"
    }

    /// `{id, thread_id, number}`, or `{id, gated: true, kind, position}`.
    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .whole(let id, let thread, let number):
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            try container.encode(thread, forKey: .thread)
            try container.encode(number, forKey: .number)
        case .gated(let placeholder): try placeholder.encode(to: encoder)
        }
    }
}
