import EventLog

extension EventAudience {
    /// For each event those of `viewers` who get it whole.
    package func visible(_ events: [LoggedEvent], to viewers: [Int64]) async throws -> [Set<Int64>] {
        try await verdicts(on: events, for: viewers).map(\.seen)
    }
}
