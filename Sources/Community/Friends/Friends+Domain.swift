import Postgres

extension Friends: Domain {
    package static var eventKinds: [String] { EventKind.names }
    package static let eventSubjects = [EventSubject.level, .heard]

    /// Removes an account from everybody's friends, requests, blocks, mutes and suggestions, at the end of its life;
    /// the account's row is locked. Nobody is told one by one: the end of the account is an event of its own.
    package static func accountEnds(
        _ account: ID<Accounts.Account>, of services: Services, in transaction: Transaction
    ) async throws {
        try await transaction.run(Friends.Statements.PartAll(account: account))
        try await transaction.run(Friends.Statements.WithdrawAll(account: account))
        try await transaction.run(Friends.Statements.UnblockAll(account: account))
        try await transaction.run(Friends.Statements.UnmuteAll(account: account))
        try await transaction.run(Friends.Statements.ForgetDismissals(account: account))
    }

    /// Whose the rows of each table are.
    package static let personalTables: [PersonalTable] = [
        // Friends, one row in each direction.
        .init("friendship", key: "t.friend_id", others: ["t.friend_id"]),
        // How many they are.
        .init("friend_tally", key: "t.reader_id"),
        // Requests that somebody sent.
        .init("friend_request", name: "friend_request_sent", owner: "t.sender_id", others: ["t.recipient_id"]),
        // Requests that somebody got.
        .init("friend_request", name: "friend_request_received", owner: "t.recipient_id", others: ["t.sender_id"]),
        // Whom somebody muted. By whom they were muted is not theirs to know.
        .init("mute", key: "t.muted_id", others: ["t.muted_id"]),
        // Suggestions that somebody dismissed.
        .init("dismissed_suggestion", key: "t.dismissed_id", others: ["t.dismissed_id"]),
    ]
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
    package var friends: Friends.Store { Friends.Store(services) }
}
