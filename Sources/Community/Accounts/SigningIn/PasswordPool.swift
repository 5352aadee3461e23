/// Hashes passwords beside everything else: on threads of its own that give way to all others, with at most 32 callers
/// waiting.
///
/// That bounds memory (64 MiB for each hash) and leaves half of the processors to what answers other requests. Callers
/// beyond the bound get `Failure.busy` at once; so does who has gone, or is late, when its turn comes: nothing is
/// hashed for it. HTTP lets fewer callers in (`http.passwords`). Never call it inside a transaction: the connection
/// would be held for nothing.
package final class PasswordPool: Sendable {
    private let pool: LowPriorityThreads
    private let cost: PasswordHash.Cost

    package init(
        cost: PasswordHash.Cost, threads: Int = Limits.accounts.hashingThreads,
        queue: Int = Limits.accounts.hashingQueue
    ) {
        self.pool = LowPriorityThreads(threads: threads, queue: queue)
        self.cost = cost
    }

    /// Hashes `password` under today's costs. `salt`: 16 random bytes.
    package func hash(_ password: String, salt: [UInt8]) async throws -> PasswordHash {
        let bytes = Array(password.utf8)
        let cost = cost
        return try await run { try PasswordHash(of: bytes, salt: salt, cost: cost) }
    }

    /// Whether `password` is the one that `hash` was made of; without a hash it is false, after the same work.
    package func isRight(_ password: String, for hash: PasswordHash?) async throws -> Bool {
        let bytes = Array(password.utf8)
        let target = hash ?? .unknown(cost: cost)
        let fits = try await run { try target.fits(bytes) }
        return fits && hash != nil
    }

    /// True where `hash` should be made again, because the costs have changed.
    package func isOutdated(_ hash: PasswordHash) -> Bool { !hash.costs(cost) }

    private func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        guard let result = try await pool.run(work) else {
            throw Failure.busy("too many passwords are being checked", retryAfter: .seconds(2))
        }
        return result
    }
}
