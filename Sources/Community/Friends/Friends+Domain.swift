import Postgres

extension Friends: Domain {
    package static var eventKinds: [String] { EventKind.names }
    package static let eventSubjects = [EventSubject.level, .heard]

    /// Removes an account from everybody's friends, requests, blocks, mutes and suggestions, at the end of its life;
    /// the account's row is locked. Nobody is told one by one: the end of the account is an event of its own.
    package static func accountEnds(
        _ account: ID<Accounts.Account>, of house: House, in transaction: Transaction
    ) async throws {
        try await transaction.run(Friends.Statements.PartAll(account: account))
        try await transaction.run(Friends.Statements.WithdrawAll(account: account))
        try await transaction.run(Friends.Statements.UnblockAll(account: account))
        try await transaction.run(Friends.Statements.UnmuteAll(account: account))
        try await transaction.run(Friends.Statements.ForgetDismissals(account: account))
    }
}

extension EventSubject {
    /// A visibility level of something of the owner's that is not looked up: it is gone, or it is the owner.
    static let level = EventSubject(
        name: "level",
        isTold: Visibility.predicate(viewer: "viewer.id", owner: "asked.owner", level: "asked.value"))
    /// Nothing but that the viewer has not muted the owner: asked of what stands in an inbox.
    static let heard = EventSubject(
        name: "heard", isTold: "not \(Friends.isMuted(viewer: "viewer.id", by: "asked.owner"))")
}

extension Community {
    package var friends: Friends.Store { Friends.Store(house) }
}
