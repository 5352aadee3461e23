/// Where to begin on a topic.
public enum StreamStart: Hashable, Sendable {
    /// With what happens from now on.
    case now
    /// After this position: `cursor` of an event, or `streamCursor` of a REST answer.
    case after(String)
}

/// What a stream tells.
public enum StreamUpdate: Sendable {
    /// The server follows the topic for this client: what happens from here on comes. Again after each reconnection.
    case subscribed(topic: String, cursor: String)
    case event(StreamEvent)
    /// Something that lies ahead of this reader: where it stands, without what it says.
    case gated(StreamPlaceholder)
    /// The topic is this reader's no longer, and nothing comes on it any more: a conversation after a block, a group that was left.
    case closed(topic: String)
    /// What follows does not continue what came before: read the REST list again. `why` is `expired`, `epoch`, `ahead`, `too_far` or another
    /// word of the server's.
    case reset(topic: String, why: String, cursor: String)
}

/// Something that happened.
public struct StreamEvent: Sendable {
    public let topic: String
    /// Grows along the topic. No two events of a topic share one.
    public let seq: Int64
    /// Position after this event; `StreamStart.after` goes on from here.
    public let cursor: String
    /// The event's own id, the same on every topic that it comes on.
    public let id: String?
    /// `review.posted`, …: kinds that a client does not know are to be passed over.
    public let kind: String
    /// RFC 3339.
    public let createdAt: String
    /// What each kind tells stands in the table of the stream's README.
    public let data: JSONValue
}

/// What stands in the place of an event that lies ahead of the reader. Read the thing again once the reader is there.
public struct StreamPlaceholder: Sendable {
    public let topic: String
    /// As that of an event.
    public let seq: Int64
    public let cursor: String
    /// `{"post": {"id", "state": "gated", "kind", "position"}}`, or the same under `review` or `reply` (to a review): the position in
    /// ten-thousandths of the book.
    public let data: JSONValue
}

/// What a stream tells, in order; each event of a topic once. Iterate it once, from one task.
///
/// It ends by throwing: `ClientError.refused` when the server does not want this session (any more), does not know a topic that was asked for,
/// or has closed the last one. Broken connections are
/// mended without a word, with pauses of 0.5 to 30 s.
public struct StreamUpdates: AsyncSequence, Sendable {
    public typealias Element = StreamUpdate

    let handoff: Handoff<StreamUpdate>

    public struct Iterator: AsyncIteratorProtocol {
        let handoff: Handoff<StreamUpdate>

        public mutating func next() async throws -> StreamUpdate? { try await handoff.next() }
    }

    public func makeAsyncIterator() -> Iterator { Iterator(handoff: handoff) }
}

extension CommonplaceClient {
    /// Follows `topics` (`home`, `inbox`, `book:42`, `thread:42`, `conversation:42`, `group:42`) while `body` runs.
    ///
    /// ```swift
    /// guard let cursor = feed.streamCursor else { return }
    /// try await client.withStream(["home": .after(cursor)]) { updates in
    ///     for try await case .event(let event) in updates { show(event) }
    /// }
    /// ```
    ///
    /// A body that is slow holds up the server's sending, not this process's memory: 256 updates wait at most.
    public func withStream<Result: Sendable>(
        _ topics: [String: StreamStart], _ body: (StreamUpdates) async throws -> Result
    ) async throws -> Result {
        let handoff = Handoff<StreamUpdate>(capacity: 256)
        let runner = StreamRunner(address: address, token: token, handoff: handoff)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await runner.run(topics) }
            defer { group.cancelAll() }
            return try await body(StreamUpdates(handoff: handoff))
        }
    }
}
