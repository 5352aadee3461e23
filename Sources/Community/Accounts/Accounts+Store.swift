import Logging
import Postgres

extension Accounts {
    /// What can be done with accounts and sessions. Further verbs stand in `Accounts+Store+….swift`.
    package struct Store: Sendable {
        let services: Services
        let passwords: PasswordPool
        let throttle: Throttle
        let moderation: Moderation.Store
        let endings: [Ending]

        /// `endings`: what other layers do in the transaction that ends an account.
        package init(_ services: Services, endings: [Ending]) {
            self.services = services
            self.endings = endings
            self.passwords = PasswordPool(cost: services.settings.passwordCost)
            self.throttle = Throttle(services: services)
            self.moderation = Moderation.Store(services)
        }

        /// Who holds this token now; `nil` for anything that is no living session of an account in good standing.
        ///
        /// Called for every request that carries a token: one prepared select, and once a minute for each session the
        /// note that it was used. Nothing is cached, so the end of a session holds everywhere with its commit.
        package func identify(token text: String) async throws -> Identity? {
            if let access = Token(.access, text: text) { return try await identify(access: access) }
            guard let token = Token(.session, text: text) else { return nil }
            let now = services.clock.now()
            guard
                let identity = try await services.database.first(
                    Statements.Identify(digest: Bytes(token.digest), now: now, idleSince: idleSince(now)))
            else { return nil }
            if now - identity.lastUsedAt >= .seconds(60) { await touch(identity.session, now) }
            return services.settings.isLoopback ? identity.verified : identity
        }

        /// The account as its owner sees it. Throws `.notFound` once it is deleted.
        package func own(_ account: ID<Account>) async throws -> Account {
            guard let own = try await services.database.first(Statements.Own(account: account)) else {
                throw Failure.notFound("account")
            }
            return services.settings.isLoopback ? own.verified : own
        }

        /// False once the account is deleted, and for one that never was.
        func isKnown(_ account: ID<Account>) async throws -> Bool {
            try await services.database.first(Statements.AddresseeOf(account: account)) != nil
        }

        /// A reader's page. Throws `.notFound` for nobody, and for whom the viewer may not see.
        package func profile(of username: String, for viewer: Viewer) async throws -> Profile {
            let folded = Username.fold(username)
            guard let profile = try await services.database.first(Statements.Profile(viewer: viewer, folded: folded))
            else {
                throw Failure.notFound("reader")
            }
            return profile
        }

        /// Deletes what is over: sessions, access tokens, tickets, codes that were mailed, throttle counters, reservations
        /// of names. In batches, each a transaction of its own, until nothing is left.
        package func sweep() async throws {
            let now = services.clock.now()
            let batch = Sweep.batch
            let (database, idle) = (services.database, idleSince(now))
            while try await database.run(Statements.SweepSessions(now: now, idleSince: idle, limit: batch)) == batch {}
            while try await database.run(Statements.SweepVerifications(now: now, limit: batch)) == batch {}
            while try await database.run(Statements.SweepResets(now: now, limit: batch)) == batch {}
            while try await database.run(Statements.SweepEmailChanges(now: now, limit: batch)) == batch {}
            while try await database.run(Statements.SweepAccessTokens(now: now, limit: batch)) == batch {}
            while try await database.run(Statements.SweepStreamTickets(now: now, limit: batch)) == batch {}
            while try await database.run(Statements.SweepAttempts(now: now, limit: batch)) == batch {}
            while try await database.run(Statements.SweepRetired(now: now, limit: batch)) == batch {}
        }

        /// What a retired username is kept under: a dump of the table names nobody.
        func retired(_ username: String) -> Bytes {
            Bytes(services.settings.secret.sign(Array(Username.fold(username).utf8), for: .username))
        }

        func idleSince(_ now: Timestamp) -> Timestamp { now - .seconds(Limits.accounts.sessionIdleDays * 86_400) }

        /// A note that cannot be made costs nobody the request: the session is then a minute younger than it seems.
        private func touch(_ session: ID<Session>, _ now: Timestamp) async {
            do {
                try await services.database.run(
                    Statements.Touch(session: session, now: now, before: now - .seconds(60)))
            } catch {
                services.logger.notice("the use of a session was not noted", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Forgets what is kept of an account elsewhere, in the transaction that ends it.
    package typealias Ending = @Sendable (ID<Account>, Transaction) async throws -> Void

    /// What moderation needs to know of an account.
    struct Standing: Sendable, Hashable {
        let account: ID<Account>
        let username: String?
        let role: Role
        let state: State
        /// What a suspended account was before.
        let stateBefore: State?
        let isApproved: Bool
        let isVerified: Bool
    }

    /// What log-in compares with.
    struct Credentials: Sendable {
        let account: ID<Account>
        let hash: PasswordHash
        let state: State
        let isApproved: Bool
    }

    /// A row of `account` that is about to be.
    struct NewAccount: Sendable {
        var id: ID<Account>
        var username: String
        var email: String
        var password: PasswordHash
        var name: String?
        var bio: String?
        var role: Role = .member
        var approvedAt: Timestamp?
        var verifiedAt: Timestamp?
        var isDemo = false
        var invitation: ID<Invitation>?
        var createdAt: Timestamp
    }
}
