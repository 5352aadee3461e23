import Jobs
import Postgres

extension Boards: Domain {
    package static var eventKinds: [String] { EventKind.names }

    package static func worksAreToMerge(_ merge: Merge<Catalog.Work>, in transaction: Transaction) async throws {
        try await merge.run([lockThreads], in: transaction)
    }

    /// To be called in the transaction that ends an account, which is locked. What it marked and follows goes at once;
    /// what others count goes in portions (`Boards.Forget`), so that no thread waits for all of it. Until then nobody
    /// sees it: the account has no reach.
    package static func accountEnds(
        _ account: ID<Accounts.Account>, of house: House, in transaction: Transaction
    ) async throws {
        try await transaction.run(Boards.Statements.DropMarkers(reader: account))
        try await transaction.run(Boards.Statements.DropBoardMarkers(reader: account))
        try await transaction.run(Boards.Statements.DropBoardReads(reader: account))
        guard try await transaction.one(Boards.Statements.HasSaid(account: account)) else { return }
        try await Boards.Forget(gone: account).enqueue(in: transaction)
    }
}
