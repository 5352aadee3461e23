import Metrics

extension EventStream {
    /// What `/metrics` says of the stream, from what happens as it happens; what is counted at intervals is `Tickers`' and the hub's.
    struct Figures: Sendable {
        private let deliveries: [Form: Counter]
        private let closes: [CloseReason: Counter]
        private let resets: [ResetReason: Counter]
        /// Sockets whose client was gone: nobody answered.
        private let abandoned = Counter(label: "commonplace_stream_abandoned_total")
        /// How long the database took to say who may have what of a batch.
        private let audience = Timer(label: "commonplace_stream_audience_seconds")
        private let topics: [String: Gauge]

        init() {
            deliveries = Self.each(Form.allCases) { form in
                Counter(label: "commonplace_stream_deliveries_total", dimensions: [("form", form.rawValue)])
            }
            closes = Self.each(CloseReason.allCases) { why in
                Counter(label: "commonplace_stream_closes_total", dimensions: [("reason", why.rawValue)])
            }
            resets = Self.each(ResetReason.allCases) { why in
                Counter(label: "commonplace_stream_resets_total", dimensions: [("reason", why.rawValue)])
            }
            topics = Self.each(Name.kinds) { kind in
                Gauge(label: "commonplace_stream_topics", dimensions: [("kind", kind)])
            }
        }

        private static func each<Key: Hashable, Metric>(_ keys: [Key], _ make: (Key) -> Metric) -> [Key: Metric] {
            Dictionary(uniqueKeysWithValues: keys.map { ($0, make($0)) })
        }

        func delivered(_ counts: [Form: Int]) {
            for (form, count) in counts { deliveries[form]?.increment(by: count) }
        }

        func asked(since start: ContinuousClock.Instant) { audience.record(duration: ContinuousClock.now - start) }
        func abandon() { abandoned.increment() }
        func closed(_ why: CloseReason) { closes[why]?.increment() }
        func reset(_ why: ResetReason) { resets[why]?.increment() }

        /// `counts`: subscriptions by the kind of their topic.
        func follow(_ counts: [String: Int]) {
            for (kind, gauge) in topics { gauge.record(counts[kind, default: 0]) }
        }
    }

    /// What waits for sockets.
    struct Backlog: Sendable, Hashable {
        private(set) var sockets = 0
        /// Sockets with a topic that is behind the log.
        private(set) var behind = 0
        /// Bytes that are queued for those for which anything is.
        private var queues: [Int] = []

        /// Counts one socket.
        mutating func add(bytes: Int, isBehind: Bool) {
            sockets += 1
            if bytes > 0 { queues.append(bytes) }
            if isBehind { behind += 1 }
        }

        mutating func add(_ other: Backlog) {
            sockets += other.sockets
            behind += other.behind
            queues += other.queues
        }

        /// Bytes for which `share` of the sockets have no more: the nearest rank.
        func bytes(_ share: Double) -> Int {
            let rank = Int((share * Double(sockets)).rounded(.up)) - (sockets - queues.count)
            return rank > 0 ? queues.sorted()[min(rank, queues.count) - 1] : 0
        }
    }
}
