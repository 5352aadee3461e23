import Postgres

extension Accounts.Store {
    /// Ends every session of `account`: tokens are dead with the commit, sockets close with the events. Access tokens
    /// stay.
    package func endSessions(of account: ID<Accounts.Account>) async throws {
        try await services.database.transaction { transaction in
            try await lockKnown(account, in: transaction)
            try await endSessions(of: account, but: nil, in: transaction)
        }
    }

    /// Ends every session of `account` but `kept`.
    package func endSessions(of account: ID<Accounts.Account>, but kept: ID<Accounts.Session>) async throws {
        try await services.database.transaction { transaction in
            try await lockKnown(account, in: transaction)
            try await endSessions(of: account, but: kept, in: transaction)
        }
    }

    /// Ends the sessions of an account that is locked; `kept` stays.
    func endSessions(
        of account: ID<Accounts.Account>, but kept: ID<Accounts.Session>?, in transaction: some Queryable
    ) async throws {
        let ended = try await transaction.all(Accounts.Statements.EndSessionsBut(account: account, kept: kept ?? .min))
        for session in ended {
            try await Accounts.Event.sessionEnded(session, of: account).append(in: transaction, services: services)
        }
    }

    /// Ends everything by which somebody could act as the account, which is locked: sessions and access tokens, with
    /// their sockets.
    func endEverySession(of account: ID<Accounts.Account>, in transaction: some Queryable) async throws {
        try await transaction.run(Accounts.Statements.EndSessions(account: account))
        try await transaction.run(Accounts.Statements.RevokeAccessTokens(account: account))
        try await Accounts.Event.accountEnded(account).append(in: transaction, services: services)
    }
}
