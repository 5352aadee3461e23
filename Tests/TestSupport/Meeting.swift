import Postgres
import Synchronization
import Testing

extension World {
    /// Two at once: `first` in a transaction that stays open until `second`, begun behind it in a task of its own, waits for it or has
    /// ended. Gives what `second` ended with.
    package func meeting<Result: Sendable>(
        _ first: @Sendable () async throws -> Void, _ second: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let hasBegun = Mutex(false)
        let hasEnded = Mutex(false)
        // Outside the transaction, which tasks begun inside of it would join.
        async let outcome: Result = {
            defer { hasEnded.withLock { $0 = true } }
            try await eventually { hasBegun.withLock { $0 } }
            return try await second()
        }()
        // What a test puts into one transaction is more than the program does in one.
        try await LockWatch.$isOff.withValue(true) {
            try await database.transaction { _ in
                try await first()
                hasBegun.withLock { $0 = true }
                try await eventually {
                    if hasEnded.withLock({ $0 }) { return true }
                    return try await waiting() > 0
                }
            }
        }
        return try await outcome
    }

    /// How many wait for a lock in this world's database.
    package func waiting() async throws -> Int {
        let waiting = try await asSuperuser(
            """
            select count(*) from pg_stat_activity
             where datname = current_database() and wait_event_type = 'Lock'
            """)
        return waiting.first?.first.flatMap { $0.flatMap { Int($0) } } ?? 0
    }
}
