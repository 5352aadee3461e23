import Postgres

extension Accounts {
    /// Who is here, by kind.
    package struct Census: Sendable, Hashable {
        /// Accounts of people, deleted ones left out.
        package let real: Int
        /// Accounts of the demonstration.
        package let demo: Int
    }
}

extension Accounts.Store {
    /// Counts accounts. Not for a request's path.
    package func census() async throws -> Accounts.Census {
        try await services.database.one(Accounts.Statements.CountKinds())
    }

    /// Accounts of the demonstration after `after`, by identifier. At most `limit`.
    package func demoReaders(
        after: ID<Accounts.Account> = .min, limit: Int = 500
    ) async throws -> [ID<Accounts.Account>] {
        try await services.database.all(Accounts.Statements.DemoReaders(after: after, limit: limit))
    }

    /// Removes one account of the demonstration as if it had never been: friendships on both sides, reviews with their
    /// counts, acts, what the log says of it, sessions and the row itself, in one transaction. Sockets are told. Does
    /// nothing for an account that is not of the demonstration. Of one that wrote on boards the row stays, as of any
    /// deleted account: the places of its posts keep their trees.
    package func removeDemoReader(_ account: ID<Accounts.Account>) async throws {
        let isDemo = try await services.database.transaction { transaction in
            try await transaction.first(Accounts.Statements.LockDemoReader(account: account)) != nil
        }
        guard isDemo else { return }
        // What jobs take back of other accounts, after their end, goes at once here: the row goes with it.
        for domain in Community.domains { try await domain.forget(account, in: services) }
        try await services.database.transaction { transaction in
            guard try await transaction.first(Accounts.Statements.LockDemoReader(account: account)) != nil else {
                return
            }
            try await takeBack(account, in: transaction)
            guard try await transaction.run(Accounts.Statements.RemoveDemoReader(account: account)) == 0 else { return }
            try await transaction.run(Accounts.Statements.EndSessions(account: account))
            try await transaction.run(Accounts.Statements.LeaveDemonstration(account: account))
            try await transaction.run(Accounts.Statements.Erase(account: account, at: services.clock.now()))
        }
    }
}
