import Postgres

extension Groups.Store {
    /// Groups that read one work read another, in the transaction that merges them. Behind the boards, whose threads
    /// are locked: who writes in one says last that its group is active.
    func move(_ from: ID<Catalog.Work>, into target: ID<Catalog.Work>, in transaction: Transaction) async throws {
        try await transaction.run(Groups.Statements.MoveBook(from: from, into: target))
    }
}
