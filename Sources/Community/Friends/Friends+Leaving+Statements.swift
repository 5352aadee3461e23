import Postgres

extension Friends {
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
