import Postgres

extension Accounts: Domain {
    package static let things: [any ThingKind.Type] = [Account.self]
    package static var eventKinds: [String] { EventKind.names }
    package static let topics: [String: TopicRule] = ["server": { _, _, _ in true }]

    /// Whose the rows of each table are.
    package static let personalTables: [PersonalTable] = [
        // The account itself, which stays as an empty row.
        .init(
            "account", owner: "t.id",
            hidden: ["username_folded", "email_folded", "password_hash", "reach", "invitation_id"], isKept: true),
        // Where somebody is signed in.
        .init("session", owner: "t.account_id", hidden: ["token_hash"]),
        // What programs were given.
        .init("access_token", owner: "t.account_id", hidden: ["token_hash"]),
        // What pages open the stream with.
        .init("stream_ticket", owner: "t.account_id", unexported: "A ticket holds for half a minute."),
        // Codes that were mailed to prove an address.
        .init(
            "email_verification", owner: "t.account_id",
            key: "('x' || encode(substr(t.token_hash, 1, 8), 'hex'))::bit(64)::bigint", hidden: ["token_hash"]),
        // Codes that were mailed to set a password.
        .init(
            "password_reset", owner: "t.account_id",
            key: "('x' || encode(substr(t.token_hash, 1, 8), 'hex'))::bit(64)::bigint", hidden: ["token_hash"]),
        // The address that is to be.
        .init("email_change", owner: "t.account_id", key: "t.account_id", hidden: ["token_hash"]),
        // The end of an account that is leaving.
        .init("departure", owner: "t.account_id", key: "t.account_id"),
        // Whom somebody blocked. By whom they were blocked is not theirs to know.
        .init("block", owner: "t.blocker_id", key: "t.blocked_id", others: ["t.blocked_id"]),
    ]
}

extension Accounts.Account: ThingKind {
    package static let facts = ThingFacts(
        name: "account", table: "account", author: "account.id", title: "account.username", beside: "0::bigint",
        said: """
            jsonb_build_object('username', account.username, 'bio', account.bio,
                                   'name', \(Privacy.told("account.name", owner: "account.id")))
            """)

    package static func isSeen<S: ForViewer>() -> SQL<S> {
        Visibility.predicate(
            viewer: .viewer, owner: "account.id", level: "\(Visibility.members.rawValue)")
    }
}

extension Thing {
    package static func account(_ id: ID<Accounts.Account>) -> Thing { Thing(id) }
}
