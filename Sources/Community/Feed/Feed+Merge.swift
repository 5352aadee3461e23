import Postgres

extension Feed.Store {
    /// What was done with one work was done with another: in the transaction that merges them.
    func move(_ from: ID<Catalog.Work>, into target: ID<Catalog.Work>, in transaction: Transaction) async throws {
        try await transaction.run(Feed.Statements.MoveActs(from: from, into: target))
    }
}
