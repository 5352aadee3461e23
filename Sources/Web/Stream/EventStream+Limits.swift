import Community

/// Within `EventStream` the word `Limits` means the stream's own.
package typealias LimitLine = Limits.Line

extension EventStream.Limits {
    /// The part of the table that `commonplace config` and `GET /api/v1/server` show of the stream.
    package var table: [LimitLine] {
        [
            LimitLine("stream.topics", topics, "per_socket"),
            LimitLine("stream.sockets", sockets, "per_account"),
            LimitLine("stream.frame", frameBytes, "bytes"),
            LimitLine("stream.message", messageBytes, "bytes"),
            LimitLine("stream.messages", messagesPerSecond, "per_second"),
            LimitLine("stream.queue", queueBytes, "bytes"),
            LimitLine("stream.queued_events", queueEvents, "items"),
            LimitLine("stream.replay", replay, "items"),
            LimitLine("stream.heartbeat", heartbeat, "seconds"),
        ]
    }
}

extension RateLimiter {
    /// Calls of one caller in each rate class.
    package static var table: [LimitLine] {
        RateClass.allCases.compactMap { name in
            policies[name].map { LimitLine("rate.\(name.rawValue)", $0.quota, "per_\($0.window)_seconds") }
        }
    }
}
