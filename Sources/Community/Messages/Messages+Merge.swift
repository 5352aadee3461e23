import Postgres

extension Messages.Store {
    /// Takes the cards of one work over to another, in the transaction in which a librarian merges them.
    func move(_ from: ID<Catalog.Work>, into target: ID<Catalog.Work>, in transaction: Transaction) async throws {
        try await transaction.run(Messages.Statements.MoveCards(from: from, into: target))
    }
}
