import Postgres

extension Accounts {
    /// A log-in whose password was right, and that waits for its transaction.
    package struct Recognised: Sendable {
        let confirmation: Confirmation
    }

    /// The password was right, and the account is suspended.
    package struct Suspended: Error, Hashable, Sendable {
        /// Why, in the moderator's words; `nil` where nothing is recorded.
        package let reason: String?
        /// When it ends by itself; `nil`: never.
        package let until: Timestamp?
    }

    /// A password that was right when it was compared, which takes long and is therefore outside of any transaction.
    /// A caller that acts on it asks again, with the account locked, whether it still is the account's
    /// (`requireStill`): what a stolen password has begun must not outlast the reset that ends it.
    package struct Confirmation: Sendable {
        let account: ID<Account>
        /// What it was compared with.
        let hash: PasswordHash
    }
}

extension Accounts.Store {
    /// Compares a log-in with what is stored: everything of it that is slow or outlasts a refusal. Never inside a
    /// transaction.
    ///
    /// The answer to a wrong password, an unknown login and a deleted account is the same, after the same work:
    /// `.unauthenticated`. So is that to any password while the account as a whole is being guessed at, except from
    /// where it signed in lately. Only the right password learns `.forbidden` (`awaiting_approval`) and why the account is
    /// `Suspended`. Throws `.limited` for what this address itself did with this login, and `.busy`.
    package func recognise(
        login: String, password: String, from origin: Accounts.Origin
    ) async throws -> Accounts.Recognised {
        try await throttle.countAddress(.loginsPerAddress, origin)
        let folded = Accounts.Username.fold(login)
        let found = try await services.database.first(Accounts.Statements.FindLogin(folded: folded))
        let typed = folded + " " + origin.address
        try await throttle.begin(.login, typed)
        let subject = found.map { Accounts.Failures.subject($0.account) } ?? folded
        let isKnown = try await throttle.knows(origin, of: subject)
        var isCompared = isKnown
        if !isKnown { isCompared = try await throttle.passes(.loginOfAccount, subject) }
        var counted: [(Accounts.Failures, String)] = [(.login, typed)]
        if !isKnown, isCompared { counted.append((.loginOfAccount, subject)) }
        guard try await compare(password, with: isCompared ? found?.hash : nil, counted), let found else {
            throw Self.wrongLogin
        }
        try await throttle.succeed(.login, typed)
        if !isKnown { try await throttle.succeed(.loginOfAccount, subject) }
        try await throttle.remember(origin, of: subject, in: services.database)
        guard found.isApproved else {
            throw Failure.forbidden(code: .awaitingApproval, "this account waits for approval")
        }
        guard found.state != .suspended else {
            throw try await services.database.first(Accounts.Statements.WhySuspended(account: found.account))
                ?? Accounts.Suspended(reason: nil, until: nil)
        }
        return Accounts.Recognised(
            confirmation: Accounts.Confirmation(
                account: found.account, hash: try await renewed(found.hash, of: found.account, password: password)))
    }

    /// Whether `password` is the one that `hash` was made of. Where it was not compared, for want of time or because
    /// the caller has gone, what was `counted` is no failure.
    private func compare(
        _ password: String, with hash: PasswordHash?, _ counted: [(Accounts.Failures, String)]
    ) async throws -> Bool {
        do {
            return try await passwords.isRight(password, for: hash)
        } catch let failure as Failure {
            guard case .busy = failure else { throw failure }
            let throttle = throttle
            // Detached: the caller's own time is over.
            await Task.detached {
                for (what, subject) in counted { try? await throttle.forgive(what, subject) }
            }.value
            throw failure
        }
    }

    /// The hash of a password that was right, made anew where the present one was made under older costs.
    private func renewed(
        _ hash: PasswordHash, of account: ID<Accounts.Account>, password: String
    ) async throws -> PasswordHash {
        guard passwords.isOutdated(hash) else { return hash }
        let fresh = try await passwords.hash(password, salt: services.random.bytes(16))
        let rehash = Accounts.Statements.Rehash(account: account, old: hash, new: fresh)
        guard try await services.database.run(rehash) == 0 else { return fresh }
        // Somebody was faster: another sign-in with this password, or a change of it.
        guard let present = try await services.database.first(Accounts.Statements.PasswordOf(account: account)),
            try await passwords.isRight(password, for: present)
        else { throw Self.wrongLogin }
        return present
    }

    static let wrongLogin = Failure.wrongCredentials("The login or the password is wrong.")

    /// Whether `password` is the account's own, for acts that ask for it again. Counted apart from log-ins: a stranger
    /// cannot use up the tries of who is signed in. Never inside a transaction.
    /// Throws `.wrongCredentials`, `.limited`, `.busy`.
    @discardableResult
    package func confirm(password: String, of account: ID<Accounts.Account>) async throws -> Accounts.Confirmation {
        guard let hash = try await services.database.first(Accounts.Statements.PasswordOf(account: account)) else {
            throw Failure.notFound("account")
        }
        let subject = Accounts.Failures.subject(account)
        try await throttle.countComparison(account)
        try await throttle.begin(.confirmation, subject)
        guard try await compare(password, with: hash, [(.confirmation, subject)]) else {
            throw Self.wrongPassword
        }
        try await throttle.succeed(.confirmation, subject)
        return Accounts.Confirmation(account: account, hash: hash)
    }

    /// Whether what was confirmed still is the password of its account, which is locked.
    func holds(_ confirmation: Accounts.Confirmation, in transaction: some Queryable) async throws -> Bool {
        try await transaction.first(Accounts.Statements.PasswordOf(account: confirmation.account))
            == confirmation.hash
    }

    /// Throws `.wrongCredentials` where what was confirmed is the password no more; the account is locked.
    func requireStill(_ confirmation: Accounts.Confirmation, in transaction: some Queryable) async throws {
        guard try await holds(confirmation, in: transaction) else { throw Self.wrongPassword }
    }

    /// Begins a session; who was leaving stays. The account is looked at again, locked: it may have been shut out
    /// since, or have another password. Throws `.wrongCredentials` then.
    package func signIn(
        _ recognised: Accounts.Recognised, from origin: Accounts.Origin
    ) async throws -> Accounts.SignedIn {
        try await services.database.transaction { transaction in
            let confirmation = recognised.confirmation
            guard let standing = try await transaction.first(Accounts.Statements.Lock(account: confirmation.account)),
                standing.isApproved, standing.state != .suspended, try await holds(confirmation, in: transaction)
            else { throw Self.wrongLogin }
            try await stay(standing, in: transaction)
            let session = try await insertSession(of: standing.account, from: origin, in: transaction)
            let ended = try await transaction.all(
                Accounts.Statements.TrimSessions(account: standing.account, kept: Limits.accounts.sessions))
            for id in ended {
                try await Accounts.Event.sessionEnded(id, of: standing.account).append(
                    in: transaction, services: services)
            }
            return Accounts.SignedIn(
                account: try await own(standing.account), token: session.token, session: session.id,
                expiresAt: session.expiresAt)
        }
    }

    /// Ends one session of `account`: its token is dead with the commit, its sockets close with the event. Throws
    /// `.notFound` where it was over already.
    package func end(_ session: ID<Accounts.Session>, of account: ID<Accounts.Account>) async throws {
        try await services.database.transaction { transaction in
            guard try await transaction.run(Accounts.Statements.EndSession(session: session, account: account)) == 1
            else {
                throw Failure.notFound("session")
            }
            try await Accounts.Event.sessionEnded(session, of: account).append(in: transaction, services: services)
        }
    }

    /// Those of `sessions` that still hold: what an open socket asks from time to time. An open socket is use, so
    /// idleness does not count.
    package func living(sessions: [Int64]) async throws -> Set<Int64> {
        Set(try await services.database.all(Accounts.Statements.Living(sessions: sessions, now: services.clock.now())))
    }

    /// Living sessions of `account`, the last used first; at most 20.
    package func sessions(of account: ID<Accounts.Account>) async throws -> [Accounts.Session] {
        let now = services.clock.now()
        return try await services.database.all(
            Accounts.Statements.Sessions(account: account, now: now, idleSince: idleSince(now)))
    }

    /// A session's row and its token; for an account that is locked or was just made.
    func insertSession(
        of account: ID<Accounts.Account>, from origin: Accounts.Origin, in transaction: some Queryable
    ) async throws -> (id: ID<Accounts.Session>, token: Token, expiresAt: Timestamp) {
        let id: ID<Accounts.Session> = try services.ids.make()
        let token = Token.make(.session, from: services.random)
        let now = services.clock.now()
        let expiresAt = now + .seconds(Limits.accounts.sessionDays * 86_400)
        try await transaction.run(
            Accounts.Statements.InsertSession(
                id: id, account: account, digest: Bytes(token.digest), now: now,
                expiresAt: expiresAt, device: origin.deviceName, network: origin.network))
        return (id, token, expiresAt)
    }
}
