import Synchronization

extension Media {
    /// Seconds of conversion, counted by account: a bucket of `Limits.media.conversionBudget` that refills over
    /// `conversionWindow`. Converters belong to one process, and so does the count.
    ///
    /// Each conversion reserves all the time that one may take and gives back what it did not need, so that an account
    /// has few of them at once.
    package final class ConversionBudget: Sendable {
        /// Whose time is counted. Beyond `capacity` accounts newcomers share one.
        package struct Turn: Sendable { fileprivate let key: Int64 }

        private struct Account {
            /// Seconds that were used and have not come back yet.
            var used: Double
            var countedAt: ContinuousClock.Instant
            /// Conversions that wait or run.
            var running = 0
        }

        private let accounts = Mutex<[Int64: Account]>([:])
        private let capacity: Int

        package init() { capacity = Limits.media.conversionAccounts }

        init(capacity: Int) { self.capacity = capacity }

        private static let budget = Double(Limits.media.conversionBudget.components.seconds)
        private static let rate = budget / Double(Limits.media.conversionWindow.components.seconds)
        private static let each = Double(Limits.media.conversionTime.components.seconds)

        /// Reserves the time of one conversion. Throws `Failure.limited` where the account has not that much left.
        package func begin(
            _ account: ID<Accounts.Account>, now: ContinuousClock.Instant = .now
        ) throws(Failure) -> Turn {
            let (key, missing) = accounts.withLock { accounts in
                var key = account.rawValue
                if accounts.count >= capacity, accounts[key] == nil {
                    accounts = accounts.filter { $1.running > 0 || Self.used($1, at: now) > 0 }
                    if accounts.count >= capacity { key = 0 }
                }
                var entry = accounts[key] ?? Account(used: 0, countedAt: now)
                entry.used = Self.used(entry, at: now)
                entry.countedAt = now
                let missing = entry.used + Self.each * Double(entry.running + 1) - Self.budget
                if missing <= 0 { entry.running += 1 }
                accounts[key] = entry
                // What runs gives back nearly all that it reserved, and soon.
                return (key, missing > 0 && entry.running > 0 ? Self.each * Self.rate : missing)
            }
            guard missing <= 0 else {
                throw .limited(policy: "picture_conversion", retryAfter: .seconds(missing / Self.rate))
            }
            return Turn(key: key)
        }

        /// Counts what a conversion took, and gives back the rest.
        package func end(_ turn: Turn, took time: Duration, now: ContinuousClock.Instant = .now) {
            accounts.withLock { accounts in
                guard var entry = accounts[turn.key] else { return }
                entry.used = Self.used(entry, at: now) + (time / .seconds(1))
                entry.countedAt = now
                entry.running -= 1
                accounts[turn.key] = entry
            }
        }

        private static func used(_ account: Account, at now: ContinuousClock.Instant) -> Double {
            max(0, account.used - rate * ((now - account.countedAt) / .seconds(1)))
        }
    }
}
