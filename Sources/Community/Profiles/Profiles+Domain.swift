import Postgres

extension Profiles: Domain {
    package static var eventKinds: [String] { EventKind.names }

    /// Forgets what is kept of a reader here, in the transaction that ends the account.
    package static func accountEnds(
        _ account: ID<Accounts.Account>, of house: House, in transaction: Transaction
    ) async throws {
        try await transaction.run(Statements.DropPrivacy(reader: account))
        try await transaction.run(Accounts.Statements.DropTally(reader: account))
    }
}
