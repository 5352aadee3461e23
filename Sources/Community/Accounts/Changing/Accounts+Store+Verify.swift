import Jobs
import Postgres

extension Accounts {
    /// Who gets a mail.
    struct Addressee: Sendable {
        let account: ID<Account>
        let username: String
        var email: String
    }
}

extension Accounts.Store {
    /// Uses a token that was mailed. Of twenty uses at once exactly one succeeds. Throws `.invalid` (`/token`
    /// `unknown`) for one that was used, has run out, was never sent, or was sent to an address that is no longer the
    /// account's.
    package func verifyEmail(token text: String) async throws {
        let unknown = Failure.invalid("/token", .unknown, "was used already, has run out or was never sent")
        guard let token = Token(.verification, text: text) else { throw unknown }
        try await services.database.transaction { transaction in
            let now = services.clock.now()
            let digest = Bytes(token.digest)
            // The account is locked before its codes, as everywhere.
            guard
                let account = try await transaction.first(
                    Accounts.Statements.FindVerification(digest: digest, now: now)),
                try await transaction.first(Accounts.Statements.Lock(account: account)) != nil,
                let used = try await transaction.first(Accounts.Statements.UseVerification(digest: digest, now: now)),
                try await transaction.run(
                    Accounts.Statements.Verify(account: used.account, emailFolded: used.emailFolded, at: now)) == 1
            else { throw unknown }
            try await transaction.run(Accounts.Statements.DropVerifications(account: used.account))
            try await standingChanged(of: used.account, in: transaction)
        }
    }

    /// Counts a wish for another mail. Never inside a transaction. Throws `.limited` by address and by wished-for
    /// address alike, whether or not there is such an account.
    package func admitResend(to email: String, from origin: Accounts.Origin) async throws {
        try await throttle.countAddress(.verificationsPerAddress, origin)
        try await throttle.count(
            .verificationsPerAccount, of: Accounts.Email.fold(email), upTo: Int64(Limits.accounts.verificationsPerHour))
    }

    /// Has another token mailed, if the address belongs to an account that has yet to prove it. Whether it does is
    /// asked by the job: the call itself does the same, and takes as long, for every address.
    package func askForVerification(of email: String) async throws {
        guard services.settings.deliversMail else { return }
        try await Accounts.MailVerification(to: email, sealedBy: services.settings.secret).enqueue(
            in: services.database)
    }

    /// Mails the token, as part of `transaction`; nothing for an address that needs none.
    func mailVerification(to email: String, in transaction: Transaction) async throws {
        let find = Accounts.Statements.FindUnverified(emailFolded: Accounts.Email.fold(email))
        guard let addressee = try await transaction.first(find) else { return }
        try await mailVerification(to: addressee, in: transaction)
    }

    /// A token and the job that mails it, as part of `transaction`. Only the mail holds the token itself, sealed while
    /// it waits.
    func mailVerification(to addressee: Accounts.Addressee, in transaction: some Queryable) async throws {
        let token = Token.make(.verification, from: services.random)
        let now = services.clock.now()
        try await transaction.run(
            Accounts.Statements.InsertVerification(
                digest: Bytes(token.digest), account: addressee.account,
                emailFolded: Accounts.Email.fold(addressee.email),
                now: now, expiresAt: now + .seconds(Limits.accounts.verificationHours * 3600)))
        try await send(.confirmAddress(token), to: addressee, in: transaction)
    }

    /// Its ratings count from now on, or no longer.
    func standingChanged(of account: ID<Accounts.Account>, in transaction: some Queryable) async throws {
        for domain in Community.domains { try await domain.standingChanges(of: account, in: transaction) }
    }
}
