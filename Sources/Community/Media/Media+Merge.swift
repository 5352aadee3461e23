import Postgres

extension Media {
    /// The cover of one edition becomes that of another, in the transaction that merges them. Where that one has a cover it keeps its own, and
    /// the sweep removes the picture that is shown nowhere any more.
    static func moveCover(
        _ from: ID<Catalog.Edition>, into target: ID<Catalog.Edition>, in transaction: Transaction
    ) async throws {
        try await transaction.run(Statements.MoveCover(from: from, into: target))
        try await transaction.run(Statements.DropCover(edition: from))
    }
}
