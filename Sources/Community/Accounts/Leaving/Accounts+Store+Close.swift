import EventLog
import Postgres

extension Accounts.Store {
    /// Deletes an account at once, in one transaction (`leave` gives its owner 30 days): personal columns empty,
    /// sessions over, friendships, requests and blocks gone on both sides, reviews, acts and pictures removed, every
    /// count exact; what it said is taken out of the log, whose places stay. The row stays, so that nothing that
    /// happened points nowhere; the name is reserved for 90 days, so that nobody passes for who has left.
    ///
    /// With `departedBefore` it is deleted only where its grace had ended by then: its owner may have come back since
    /// that was read. Throws `.conflict` (`last_owner`), `.notFound` where it was deleted already, or stays.
    package func close(_ account: ID<Accounts.Account>, departedBefore: Timestamp? = nil) async throws {
        try await services.database.transaction { transaction in
            let standing = try await lockKnown(account, in: transaction)
            if let departedBefore {
                let departed = Accounts.Statements.HasDeparted(account: account, now: departedBefore)
                guard try await transaction.one(departed) else { throw Failure.notFound("departure") }
            }
            if standing.role == .owner { try await requireAnotherOwner(than: account, in: transaction) }
            try await transaction.run(Accounts.Statements.EndSessions(account: account))
            try await transaction.run(Accounts.Statements.RevokeAccessTokens(account: account))
            try await transaction.run(Accounts.Statements.DropVerifications(account: account))
            try await transaction.run(Accounts.Statements.DropResets(account: account))
            try await transaction.run(Accounts.Statements.DropEmailChange(account: account))
            try await transaction.run(Accounts.Statements.Stay(account: account))
            try await takeBack(account, in: transaction)
            let now = services.clock.now()
            if let username = standing.username {
                let until = now + .seconds(Limits.accounts.retiredDays * 86_400)
                try await transaction.run(Accounts.Statements.Retire(digest: retired(username), until: until))
            }
            let sight = try await transaction.one(Accounts.Statements.Erase(account: account, at: now))
            try await tell(sight, of: account, in: transaction)
        }
    }

    /// Whatever the account, which is locked, said and did, wherever it stands; its sockets are told.
    func takeBack(_ account: ID<Accounts.Account>, in transaction: Transaction) async throws {
        try await transaction.run(Accounts.Statements.LockWhole(account: account))
        try await Community.accountEnds(account, of: services, in: transaction)
        try await EventLog.redact(of: account.rawValue, in: transaction)
        for end in endings { try await end(account, transaction) }
        try await Accounts.Event.accountEnded(account).append(in: transaction, services: services)
    }

    /// Throws `.conflict` (`last_owner`) where no other owner could act.
    func requireAnotherOwner(than account: ID<Accounts.Account>, in transaction: some Queryable) async throws {
        guard try await !transaction.all(Accounts.Statements.OtherOwners(account: account)).isEmpty else {
            throw Failure.conflict(code: .lastOwner, "make another owner first: a server has at least one")
        }
    }
}
