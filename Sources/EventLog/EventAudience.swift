/// Says who may see an event, at the time of its delivery.
package protocol EventAudience: Sendable {
    /// For each of `events`, in their order, those of `viewers` (account ids) who may see its subject **now**.
    ///
    /// Asked of the database, once for a batch: what was allowed when the event was written may have ended since. An event without
    /// owner and subject is for everybody who follows its topics.
    func visible(_ events: [LoggedEvent], to viewers: [Int64]) async throws -> [Set<Int64>]
}

/// Says what a reader's home consists of.
package protocol HomeTopics: Sendable {
    /// The topics whose events make up the home of `reader`: `reader:F` for each friend F, in any order, no repeats.
    func homeTopics(of reader: Int64) async throws -> [Topic]
}
