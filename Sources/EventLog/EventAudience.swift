import Postgres

/// Says who may see an event, at the time of its delivery.
package protocol EventAudience: Sendable {
    /// For each of `events`, in their order, who of `viewers` (account ids) gets what of it **now**.
    ///
    /// Asked of the database, once for a batch: what was allowed when the event was written may have ended since. An event without
    /// owner and subject is for everybody who follows its topics.
    func verdicts(on events: [LoggedEvent], for viewers: [Int64]) async throws -> [Verdict]
}

/// Who gets what of one event. A reader who is neither `seen` nor `gated` learns at most that there was something.
package struct Verdict: Sendable, Hashable {
    /// Those who get it whole.
    package let seen: Set<Int64>
    /// Those who may know that it is there and not yet what it says: they get `placeholder` for its data. Nobody is in both.
    package let gated: Set<Int64>
    /// An object, the same for all who are gated; `nil` where nobody is.
    package let placeholder: JSON?

    package init(seen: Set<Int64>, gated: Set<Int64> = [], placeholder: JSON? = nil) {
        self.seen = seen
        self.gated = placeholder == nil ? [] : gated.subtracting(seen)
        self.placeholder = self.gated.isEmpty ? nil : placeholder
    }
}

/// Says what a reader's home consists of.
package protocol HomeTopics: Sendable {
    /// The topics whose events make up the home of `reader`: `reader:F` for each friend F, `book:B` for each book B that the reader
    /// follows and `group:G` for each group G that the reader is in, in any order, no repeats.
    func homeTopics(of reader: Int64) async throws -> [Topic]

    /// For each of `events`, in their order, those of `readers` whose home shows it **now**: the topics of a book and of a group carry
    /// more than a home is made of, and it shows nothing of readers whom its own has muted.
    func shown(_ events: [LoggedEvent], atHomesOf readers: [Int64]) async throws -> [Set<Int64>]
}

/// Says who may follow a topic at all.
package protocol TopicGate: Sendable {
    /// Whether there is such a topic for `reader` **now**: false alike for what does not exist, is hidden, or is not theirs.
    func mayFollow(_ topic: Topic, reader: Int64) async throws -> Bool
}
