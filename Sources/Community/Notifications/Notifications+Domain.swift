import Jobs
import Postgres

extension Notifications: Domain {
    package static var eventKinds: [String] { EventKind.names }

    package static func forget(_ account: ID<Accounts.Account>, in house: House) async throws {
        try await Store(house).forget(account)
    }

    /// To be called in the transaction that ends an account, which is locked. What it was told and chose goes at once;
    /// where others are told of it, it is taken out in portions (`Forget`). Until then nobody is shown it: the account
    /// has no reach.
    package static func accountEnds(
        _ account: ID<Accounts.Account>, of house: House, in transaction: Transaction
    ) async throws {
        try await transaction.run(Notifications.Statements.RemoveAll(reader: account))
        guard try await transaction.one(Notifications.Statements.HasActed(actor: account)) else { return }
        try await Notifications.Forget(gone: account).enqueue(in: transaction)
    }
}

extension Community {
    package var notifications: Notifications.Store { Notifications.Store(house) }
}
