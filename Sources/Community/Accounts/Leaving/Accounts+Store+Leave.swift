import Jobs
import Logging
import Postgres

extension Accounts {
    /// Hourly: deletes the accounts whose grace has ended.
    package struct Depart: Job {
        package static let kind = "accounts.depart"
        package static let timeout = Duration.seconds(1800)
        package var uniqueKey: String? { "all" }
    }
}

extension Accounts.Store {
    /// Lets an account go: from now on nothing of it is seen, its sessions and access tokens are over, and in 30 days
    /// it is deleted. A reader who signs in before then stays, as what they were. Ask for the password before
    /// (`confirm`). Gives the day.
    ///
    /// Throws `.conflict` (`last_owner`), `.notFound` where it is deleted, `.wrongCredentials` where the
    /// password that was `confirmed` is another one by now.
    @discardableResult
    package func leave(
        _ account: ID<Accounts.Account>, confirmed: Accounts.Confirmation? = nil
    ) async throws -> Timestamp {
        try await services.database.transaction { transaction in
            let standing = try await lockKnown(account, in: transaction)
            if let confirmed { try await requireStill(confirmed, in: transaction) }
            if standing.role == .owner { try await requireAnotherOwner(than: account, in: transaction) }
            guard standing.state != .suspended else { throw Failure.unauthenticated() }
            let now = services.clock.now()
            let due = try await transaction.one(
                Accounts.Statements.Leave(
                    account: account, now: now, due: now + .seconds(Limits.accounts.graceDays * 86_400)))
            // The first wish counts.
            guard standing.state != .leaving else { return due }
            try await setState(of: account, to: .leaving, in: transaction)
            try await endEverySession(of: account, in: transaction)
            try await send(.leaving(until: due), to: try await addressee(account, in: transaction), in: transaction)
            return due
        }
    }

    /// The owner of a leaving account, which is locked, is back.
    func stay(_ standing: Accounts.Standing, in transaction: some Queryable) async throws {
        guard standing.state == .leaving else { return }
        try await transaction.run(Accounts.Statements.Stay(account: standing.account))
        try await setState(of: standing.account, to: standing.stateBefore ?? .active, in: transaction)
    }

    /// Deletes every account whose grace has ended, one transaction each. One that cannot go keeps nobody else: it
    /// waits where no other owner is left; any other fault is thrown once all have had their turn.
    package func closeDeparted() async throws {
        let now = services.clock.now()
        var after = (due: Timestamp(microseconds: 0), account: ID<Accounts.Account>.min)
        var fault: (any Error)?
        while true {
            let due = try await services.database.all(
                Accounts.Statements.Departed(now: now, after: after.due, account: after.account, limit: 100))
            guard let last = due.last else { break }
            for departure in due {
                do {
                    try await close(departure.account, departedBefore: now)
                } catch Failure.notFound {
                    // Its owner has come back, or somebody else has closed it, since the list was read.
                } catch Failure.conflict(let code, _) {
                    services.logger.warning(
                        "an account cannot be deleted yet",
                        metadata: ["account_id": "\(departure.account)", "code": "\(code)"])
                } catch let error as CancellationError {
                    throw error
                } catch {
                    services.logger.error(
                        "an account could not be deleted",
                        metadata: ["account_id": "\(departure.account)", "error": "\(error)"])
                    fault = fault ?? error
                }
            }
            after = last
        }
        if let fault { throw fault }
    }
}
