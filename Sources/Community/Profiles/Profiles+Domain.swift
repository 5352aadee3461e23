import Postgres

extension Profiles: Domain {
    package static var eventKinds: [String] { EventKind.names }

    /// Forgets what is kept of a reader here, in the transaction that ends the account.
    package static func accountEnds(
        _ account: ID<Accounts.Account>, of services: Services, in transaction: Transaction
    ) async throws {
        try await transaction.run(Statements.DropPrivacy(reader: account))
        try await transaction.run(Accounts.Statements.DropTally(reader: account))
    }

    /// Whose the rows of each table are.
    package static let personalTables: [PersonalTable] = [
        // Who sees what of a reader.
        .init("privacy", key: "t.reader_id"),
        // What a reader's page counts.
        .init("reader_tally", key: "t.reader_id"),
    ]
}
