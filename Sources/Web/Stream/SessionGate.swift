import Community

extension EventStream {
    /// Says which sessions are still open.
    package protocol SessionGate: Sendable {
        /// Those of `sessions` that are neither ended nor expired, and whose account may be signed in.
        func living(sessions: [Int64]) async throws -> Set<Int64>
    }
}

extension Accounts.Store: EventStream.SessionGate {}
