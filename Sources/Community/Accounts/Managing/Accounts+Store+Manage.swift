import Postgres

extension Accounts {
    /// A code that lets somebody sign up.
    package struct Invitation: Sendable {
        /// Shown once.
        package let code: Token
        package let uses: Int
        package let expiresAt: Timestamp
    }

    /// An account that is made by somebody else: the owner's, and those of the demonstration.
    package struct Enrolment: Sendable {
        package var username: String
        package var email: String
        package var name: String?
        package var bio: String?
        package var role: Role
        package var isDemo: Bool
        /// `nil`: now. Demonstration readers signed up earlier.
        package var createdAt: Timestamp?

        package init(
            username: String, email: String, name: String? = nil, bio: String? = nil, role: Role = .member,
            isDemo: Bool = false,
            createdAt: Timestamp? = nil
        ) {
            self.username = username
            self.email = email
            self.name = name
            self.bio = bio
            self.role = role
            self.isDemo = isDemo
            self.createdAt = createdAt
        }
    }
}

extension Accounts.Store {
    /// Hashes a password for `enrol`. Never inside a transaction. Throws `.invalid` for one that sign-up would refuse,
    /// `.busy`.
    package func hash(password: String, for enrolment: Accounts.Enrolment) async throws -> PasswordHash {
        var faults = Faults()
        Accounts.Password.check(password, username: enrolment.username, email: enrolment.email, into: &faults)
        try faults.check()
        return try await passwords.hash(password, salt: services.random.bytes(16))
    }

    /// Makes an account that is approved and verified, whatever the registration mode. Throws `.invalid` for faults and
    /// `taken`.
    package func enrol(_ enrolment: Accounts.Enrolment, password: PasswordHash) async throws -> ID<Accounts.Account> {
        var faults = Faults()
        if enrolment.role < .admin {
            Accounts.Username.check(enrolment.username, into: &faults)
        } else if !Accounts.Username.isWord(enrolment.username) {
            // The people who run the server may be called `admin`.
            faults.add("/username", .badFormat, "must have 3 to 30 letters, digits and underscores")
        }
        Accounts.Email.check(enrolment.email, into: &faults)
        if let name = enrolment.name { Accounts.Name.check(name, into: &faults) }
        if let bio = enrolment.bio { Accounts.Bio.check(bio, into: &faults) }
        try faults.check()
        return try await Failure.mapping(Self.takenConstraints) {
            let taken = try await services.database.one(
                Accounts.Statements.Taken(
                    username: Accounts.Username.fold(enrolment.username), email: Accounts.Email.fold(enrolment.email),
                    retired: retired(enrolment.username), now: services.clock.now()))
            faults.require(!taken.username, "/username", .taken, "is taken")
            try faults.check()
            let at = enrolment.createdAt ?? services.clock.now()
            let id: ID<Accounts.Account> = try services.ids.make(at: at)
            let new = Accounts.NewAccount(
                id: id, username: enrolment.username, email: enrolment.email, password: password,
                name: enrolment.name, bio: enrolment.bio, role: enrolment.role, approvedAt: at, verifiedAt: at,
                isDemo: enrolment.isDemo, createdAt: at)
            try await services.database.transaction { transaction in
                try await transaction.run(Accounts.Statements.Insert(new: new))
                for domain in Community.domains {
                    try await domain.accountBegins(id, at: at, of: services, in: transaction)
                }
            }
            return id
        }
    }

    /// Begins a session for an account without asking for its password: demonstration readers and tests.
    package func openSession(for account: ID<Accounts.Account>) async throws -> Token {
        try await services.database.transaction { transaction in
            guard try await transaction.first(Accounts.Statements.Lock(account: account)) != nil else {
                throw Failure.notFound("account")
            }
            return try await insertSession(of: account, from: Accounts.Origin(address: "local"), in: transaction).token
        }
    }

    /// Makes the first owner, or another one, and records it.
    package func createOwner(
        _ enrolment: Accounts.Enrolment, password: PasswordHash, by actor: Moderation.Actor
    ) async throws -> ID<Accounts.Account> {
        var enrolment = enrolment
        enrolment.role = .owner
        let owner = enrolment
        return try await services.database.transaction { transaction in
            let id = try await enrol(owner, password: password)
            try await moderation.record(
                "account.create_owner", on: .account(id), by: actor, reason: "owner created at the terminal",
                before: [:],
                after: ["role": Accounts.Role.owner.rawValue], in: transaction)
            return id
        }
    }

    /// Gives an account another role. The actor must stand above the old and the new one; the last owner stays one.
    /// Throws `.notFound`, `.forbidden` (`role_too_low`), `.conflict` (`last_owner`), `.invalid` (`/reason`).
    package func setRole(
        of username: String, to role: Accounts.Role, by actor: Moderation.Actor, reason: String
    ) async throws {
        try await act(.role, on: username, by: actor, reason: reason, wanted: ["role": role.rawValue])
    }

    /// Shuts an account out: it is seen by nobody; its sessions, access tokens, codes and sockets end. What it wrote is
    /// kept, unseen; of an account that is leaving until its day.
    /// Throws `.notFound`, `.forbidden` (`role_too_low`), `.conflict` (`already_suspended`, `last_owner`), `.invalid`
    /// (`/reason`).
    package func suspend(_ username: String, by actor: Moderation.Actor, reason: String) async throws {
        try await act(.suspend, on: username, by: actor, reason: reason)
    }

    /// Lets a suspended account in again, as what it was before (active, limited, frozen or leaving): it signs in anew.
    /// Throws as `suspend`, with `not_suspended`.
    package func unsuspend(_ username: String, by actor: Moderation.Actor, reason: String) async throws {
        try await act(.unsuspend, on: username, by: actor, reason: reason)
    }

    /// From now on only its friends see the account and what it says. Its sessions go on. Throws `.notFound`,
    /// `.forbidden` (`role_too_low`), `.conflict` (`already_limited`, `suspended`), `.invalid` (`/reason`).
    package func limit(_ username: String, by actor: Moderation.Actor, reason: String) async throws {
        try await act(.limit, on: username, by: actor, reason: reason)
    }

    /// From now on the account reads and does not write; what it wrote stays. Its sessions go on. Throws as `limit`,
    /// with `already_frozen`.
    package func freeze(_ username: String, by actor: Moderation.Actor, reason: String) async throws {
        try await act(.freeze, on: username, by: actor, reason: reason)
    }

    /// Makes a limited or frozen account active again. Throws as `limit`, with `already_active`.
    package func restore(_ username: String, by actor: Moderation.Actor, reason: String) async throws {
        try await act(.restore, on: username, by: actor, reason: reason)
    }

    private func act(
        _ verb: Moderation.Verb, on username: String, by actor: Moderation.Actor, reason: String,
        wanted: [String: String] = [:]
    ) async throws {
        var order = Moderation.Order(verb, by: actor, reason: reason)
        order.wanted = wanted
        guard try await moderation.act(order, on: .reader(Accounts.Username.fold(username))) == nil,
            let failure = Accounts.alreadySo(order)
        else {
            return
        }
        throw failure
    }

    /// Lets in an account that waits. Without a mail server that counts as proof of its address. Throws `.conflict`
    /// (`already_approved`).
    package func approve(_ username: String, by actor: Moderation.Actor, reason: String) async throws {
        let verifies = !services.settings.deliversMail
        try await act(on: username, by: actor, reason: reason, "account.approve") { standing, transaction in
            guard !standing.isApproved else {
                throw Failure.conflict(code: .alreadyApproved, "this account does not wait for approval")
            }
            try await transaction.run(
                Accounts.Statements.Approve(account: standing.account, at: services.clock.now(), verifies: verifies))
            try await standingChanged(of: standing.account, in: transaction)
            return (["approved": "false"], ["approved": "true"])
        }
    }

    /// Makes a code that sets a new password, for a reader whom no mail reaches; told now and never again. Throws
    /// `.notFound`, `.forbidden` (`role_too_low`), `.conflict` (`suspended`), `.invalid` (`/reason`).
    package func makeReset(of username: String, by actor: Moderation.Actor, reason: String) async throws -> Token {
        let code = Token.make(.reset, from: services.random)
        try await act(on: username, by: actor, reason: reason, "account.reset_password") { standing, transaction in
            guard standing.state != .suspended else {
                throw Failure.conflict(code: .suspended, "this account is suspended; unsuspend it first")
            }
            let now = services.clock.now()
            try await transaction.run(
                Accounts.Statements.InsertReset(
                    digest: Bytes(code.digest), account: standing.account, now: now,
                    expiresAt: now + .seconds(Limits.accounts.resetMinutes * 60)))
            return ([:], [:])
        }
        return code
    }

    /// Accounts that wait for approval, oldest first, at most 100.
    package func waiting() async throws -> [(username: String, at: Timestamp)] {
        try await services.database.all(Accounts.Statements.Waiting(limit: Limits.page.upperBound))
    }

    /// Makes an invitation for `uses` accounts (1...10,000), good for `days` (1...365). Its code is told now and never
    /// again.
    package func invite(uses: Int, days: Int64, by actor: Moderation.Actor) async throws -> Accounts.Invitation {
        var faults = Faults()
        let bounds = (uses: Limits.accounts.invitationUses, days: Limits.accounts.invitationAge)
        faults.require(
            bounds.uses.contains(uses), "/uses", .outOfRange,
            "must be \(bounds.uses.lowerBound) to \(bounds.uses.upperBound)")
        faults.require(
            bounds.days.contains(Int(clamping: days)), "/days", .outOfRange,
            "must be \(bounds.days.lowerBound) to \(bounds.days.upperBound)")
        try faults.check()
        let code = Token.make(.invitation, from: services.random)
        let now = services.clock.now()
        let expiresAt = now + .seconds(days * 86_400)
        try await services.database.run(
            Accounts.Statements.InsertInvitation(
                id: services.ids.make(), digest: Bytes(code.digest), uses: uses, maker: actor.text, now: now,
                expiresAt: expiresAt))
        return Accounts.Invitation(code: code, uses: uses, expiresAt: expiresAt)
    }

    /// One act that is no verb of moderators: finds and locks the account, checks that the actor stands above it, lets `change` do it,
    /// records it.
    private func act(
        on username: String, by actor: Moderation.Actor, reason: String, _ action: String,
        _ change:
            @Sendable (Accounts.Standing, Transaction) async throws -> (
                before: [String: String], after: [String: String]
            )
    ) async throws {
        try Moderation.check(reason: reason)
        try await services.database.transaction { transaction in
            guard
                let standing = try await transaction.first(
                    Accounts.Statements.FindByName(folded: Accounts.Username.fold(username)))
            else { throw Failure.notFound("account named \(username)") }
            try actor.mayActOn(standing.role)
            let (before, after) = try await change(standing, transaction)
            try await moderation.record(
                action, on: .account(standing.account), by: actor, reason: reason, before: before, after: after,
                in: transaction)
        }
    }
}
