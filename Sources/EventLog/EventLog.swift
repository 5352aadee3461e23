import Postgres

/// The event log: what happened in the community, in one order, for everybody who follows it.
///
/// A write calls `append` in its own transaction: one row in `outbox`. The `Relay` (one at work in a cluster) moves
/// committed rows into `event` and gives each the next `seq`: dense, in the order in which commits became visible.
/// Every process has a `Tail`, which reads the log after its last seq and hands each batch on. A `Subscription` joins
/// the replay of old events to the live ones without a hole or a repeat. `README.md` beside this file explains why each
/// part is as it is.
///
/// - Tables: `outbox`, `event`, `event_topic` (both in partitions), `event_topic_head`, `event_head`; the epoch is `server.epoch`.
/// - Limits: 64 topics and 16 KiB of data for one event; 500 events in one move of the relay; `Keeping` says how long they stay.
package enum EventLog: Recounting {
    /// Adds `event` to the outbox, in the transaction of the act that it tells of.
    ///
    /// Throws `PostgresError` as any statement does; a topic named twice counts once.
    package static func append(_ event: NewEvent, in queryable: some Queryable) async throws {
        try await queryable.run(Statements.Append(event: event))
    }

    /// Empties the payload of everything that `owner` said, in the outbox and in the log, and keeps each place. For the
    /// end of an account, in its transaction; nothing of that owner may be written at the same time.
    package static func redact(of owner: Int64, in queryable: some Queryable) async throws {
        // First the outbox: what the relay moves meanwhile has then a place in the log, where the second statement
        // finds it.
        try await queryable.run(Statements.RedactOutbox(owner: owner))
        try await queryable.run(Statements.RedactLog(owner: owner))
    }

    /// Puts `value` at `path` of everything that `owner` said, in the outbox and in the log, where an object with the
    /// owner's id and with all members of `value` stands there: how the log names somebody who changed names. Places
    /// and order stay. Nothing of that owner may be written at the same time.
    package static func replace(
        at path: [String], of owner: Int64, with value: JSON, in queryable: some Queryable
    ) async throws {
        // First the outbox, for the same reason.
        let replacement = Statements.Replacement(owner: owner, path: path, value: value)
        try await queryable.run(Statements.ReplaceInOutbox(replacement: replacement))
        try await queryable.run(Statements.ReplaceInLog(replacement: replacement))
    }

    /// The position that the log is at now. Read it **before** the data that it stands for: a client that follows from
    /// it may then see an event again whose effect it has read already, and never misses one.
    package static func position(in queryable: some Queryable) async throws -> StreamCursor {
        try await queryable.one(Statements.ReadHead()).position
    }
}

/// Whom an event concerns: the name of a chain in the log, `kind:id` or one word.
package struct Topic: Hashable, Sendable {
    package let name: String

    package init(_ name: String) { self.name = name }

    /// What reader `id` did, for the home feeds of friends.
    package static func reader(_ id: Int64) -> Topic { Topic("reader:\(id)") }
    /// What happened around a book (the work).
    package static func book(_ id: Int64) -> Topic { Topic("book:\(id)") }
    /// What is said in a thread.
    package static func thread(_ id: Int64) -> Topic { Topic("thread:\(id)") }
    /// What two readers write to each other.
    package static func conversation(_ id: Int64) -> Topic { Topic("conversation:\(id)") }
    /// What happens in a group of readers.
    package static func group(_ id: Int64) -> Topic { Topic("group:\(id)") }
    /// What is for reader `id` alone.
    package static func inbox(_ id: Int64) -> Topic { Topic("inbox:\(id)") }
    /// What is for everybody who is signed in.
    package static let server = Topic("server")
    /// What is for moderators.
    package static let moderation = Topic("moderation")
    /// Books that are read more than is usual: a state, of which the log holds nothing.
    package static let trending = Topic("trending")
    /// What the servers tell each other: ended sessions, changed friendships. Never subscribable from outside.
    package static let control = Topic("control")
}

/// An event that has no place in the log yet.
package struct NewEvent: Sendable {
    /// Made by `IDMaker`.
    package let id: Int64
    /// `domain.fact`, in the past: `review.posted`. At most 60 characters of `a-z _ .`.
    package let kind: String
    /// Version of the shape of `data`, from 1.
    package let version: Int
    /// 1...64.
    package let topics: [Topic]
    /// The account whose thing it is about, where it has an owner.
    package let owner: Int64?
    /// What `subject` names (`review`, …); both or neither.
    package let subjectKind: String?
    /// What a viewer must be allowed to see at the time of delivery.
    package let subject: Int64?
    package let at: Timestamp
    /// The public payload: an object, at most 16 KiB as text.
    package let data: JSON

    package init(
        id: Int64, kind: String, version: Int = 1, topics: [Topic], owner: Int64? = nil, subjectKind: String? = nil,
        subject: Int64? = nil, at: Timestamp, data: JSON
    ) {
        self.id = id
        self.kind = kind
        self.version = version
        self.topics = topics
        self.owner = owner
        self.subjectKind = subjectKind
        self.subject = subject
        self.at = at
        self.data = data
    }
}

/// An event with its place in the log.
package struct LoggedEvent: Sendable {
    /// Place in the one order of the community: 1, 2, 3, … without holes.
    package let seq: Int64
    package let id: Int64
    package let kind: String
    package let version: Int
    /// The topics it stands on, each with the seq before it there (0 for the first).
    package let places: [Place]
    package let owner: Int64?
    package let subjectKind: String?
    package let subject: Int64?
    package let at: Timestamp
    package let data: JSON

    /// One link of one topic's chain.
    package struct Place: Hashable, Sendable {
        package let topic: Topic
        package let prev: Int64

        package init(topic: Topic, prev: Int64) {
            self.topic = topic
            self.prev = prev
        }
    }

    package init(
        seq: Int64, id: Int64, kind: String, version: Int, places: [Place], owner: Int64?, subjectKind: String?,
        subject: Int64?,
        at: Timestamp, data: JSON
    ) {
        self.seq = seq
        self.id = id
        self.kind = kind
        self.version = version
        self.places = places
        self.owner = owner
        self.subjectKind = subjectKind
        self.subject = subject
        self.at = at
        self.data = data
    }
}
