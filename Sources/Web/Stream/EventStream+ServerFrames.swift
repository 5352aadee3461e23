import Community
import EventLog

/// What the server says beside events in their three forms; each becomes one JSON object with its `type` first.
extension EventStream {
    struct Hello: Encodable {
        let type = "hello"
        let v = 1
        /// Seconds between two heartbeats.
        let heartbeat: Int
        /// The kinds of topics that there are.
        let topics = Name.kinds
        let limits: Bounds

        struct Bounds: Encodable {
            let topics: Int
            let sockets: Int
            let frameBytes: Int
            let messageBytes: Int
            let messagesPerSecond: Int
            let queueBytes: Int
            let queueEvents: Int
            let replay: Int
        }

        init(_ limits: Limits) {
            heartbeat = limits.heartbeat
            self.limits = Bounds(
                topics: limits.topics, sockets: limits.sockets, frameBytes: limits.frameBytes,
                messageBytes: limits.messageBytes,
                messagesPerSecond: limits.messagesPerSecond, queueBytes: limits.queueBytes,
                queueEvents: limits.queueEvents,
                replay: limits.replay)
        }
    }

    struct Subscribed: Encodable {
        let type = "subscribed"
        let id: Int64?
        let topic: String
        /// Where the subscription begins: after this.
        let cursor: String
        let seq: Int64
        /// Everything after the wanted position comes; when false a `reset` follows.
        let isRecovered: Bool
        /// Events and skips that come from the log before the live ones.
        let replayCount: Int
    }

    struct Unsubscribed: Encodable {
        let type = "unsubscribed"
        let id: Int64?
        let topic: String
    }

    /// The reader may follow the topic no longer: nothing comes on it any more.
    struct Closed: Encodable {
        let type = "closed"
        let topic: String
    }

    struct Reset: Encodable {
        let type = "reset"
        let topic: String
        let why: ResetReason
        let cursor: String
        let seq: Int64
    }

    /// Why what follows does not continue what the client has.
    enum ResetReason: String, Encodable, Sendable, Hashable, CaseIterable {
        /// The position is older than the log keeps.
        case expired
        /// The position is of another history: the database was restored.
        case epoch
        /// The position is one that this log has not reached: a failover lost its end.
        case ahead
        /// More events than a replay gives.
        case tooFar = "too_far"
    }

    struct Heartbeat: Encodable {
        let type = "heartbeat"
        /// The last seq sent on each topic; a client that has less has missed something.
        let heads: [String: Int64]
    }

    struct Bye: Encodable {
        let type = "bye"
        let why: String
        /// Wait this long before coming back.
        let retryMs: Int
    }

    struct ErrorFrame: Encodable {
        let type = "error"
        let id: Int64?
        /// That of the refused frame, where it named one.
        let topic: String?
        let code: String
        let detail: String
    }
}
