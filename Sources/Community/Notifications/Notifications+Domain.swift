import Jobs
import Postgres

extension Notifications: Domain {
    package static var eventKinds: [String] { EventKind.names }

    package static func forget(_ account: ID<Accounts.Account>, in services: Services) async throws {
        try await Store(services).forget(account)
    }

    /// To be called in the transaction that ends an account, which is locked. What it was told and chose goes at once;
    /// where others are told of it, it is taken out in portions (`Forget`). Until then nobody is shown it: the account
    /// has no reach.
    package static func accountEnds(
        _ account: ID<Accounts.Account>, of services: Services, in transaction: Transaction
    ) async throws {
        try await transaction.run(Notifications.Statements.RemoveAll(reader: account))
        guard try await transaction.one(Notifications.Statements.HasActed(actor: account)) else { return }
        try await Notifications.Forget(gone: account).enqueue(in: transaction)
    }

    /// Whose the rows of each table are.
    package static let personalTables: [PersonalTable] = [
        // What somebody was told.
        .init("notification"),
        // Whom that names.
        .init(
            "notification_actor",
            source: "notification_actor t join notification on notification.id = t.notification_id",
            owner: "notification.reader_id", key: "t.notification_id", secondKey: "t.actor_id", others: ["t.actor_id"]),
        // What somebody wants to be told of. Kinds have no numbers: a hash of their names orders them.
        .init("notification_setting", key: "t.reader_id", secondKey: "hashtext(t.kind)::bigint"),
    ]
}

extension Community {
    package var notifications: Notifications.Store { Notifications.Store(services) }
}
