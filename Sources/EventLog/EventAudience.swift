import Postgres

/// Says who may see an event, at the time of its delivery.
package protocol EventAudience: Sendable {
    /// For each of `offers`, in their order, who of its viewers does not get it whole **now**.
    ///
    /// Asked of the database, once for a batch: what was allowed when the event was written may have ended since. An event without
    /// owner and subject is for everybody who follows its topics. Throws `PostgresError`: then nothing of the batch is handed on, and it
    /// comes again.
    func verdicts(on offers: [Offered]) async throws -> [Verdict]
}

/// An event, and to whom it is offered.
package struct Offered: Sendable {
    package let event: LoggedEvent
    /// Account ids, each once, in any order.
    package let viewers: [Int64]

    package init(_ event: LoggedEvent, to viewers: [Int64]) {
        self.event = event
        self.viewers = viewers
    }
}

/// Who does not get one event whole: all others to whom it was offered do.
package struct Verdict: Sendable, Hashable {
    /// Those who learn at most that there was something. It may name others than the viewers.
    package let hidden: Set<Int64>
    /// Those who may know that it is there and not yet what it says: they get `placeholder` for its data. Nobody is in both.
    package let gated: Set<Int64>
    /// An object, the same for all who are gated; `nil` where nobody is.
    package let placeholder: JSON?

    package init(hidden: Set<Int64> = [], gated: Set<Int64> = [], placeholder: JSON? = nil) {
        self.hidden = placeholder == nil ? hidden.union(gated) : hidden
        self.gated = placeholder == nil ? [] : gated.subtracting(hidden)
        self.placeholder = self.gated.isEmpty ? nil : placeholder
    }

    package func isWhole(for viewer: Int64) -> Bool { !hidden.contains(viewer) && !gated.contains(viewer) }
}

/// Says what a reader's home consists of.
package protocol HomeTopics: Sendable {
    /// The topics whose events make up the home of `reader`: `reader:F` for each friend F, `book:B` for each book B that the reader
    /// follows and `group:G` for each group G that the reader is in, in any order, no repeats.
    func homeTopics(of reader: Int64) async throws -> [Topic]

    /// For each of `offers`, in their order, those of its viewers whose home does not show it **now**: the topics of a book and of a group
    /// carry more than a home is made of, and it shows nothing of readers whom its own has muted.
    func notAtHome(_ offers: [Offered]) async throws -> [Set<Int64>]
}

/// Says who may follow a topic at all.
package protocol TopicGate: Sendable {
    /// Whether there is such a topic for `reader` **now**: false alike for what does not exist, is hidden, or is not theirs.
    func mayFollow(_ topic: Topic, reader: Int64) async throws -> Bool
}
