import Postgres

extension Accounts {
    /// An address that its owner wants instead of the present one, as it was sent.
    package struct EmailWish: Sendable {
        package var email: String
        package var confirmation: String
        package var password: String

        package init(email: String, confirmation: String, password: String) {
            self.email = email
            self.confirmation = confirmation
            self.password = password
        }
    }

    /// A wish that was checked and counted, and waits for its transaction.
    package struct AdmittedEmail: Sendable {
        let email: String
        let confirmation: Confirmation
    }

    /// What became of a wish for another address.
    package struct EmailChange: Sendable, Hashable {
        package let email: String
        /// When the code that was mailed there stops working; `nil` where the address is the account's already.
        package let expiresAt: Timestamp?
    }
}

extension Accounts.Store {
    /// Counts and checks a wish for another address. Never inside a transaction. Throws `.invalid` with every fault
    /// (`/email` `bad_format`, …, `/email_confirmation` `mismatch`), `.wrongCredentials`, `.limited`, `.busy`.
    package func admit(
        _ wish: Accounts.EmailWish, of account: ID<Accounts.Account>
    ) async throws -> Accounts.AdmittedEmail {
        var faults = Faults()
        Accounts.Email.check(wish.email, into: &faults)
        faults.require(
            Accounts.Email.fold(wish.email) == Accounts.Email.fold(wish.confirmation), "/email_confirmation",
            .mismatch, "is not the same address")
        try faults.check()
        let confirmation = try await confirm(password: wish.password, of: account)
        let bound = Int64(Limits.accounts.emailChangesPerHour)
        try await throttle.count(.emailChangesPerAccount, of: account.text, upTo: bound)
        return Accounts.AdmittedEmail(email: wish.email, confirmation: confirmation)
    }

    /// Mails a code to the new address and a notice to the present one, which stays until the code is used. Says
    /// nothing about whether the new one is somebody's: who reads its mail learns that.
    ///
    /// Where this server sends no mail the address changes at once; throws `.invalid` (`/email` `taken`) then, and
    /// always `.wrongCredentials` where the password has changed meanwhile.
    package func changeEmail(to wish: Accounts.AdmittedEmail) async throws -> Accounts.EmailChange {
        let account = wish.confirmation.account
        return try await Failure.mapping(Self.takenConstraints) {
            try await services.database.transaction { transaction in
                let now = services.clock.now()
                try await lockKnown(account, in: transaction)
                try await requireStill(wish.confirmation, in: transaction)
                let present = try await addressee(account, in: transaction)
                guard services.settings.deliversMail else {
                    try await transaction.run(
                        Accounts.Statements.SetEmail(account: account, email: wish.email, verifiedAt: nil))
                    return Accounts.EmailChange(email: wish.email, expiresAt: nil)
                }
                let code = Token.make(.emailChange, from: services.random)
                let expiresAt = now + .seconds(Limits.accounts.verificationHours * 3600)
                try await transaction.run(
                    Accounts.Statements.PutEmailChange(
                        account: account, digest: Bytes(code.digest), email: wish.email, now: now,
                        expiresAt: expiresAt))
                var new = present
                new.email = wish.email
                try await send(.confirmNewAddress(code), to: new, in: transaction)
                try await send(.newAddressAsked, to: present, in: transaction)
                return Accounts.EmailChange(email: wish.email, expiresAt: expiresAt)
            }
        }
    }

    /// Uses the code that was mailed to a new address: from now on it is the account's, and proven. Of twenty uses at
    /// once exactly one succeeds. Throws `.invalid`: `/token` `unknown`; `/email` `taken` where it became somebody
    /// else's meanwhile.
    package func confirmEmail(token text: String) async throws {
        let unknown = Failure.invalid([Self.unknownCode])
        guard let code = Token(.emailChange, text: text) else { throw unknown }
        try await Failure.mapping(Self.takenConstraints) {
            try await services.database.transaction { transaction in
                let now = services.clock.now()
                let digest = Bytes(code.digest)
                // The account is locked before its codes, as everywhere.
                guard
                    let account = try await transaction.first(
                        Accounts.Statements.FindEmailChange(digest: digest, now: now)),
                    let standing = try await transaction.first(Accounts.Statements.Lock(account: account)),
                    standing.state != .suspended,
                    let email = try await transaction.first(
                        Accounts.Statements.TakeEmailChange(digest: digest, now: now))
                else { throw unknown }
                let former = try await addressee(account, in: transaction)
                try await transaction.run(Accounts.Statements.SetEmail(account: account, email: email, verifiedAt: now))
                try await transaction.run(Accounts.Statements.DropResets(account: account))
                try await transaction.run(Accounts.Statements.DropVerifications(account: account))
                if !standing.isVerified { try await standingChanged(of: account, in: transaction) }
                try await send(.addressChanged, to: former, in: transaction)
            }
        }
    }
}
