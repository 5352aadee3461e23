import Postgres

extension Accounts.Store {
    /// Deletes an account, in one transaction: personal columns empty, sessions over, friendships, requests and blocks gone on both sides,
    /// reviews and acts removed, every count exact. The row stays, so that nothing that happened points nowhere.
    ///
    /// Ask for the password before (`confirm`). Throws `.conflict` (`last_owner`), `.notFound` where it was deleted already.
    package func close(_ account: ID<Accounts.Account>) async throws {
        try await house.database.transaction { transaction in
            guard let standing = try await transaction.first(Accounts.Statements.Lock(account: account)) else {
                throw Failure.notFound("account")
            }
            if standing.role == .owner { try await requireAnotherOwner(than: account, in: transaction) }
            try await transaction.run(Accounts.Statements.EndSessions(account: account))
            try await transaction.run(Accounts.Statements.DropVerifications(account: account))
            try await Friends.Store(house).forget(account, in: transaction)
            try await Reviews.Store(house).removeAll(of: account, in: transaction)
            try await transaction.run(Accounts.Statements.Erase(account: account, at: house.clock.now()))
            try await Accounts.Event.accountEnded(account).append(in: transaction, house: house)
        }
    }

    /// Throws `.conflict` (`last_owner`) where no other owner could act.
    func requireAnotherOwner(than account: ID<Accounts.Account>, in transaction: some Queryable) async throws {
        guard try await !transaction.all(Accounts.Statements.OtherOwners(account: account)).isEmpty else {
            throw Failure.conflict(code: "last_owner", "make another owner first: a server has at least one")
        }
    }
}
