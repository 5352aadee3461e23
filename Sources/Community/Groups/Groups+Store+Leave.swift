import Postgres

extension Groups.Store {
    /// Takes a reader out of every group, and what they asked for, were invited into and sent; groups pass on as when
    /// they leave. To be called in the transaction that ends an account, which is locked, before its counters go.
    package func removeAll(of reader: ID<Accounts.Account>, in transaction: Transaction) async throws {
        for known in try await transaction.all(Groups.Statements.GroupsOf(reader: reader)) {
            guard try await transaction.first(Groups.Statements.LockGroup(group: known.group)) != nil else { continue }
            let standing = Groups.Statements.StandingIn(group: known.group, reader: reader)
            // Somebody may have removed them, or given them another role, while this waited.
            guard let role = try await transaction.first(standing)?.role else { continue }
            try await takeOut(reader, role: role, of: known.group, in: transaction)
        }
        try await transaction.run(Groups.Statements.Forget(reader: reader))
    }

    /// Invitations between two readers end, in the transaction in which one blocks the other.
    func blocked(
        _ one: ID<Accounts.Account>, _ other: ID<Accounts.Account>, in transaction: some Queryable
    ) async throws {
        try await transaction.run(Groups.Statements.EndBetween(one: one, other: other, at: house.clock.now()))
    }

    /// Groups that read one work read another, in the transaction that merges them. Behind the boards, whose threads
    /// are locked: who writes in one says last that its group is active.
    func move(_ from: ID<Catalog.Work>, into target: ID<Catalog.Work>, in transaction: Transaction) async throws {
        try await transaction.run(Groups.Statements.MoveBook(from: from, into: target))
    }
}
