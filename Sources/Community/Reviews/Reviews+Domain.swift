import Postgres

extension Reviews: Domain {
    package static var eventKinds: [String] { EventKind.names }

    /// Deletes whatever the reader said, to others' reviews too, with the counts of it and the reader's acts, in `queryable`'s transaction: for the end of an
    /// account. Tells nobody one by one: the end of the account is an event of its own.
    package static func accountEnds(
        _ account: ID<Accounts.Account>, of house: House, in transaction: Transaction
    ) async throws {
        try await transaction.run(Statements.RemoveRepliesOf(author: account))
        try await transaction.run(Statements.RemoveReactionsOf(reader: account))
        for work in try await transaction.all(Statements.RemoveAll(reader: account)) {
            try await transaction.run(Catalog.BumpReaders(work: work, by: -1))
        }
        try await transaction.run(Feed.Statements.ForgetReader(reader: account))
    }
}
