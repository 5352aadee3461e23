import Postgres

extension Library: Domain {
    package static var eventKinds: [String] { EventKind.names }

    /// Deletes a reader's library, lists and links, in `queryable`'s transaction: for the end of an account. Tells
    /// nobody one by one.
    package static func accountEnds(
        _ account: ID<Accounts.Account>, of house: House, in transaction: Transaction
    ) async throws {
        try await transaction.run(Accounts.Statements.LockState(reader: account))
        _ = try await transaction.one(Library.Statements.RemoveAll(reader: account))
    }

    package static func worksAreToMerge(_ merge: Merge<Catalog.Work>, in transaction: Transaction) async throws {
        try await transaction.run(Statements.LockReadersOf(works: [merge.from, merge.into]))
    }

    package static func worksChange(_ change: WorksChange, in transaction: Transaction) async throws {
        switch change {
        case .byHand(let works), .imported(let works): try await sortAnew(works, in: transaction)
        case .renamed(let authors): try await sortAnew(worksOf: authors, in: transaction)
        }
    }
}
