import Metrics

extension EventLog {
    /// How the log stands, as one process sees it.
    package struct Standing: Sendable {
        /// Waiting events are counted up to this.
        package static let most = 10_000

        /// Committed events without a place.
        package let outbox: Int
        /// For how long the first of them has waited, by the clock of the process that wrote it; zero where none waits.
        package let waited: Duration
        /// Events in the log that this process's tail has not handed on.
        package let lag: Int
        /// Whether this process's relay leads. One that stands in does not.
        package let leads: Bool
        /// The place of the oldest event that is kept, or of the next event where none is.
        package let oldest: Int64
        /// For how long it has had that place; zero where none is kept.
        package let kept: Duration
    }

    /// What `/metrics` says of it.
    struct Figures: Sendable {
        static let interval: Duration = .seconds(1)

        private let outbox = Gauge(label: "commonplace_log_outbox")
        private let waited = Gauge(label: "commonplace_log_outbox_seconds")
        private let lag = Gauge(label: "commonplace_log_lag")
        private let leads = Gauge(label: "commonplace_log_leads")
        private let oldest = Gauge(label: "commonplace_log_oldest")
        private let kept = Gauge(label: "commonplace_log_oldest_seconds")

        /// `standing`: `nil` where it could not be asked for.
        func follow(_ standing: Standing?, leads: Bool) {
            self.leads.record(leads ? 1 : 0)
            guard let standing else { return }
            outbox.record(standing.outbox)
            waited.record(standing.waited / .seconds(1))
            lag.record(standing.lag)
            oldest.record(standing.oldest)
            kept.record(standing.kept / .seconds(1))
        }
    }
}
