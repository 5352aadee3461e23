import Postgres

extension Accounts {
    /// Counts attempts in Postgres, so that all servers count together. Where it cannot be asked, nobody passes.
    ///
    /// Each call counts at once and for good: never call it inside a transaction that a refusal rolls back.
    struct Throttle: Sendable {
        let house: House

        /// One log-in, sign-up or resend from an address. Throws `.limited`. Not counted where rates are off (loopback only).
        func countAddress(_ what: Window, _ origin: Origin) async throws {
            guard house.settings.limitsRates else { return }
            // On a machine of one's own everybody has the same address.
            let bound = house.settings.isLoopback ? what.bound * Int64(Limits.Accounts.loopbackFactor) : what.bound
            try await count(what, of: origin.address, upTo: bound)
        }

        /// One more of `what` for `subject` in the running window. Throws `.limited` beyond `bound`.
        func count(_ what: Window, of subject: String, upTo bound: Int64) async throws {
            let now = house.clock.now()
            let seen = try await house.database.one(
                Statements.Count(key: key(what.rawValue, subject), now: now, windowEnd: now + what.length))
            if seen.count > bound {
                throw Failure.limited(policy: what.rawValue, retryAfter: max(.seconds(1), seen.until - now))
            }
        }

        /// What failures of an account are counted under: its username and its address share one count.
        static func subject(_ account: ID<Account>) -> String { "#" + account.text }

        /// Counts a failure of `subject` (an account's, or the login itself where nobody has it) before the password is looked at;
        /// `succeed` takes it back. Throws `.limited` while the next try has to wait.
        func beginLogin(_ subject: String) async throws {
            let now = house.clock.now()
            let key = key("login", subject)
            let passed = try await house.database.first(
                Statements.Fail(
                    key: key, now: now, forgetAt: now + .seconds(86_400), free: Limits.Accounts.freeFailures,
                    longestWait: Double(Limits.Accounts.longestWait)))
            guard passed == nil else { return }
            let until = try await house.database.first(Statements.BlockedUntil(key: key)) ?? now
            throw Failure.limited(policy: "login", retryAfter: max(.seconds(1), until - now))
        }

        /// The right password was given.
        func succeed(_ subject: String) async throws {
            try await house.database.run(Statements.Succeed(key: key("login", subject)))
        }

        private func key(_ policy: String, _ subject: String) -> Bytes {
            Bytes(house.settings.secret.sign(Array("\(policy):\(subject)".utf8), for: .attempt))
        }
    }

    /// What is counted in windows of a fixed length, which begin with the first attempt.
    enum Window: String, Sendable {
        case loginsPerAddress = "login_address"
        case signUpsPerAddress = "sign_up_address"
        case verificationsPerAddress = "verification_address"
        case verificationsPerAccount = "verification_account"

        var bound: Int64 {
            switch self {
            case .loginsPerAddress: Int64(Limits.Accounts.loginsPerAddress)
            case .signUpsPerAddress: Int64(Limits.Accounts.signUpsPerAddress)
            case .verificationsPerAddress: Int64(Limits.Accounts.verificationsPerAddress)
            case .verificationsPerAccount: Int64(Limits.Accounts.verificationsPerHour)
            }
        }

        var length: Duration {
            switch self {
            case .loginsPerAddress: .seconds(300)
            case .signUpsPerAddress: .seconds(1800)
            case .verificationsPerAddress: .seconds(300)
            case .verificationsPerAccount: .seconds(3600)
            }
        }
    }
}
