import Jobs
import Postgres

extension Accounts {
    /// A password that its owner changes, as it was sent.
    package struct PasswordChange: Sendable {
        package var present: String
        package var new: String
        package var confirmation: String

        package init(present: String, new: String, confirmation: String) {
            self.present = present
            self.new = new
            self.confirmation = confirmation
        }
    }

    /// A password that is forgotten, with the code that was mailed.
    package struct PasswordReset: Sendable {
        package var token: String
        package var new: String
        package var confirmation: String

        package init(token: String, new: String, confirmation: String) {
            self.token = token
            self.new = new
            self.confirmation = confirmation
        }
    }

    /// A new password that was checked and hashed, and waits for its transaction.
    package struct NewPassword: Sendable {
        let account: ID<Account>
        /// What it was compared with: another one by now means that somebody was faster.
        let former: PasswordHash
        let hash: PasswordHash
    }

    /// A reset whose code was good when it was looked at.
    package struct AdmittedReset: Sendable {
        let code: Token
        let hash: PasswordHash
    }
}

extension Accounts.Store {
    /// Everything of a change that is slow or outlasts a refusal. Never inside a transaction.
    /// Throws `.invalid` with every fault (`/new_password` `too_short`, `too_common`, …;
    /// `/new_password_confirmation` `mismatch`), `.wrongCredentials`, `.limited`, `.busy`.
    package func prepare(
        _ change: Accounts.PasswordChange, of account: ID<Accounts.Account>
    ) async throws -> Accounts.NewPassword {
        let own = try await own(account)
        var faults = Faults()
        Accounts.Password.check(
            change.new, username: own.username, email: own.email, into: &faults, at: "/new_password")
        faults.require(
            change.new.utf8.elementsEqual(change.confirmation.utf8), "/new_password_confirmation", .mismatch,
            "is not the same password")
        try faults.check()
        let former = try await confirm(password: change.present, of: account)
        return Accounts.NewPassword(
            account: account, former: former.hash,
            hash: try await passwords.hash(change.new, salt: services.random.bytes(16)))
    }

    /// Sets the password. The other sessions end, with their sockets, and open codes for the account are worthless;
    /// access tokens stay. Throws `.wrongCredentials` where the password has changed meanwhile.
    package func setPassword(_ new: Accounts.NewPassword, keeping session: ID<Accounts.Session>) async throws {
        try await services.database.transaction { transaction in
            _ = try await lockKnown(new.account, in: transaction)
            guard
                try await transaction.run(
                    Accounts.Statements.Rehash(account: new.account, old: new.former, new: new.hash)) == 1
            else { throw Self.wrongPassword }
            try await endSessions(of: new.account, but: session, in: transaction)
            try await dropCodes(of: new.account, in: transaction)
            try await send(.passwordChanged, to: try await addressee(new.account, in: transaction), in: transaction)
        }
    }

    // MARK: Forgotten

    /// Counts a wish for a reset. Never inside a transaction. Throws `.limited` by address and by wished-for address
    /// alike, whether or not there is such an account; `.conflict` (`no_mail`) where this server sends none.
    package func admitReset(of email: String, from origin: Accounts.Origin) async throws {
        guard services.settings.deliversMail else { throw Self.noMail }
        try await throttle.countAddress(.resetsPerAddress, origin)
        let bound = Int64(Limits.accounts.resetsPerHour)
        try await throttle.count(.resetsPerAccount, of: Accounts.Email.fold(email), upTo: bound)
    }

    /// Has a code mailed, if the address belongs to an account that may sign in. Whether it does is asked by the job:
    /// the call itself does the same, and takes as long, for every address.
    package func askForReset(of email: String) async throws {
        try await Accounts.MailReset(to: email, sealedBy: services.settings.secret).enqueue(in: services.database)
    }

    /// Mails the code, as part of `transaction`; nothing for an address that is nobody's.
    func mailReset(to email: String, in transaction: Transaction) async throws {
        guard
            let addressee = try await transaction.first(
                Accounts.Statements.FindForReset(emailFolded: Accounts.Email.fold(email)))
        else { return }
        let code = Token.make(.reset, from: services.random)
        let now = services.clock.now()
        try await transaction.run(
            Accounts.Statements.InsertReset(
                digest: Bytes(code.digest), account: addressee.account, now: now,
                expiresAt: now + .seconds(Limits.accounts.resetMinutes * 60)))
        try await send(.resetPassword(code), to: addressee, in: transaction)
    }

    /// Everything of a reset that is slow. Never inside a transaction. Throws `.invalid` with every fault (`/token`
    /// `unknown`, `/password` …, `/password_confirmation` `mismatch`), `.busy`.
    package func admit(_ reset: Accounts.PasswordReset) async throws -> Accounts.AdmittedReset {
        var faults = Faults()
        let code = Token(.reset, text: reset.token)
        var found: Accounts.Addressee?
        if let code {
            found = try await services.database.first(
                Accounts.Statements.FindReset(digest: Bytes(code.digest), now: services.clock.now()))
        }
        if found == nil { faults.add(contentsOf: [Self.unknownCode]) }
        Accounts.Password.check(reset.new, username: found?.username ?? "", email: found?.email ?? "", into: &faults)
        faults.require(
            reset.new.utf8.elementsEqual(reset.confirmation.utf8), "/password_confirmation", .mismatch,
            "is not the same password")
        try faults.check()
        guard let code else { throw Failure.invalid([Self.unknownCode]) }
        return Accounts.AdmittedReset(
            code: code, hash: try await passwords.hash(reset.new, salt: services.random.bytes(16)))
    }

    /// Sets the password that was forgotten. Every session and access token of the account ends, with its sockets;
    /// the code has proven the address. Of twenty uses at once exactly one succeeds. Throws `.invalid` (`/token`
    /// `unknown`) for the others.
    package func resetPassword(_ reset: Accounts.AdmittedReset) async throws {
        try await services.database.transaction { transaction in
            let now = services.clock.now()
            let find = Accounts.Statements.FindReset(digest: Bytes(reset.code.digest), now: now)
            // The account is locked before its codes, as everywhere; a caller that waited for the lock asks again.
            guard let addressee = try await transaction.first(find),
                let standing = try await transaction.first(Accounts.Statements.Lock(account: addressee.account)),
                try await transaction.first(find) != nil
            else { throw Failure.invalid([Self.unknownCode]) }
            let account = addressee.account
            try await transaction.run(Accounts.Statements.SetPassword(account: account, hash: reset.hash))
            try await transaction.run(
                Accounts.Statements.Verify(
                    account: account, emailFolded: Accounts.Email.fold(addressee.email), at: now))
            try await endEverySession(of: account, in: transaction)
            try await dropCodes(of: account, in: transaction)
            try await transaction.run(Accounts.Statements.DropVerifications(account: account))
            if !standing.isVerified { try await standingChanged(of: account, in: transaction) }
            try await send(.passwordChanged, to: addressee, in: transaction)
        }
    }

    // MARK: What both share

    static let wrongPassword = Failure.wrongCredentials("That is not the password of this account.")
    static let noMail = Failure.conflict(code: .noMail, "this server sends no mail: ask its owner")
    static let unknownCode = Failure.Fault("/token", .unknown, "was used already, has run out or was never sent")

    /// Locks an account that is not deleted. Throws `.notFound`.
    @discardableResult
    func lockKnown(_ account: ID<Accounts.Account>, in transaction: some Queryable) async throws -> Accounts.Standing {
        guard let standing = try await transaction.first(Accounts.Statements.Lock(account: account)) else {
            throw Failure.notFound("account")
        }
        return standing
    }

    /// Where mails to `account` go.
    func addressee(_ account: ID<Accounts.Account>, in queryable: some Queryable) async throws -> Accounts.Addressee {
        try await queryable.one(Accounts.Statements.AddresseeOf(account: account))
    }

    /// Makes every code worthless by which somebody could take the account over.
    func dropCodes(of account: ID<Accounts.Account>, in transaction: some Queryable) async throws {
        try await transaction.run(Accounts.Statements.DropResets(account: account))
        try await transaction.run(Accounts.Statements.DropEmailChange(account: account))
    }
}
