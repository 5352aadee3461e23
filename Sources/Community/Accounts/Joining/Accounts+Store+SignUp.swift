import Jobs
import Postgres

extension Accounts {
    /// A sign-up that has been counted, checked and hashed, and waits for its transaction.
    package struct Admission: Sendable {
        let registration: Registration
        let password: PasswordHash
        let invitation: Token?
    }
}

extension Accounts.Store {
    /// Everything of a sign-up that is slow or outlasts a refusal. Never inside a transaction.
    ///
    /// `faults` are those that the caller has found already; the failure names them together with ours, those for the
    /// same field once. Nothing is hashed for one whose name is taken or whose invitation is worthless; whether its
    /// address is taken shows in its transaction. A repetition of one that succeeded finds its own account: its answer
    /// is looked for before. Where one comes by invitation, only who holds one that is good learns what is taken.
    /// Whether an address has an account is told where nothing else is at fault, so that asking about a free one makes
    /// an account. Throws `.forbidden` (`registration_closed`), `.limited`, `.invalid` with every fault, `.busy`.
    package func admit(
        _ registration: Accounts.Registration, from origin: Accounts.Origin, besides faults: [Failure.Fault] = []
    ) async throws -> Accounts.Admission {
        guard services.settings.registration != .closed else {
            throw Failure.forbidden(code: .registrationClosed, "this server takes no new readers")
        }
        try await throttle.countAddress(.signUpsPerAddress, origin)
        let known = Set(faults.map(\.pointer))
        var all = faults + registration.faults().filter { !known.contains($0.pointer) }
        let invitation = registration.invitation.flatMap { Token(.invitation, text: $0) }
        if registration.invitation == nil, services.settings.registration == .invite {
            all.append(Failure.Fault("/invitation", .required, "this server takes new readers by invitation"))
        } else if registration.invitation != nil, invitation == nil, !known.contains("/invitation") {
            all.append(Self.worthlessInvitation)
        }
        guard all.isEmpty else {
            let asked = Set(all.map(\.pointer))
            var isInvited = false
            if let invitation {
                isInvited = try await holds(invitation)
                if !isInvited { all.append(Self.worthlessInvitation) }
            }
            if isInvited || services.settings.registration != .invite {
                all += try await takenFaults(registration, besides: asked.union(["/email"]), in: services.database)
            }
            throw Failure.invalid(all)
        }
        if let invitation, try await !holds(invitation) { throw Failure.invalid([Self.worthlessInvitation]) }
        let taken = try await takenFaults(registration, besides: ["/email"], in: services.database)
        guard taken.isEmpty else { throw Failure.invalid(taken) }
        return Accounts.Admission(
            registration: registration,
            password: try await passwords.hash(registration.password, salt: services.random.bytes(16)),
            invitation: invitation)
    }

    /// Makes the account, its first session and the mail that proves the address, in one transaction.
    ///
    /// No session where the account waits for approval. Throws `.invalid` with `taken` where somebody was faster, or
    /// with `/invitation` `unknown` where the last place went meanwhile.
    package func register(
        _ admission: Accounts.Admission, from origin: Accounts.Origin
    ) async throws -> Accounts.SignedIn {
        try await Failure.mapping(Self.takenConstraints) {
            try await services.database.transaction { transaction in
                let now = services.clock.now()
                let invitation = try await enter(admission, at: now, in: transaction)
                let isApproved = services.settings.registration != .approval || invitation != nil
                let countsAsProof = !services.settings.deliversMail && invitation != nil
                let new = Accounts.NewAccount(
                    id: try services.ids.make(), username: admission.registration.username,
                    email: admission.registration.email,
                    password: admission.password, name: admission.registration.name, approvedAt: isApproved ? now : nil,
                    verifiedAt: countsAsProof ? now : nil, invitation: invitation, createdAt: now)
                try await transaction.run(Accounts.Statements.Insert(new: new))
                for domain in Community.domains {
                    try await domain.accountBegins(new.id, at: now, of: services, in: transaction)
                }
                if services.settings.deliversMail {
                    let addressee = Accounts.Addressee(account: new.id, username: new.username, email: new.email)
                    try await mailVerification(to: addressee, in: transaction)
                }
                let session = isApproved ? try await insertSession(of: new.id, from: origin, in: transaction) : nil
                try await throttle.remember(origin, of: Accounts.Failures.subject(new.id), in: transaction)
                return Accounts.SignedIn(
                    account: try await own(new.id), token: session?.token, session: session?.id,
                    expiresAt: session?.expiresAt)
            }
        }
    }

    static let takenConstraints: KeyValuePairs<String, Failure> = [
        "account_username_key": .invalid("/username", .taken, "is taken"),
        "account_email_key": .invalid("/email", .taken, "belongs to an account already"),
    ]

    /// `taken` for what is in use, asked in one round trip, for fields that are not at fault already.
    private func takenFaults(
        _ registration: Accounts.Registration, besides known: Set<String>, in queryable: some Queryable
    ) async throws -> [Failure.Fault] {
        let asksUsername = !known.contains("/username")
        let asksEmail = !known.contains("/email")
        guard asksUsername || asksEmail else { return [] }
        let taken = try await queryable.one(
            Accounts.Statements.Taken(
                username: asksUsername ? Accounts.Username.fold(registration.username) : "",
                email: asksEmail ? Accounts.Email.fold(registration.email) : "",
                retired: asksUsername ? retired(registration.username) : Bytes([]), now: services.clock.now()))
        var faults = Faults()
        faults.require(!taken.username, "/username", .taken, "is taken")
        faults.require(!taken.email, "/email", .taken, "belongs to an account already")
        return faults.all
    }

    private static let worthlessInvitation = Failure.Fault(
        "/invitation", .unknown, "there is no such invitation, or it is used up or too old")

    private func holds(_ invitation: Token) async throws -> Bool {
        try await services.database.first(
            Accounts.Statements.FindInvitation(digest: Bytes(invitation.digest), now: services.clock.now())) != nil
    }

    /// Uses the invitation, if there is one, and sees that nobody was faster; every fault at once.
    private func enter(
        _ admission: Accounts.Admission, at now: Timestamp, in transaction: some Queryable
    ) async throws -> ID<Accounts.Invitation>? {
        var faults: [Failure.Fault] = []
        var used: ID<Accounts.Invitation>?
        if let invitation = admission.invitation {
            used = try await transaction.first(
                Accounts.Statements.UseInvitation(digest: Bytes(invitation.digest), now: now))
            if used == nil { faults.append(Self.worthlessInvitation) }
        }
        if used != nil || services.settings.registration != .invite {
            faults = try await takenFaults(admission.registration, besides: [], in: transaction) + faults
        }
        if faults.count > 1 { faults.removeAll { $0.pointer == "/email" } }
        guard faults.isEmpty else { throw Failure.invalid(faults) }
        return used
    }
}
