import Postgres

extension Catalog: Domain {
    /// Takes a member out of the catalogue's history, in the transaction that ends the account: what the member changed
    /// and decided stays, without name and number; the member's words about it and all proposals go.
    package static func accountEnds(
        _ account: ID<Accounts.Account>, of house: House, in transaction: Transaction
    ) async throws {
        try await transaction.run(Catalog.DropProposals(account: account))
        try await transaction.run(Catalog.ForgetHelper(account: account))
        try await transaction.run(Catalog.ForgetDecider(account: account))
    }
}
