import Postgres

extension Accounts {
    /// Counts attempts in Postgres, so that all servers count together. Where it cannot be asked, nobody passes.
    ///
    /// Each call counts at once and for good: never call it inside a transaction that a refusal rolls back. Changes of
    /// name and look-ups that are put off are counted in theirs, because only those that hold count.
    struct Throttle: Sendable {
        let services: Services

        /// One log-in, sign-up or resend from an address. Throws `.limited`. Not counted where rates are off (loopback
        /// only).
        func countAddress(_ what: Window, _ origin: Origin) async throws {
            try await countRate(what, of: origin.address)
        }

        /// One comparison of a password for an account that is signed in, be it right or wrong. The same otherwise.
        func countComparison(_ account: ID<Account>) async throws {
            try await countRate(.comparisonsPerAccount, of: account.text)
        }

        private func countRate(_ what: Window, of subject: String) async throws {
            guard services.settings.limitsRates else { return }
            // On a machine of one's own everybody has the same address.
            let bound = services.settings.isLoopback ? what.bound * Int64(Limits.accounts.loopbackFactor) : what.bound
            try await count(what, of: subject, upTo: bound)
        }

        /// One more of `what` for `subject` in the running window. Throws `.limited` beyond `bound`.
        func count(_ what: Window, of subject: String, upTo bound: Int64) async throws {
            let now = services.clock.now()
            let seen = try await services.database.one(
                Statements.Count(key: key(what.rawValue, subject), now: now, windowEnd: now + what.length))
            if seen.count > bound {
                throw Failure.limited(policy: what.rawValue, retryAfter: max(.seconds(1), seen.until - now))
            }
        }

        /// Counts a failure before the password is looked at; `succeed` takes it back. Throws `.limited` while the next
        /// try has to wait.
        func begin(_ what: Failures, _ subject: String) async throws {
            guard try await !passes(what, subject) else { return }
            let now = services.clock.now()
            let until =
                try await services.database.first(Statements.BlockedUntil(key: key(what.rawValue, subject))) ?? now
            throw Failure.limited(policy: what.rawValue, retryAfter: max(.seconds(1), until - now))
        }

        /// The same, without a word about the wait: false while the next try has to wait.
        func passes(_ what: Failures, _ subject: String) async throws -> Bool {
            let now = services.clock.now()
            return try await services.database.first(
                Statements.Fail(
                    key: key(what.rawValue, subject), now: now, forgetAt: now + Limits.accounts.failureMemory,
                    free: what.free, longestWait: Double(Limits.accounts.longestWait))) != nil
        }

        /// The right password was given: the failures of the subject are forgotten.
        func succeed(_ what: Failures, _ subject: String) async throws {
            try await services.database.run(Statements.Succeed(key: key(what.rawValue, subject)))
        }

        /// The password was not looked at: what `begin` or `passes` counted was no failure.
        func forgive(_ what: Failures, _ subject: String) async throws {
            try await services.database.run(
                Statements.Forgive(key: key(what.rawValue, subject), now: services.clock.now()))
        }

        /// Whether the account has signed in from there lately.
        func knows(_ origin: Origin, of subject: String) async throws -> Bool {
            let key = key(Self.known, subject + " " + origin.address)
            return try await services.database.first(Statements.KnownUntil(key: key, now: services.clock.now())) != nil
        }

        /// From now on the account has signed in from there.
        func remember(_ origin: Origin, of subject: String, in queryable: some Queryable) async throws {
            let now = services.clock.now()
            try await queryable.run(
                Statements.Remember(
                    key: key(Self.known, subject + " " + origin.address), now: now,
                    until: now + .seconds(Limits.accounts.knownAddressDays * 86_400)))
        }

        private static let known = "known_address"

        private func key(_ policy: String, _ subject: String) -> Bytes {
            Bytes(services.settings.secret.sign(Array("\(policy):\(subject)".utf8), for: .attempt))
        }
    }

    /// What is counted in failures: some are free, then the wait doubles from 1 s.
    enum Failures: String, Sendable {
        /// Of a login as it was typed, from one address: username and e-mail address of an account count apart, and so
        /// do logins that nobody has, so that nothing can be told from the waiting.
        case login
        /// Of one account (or of a login that nobody has), from all the addresses from which it has not signed in
        /// lately.
        case loginOfAccount = "login_account"
        /// Of an account that is signed in and is asked for its password again.
        case confirmation = "confirm"

        var free: Int {
            switch self {
            case .login, .confirmation: Limits.accounts.freeFailures
            case .loginOfAccount: Limits.accounts.freeFailuresOfAccount
            }
        }

        /// How an account is named here.
        static func subject(_ account: ID<Account>) -> String { "#" + account.text }
    }

    /// What is counted in windows of a fixed length, which begin with the first attempt.
    enum Window: String, Sendable {
        case loginsPerAddress = "login_address"
        case signUpsPerAddress = "sign_up_address"
        case verificationsPerAddress = "verification_address"
        case verificationsPerAccount = "verification_account"
        case resetsPerAddress = "reset_address"
        case resetsPerAccount = "reset_account"
        case emailChangesPerAccount = "email_change_account"
        case comparisonsPerAccount = "password_account"
        case exportsPerAccount = "export_account"
        case namesPerAccount = "name_account"
        /// Questions to other catalogues.
        case lookUpsPerAccount = "look_up"

        var bound: Int64 {
            switch self {
            case .loginsPerAddress: Int64(Limits.accounts.loginsPerAddress)
            case .signUpsPerAddress: Int64(Limits.accounts.signUpsPerAddress)
            case .verificationsPerAddress: Int64(Limits.accounts.verificationsPerAddress)
            case .verificationsPerAccount: Int64(Limits.accounts.verificationsPerHour)
            case .resetsPerAddress: Int64(Limits.accounts.verificationsPerAddress)
            case .resetsPerAccount: Int64(Limits.accounts.resetsPerHour)
            case .emailChangesPerAccount: Int64(Limits.accounts.emailChangesPerHour)
            case .comparisonsPerAccount: Int64(Limits.accounts.comparisonsPerHour)
            case .exportsPerAccount: Int64(Limits.leaving.exportsPerDay)
            case .namesPerAccount: Int64(Limits.profiles.namesPerDay)
            case .lookUpsPerAccount: Int64(Limits.sources.lookUpsPerHour)
            }
        }

        var length: Duration {
            switch self {
            case .loginsPerAddress: Limits.accounts.loginWindow
            case .signUpsPerAddress: Limits.accounts.signUpWindow
            case .verificationsPerAddress, .resetsPerAddress: Limits.accounts.verificationWindow
            case .verificationsPerAccount, .resetsPerAccount, .emailChangesPerAccount: Limits.accounts.mailWindow
            case .comparisonsPerAccount: Limits.accounts.comparisonWindow
            case .exportsPerAccount: Limits.leaving.exportWindow
            case .namesPerAccount: Limits.profiles.nameWindow
            case .lookUpsPerAccount: Limits.sources.lookUpWindow
            }
        }
    }
}
