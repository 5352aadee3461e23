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
        try await house.database.one(Accounts.Statements.CountKinds())
    }

    /// Accounts of the demonstration after `after`, by identifier. At most `limit`.
    package func demoReaders(
        after: ID<Accounts.Account> = .min, limit: Int = 500
    ) async throws -> [ID<Accounts.Account>] {
        try await house.database.all(Accounts.Statements.DemoReaders(after: after, limit: limit))
    }

    /// Removes one account of the demonstration as if it had never been: friendships on both sides, reviews with their counts, acts, what the
    /// log says of it, sessions and the row itself, in one transaction. Sockets are told. Does nothing for an account that is not of the demonstration.
    package func removeDemoReader(_ account: ID<Accounts.Account>) async throws {
        try await house.database.transaction { transaction in
            guard try await transaction.first(Accounts.Statements.LockDemoReader(account: account)) != nil else {
                return
            }
            try await takeBack(account, in: transaction)
            try await transaction.run(Accounts.Statements.RemoveDemoReader(account: account))
        }
    }
}
