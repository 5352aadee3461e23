import Postgres

extension Praise: Domain {
    package static var eventKinds: [String] { EventKind.names }

    /// Deletes what the reader held up, with the counts of it, in `queryable`'s transaction: for the end of an
    /// account. Acts go with the reviews'. Tells nobody one by one.
    package static func accountEnds(
        _ account: ID<Accounts.Account>, of house: House, in transaction: Transaction
    ) async throws {
        for work in try await transaction.all(Statements.RemoveAll(reader: account)) {
            try await transaction.run(Catalog.BumpRecommends(work: work, by: -1))
        }
    }
}
