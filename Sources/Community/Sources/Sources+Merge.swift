import Postgres

extension Sources {
    /// Where the facts of one edition came from counts for another, in the transaction that merges them.
    static func moveRecords(
        _ from: ID<Catalog.Edition>, into target: ID<Catalog.Edition>, in transaction: Transaction
    ) async throws {
        try await transaction.run(MoveRecords(from: from, into: target))
    }

    /// Forgets where the facts of these works' editions came from, in the transaction that removes them.
    static func removeRecords(of works: [ID<Catalog.Work>], in transaction: Transaction) async throws {
        try await transaction.run(RemoveRecords(works: works))
    }
}
