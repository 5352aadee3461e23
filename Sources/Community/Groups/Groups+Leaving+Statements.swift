import Postgres

extension Groups {
    /// Whose the rows of each table are.
    package static let personalTables: [PersonalTable] = [
        .init("group_member", key: "t.group_id"),
        .init("group_request", key: "t.group_id"),
        // Invitations that somebody got.
        .init("group_invitation", name: "group_invitation_received", key: "t.group_id", others: ["t.inviter_id"]),
        // Invitations that somebody sent.
        .init(
            "group_invitation", name: "group_invitation_sent", owner: "t.inviter_id", key: "t.group_id",
            secondKey: "t.reader_id", others: ["t.reader_id"]),
        .init("group_ban", key: "t.group_id"),
    ]
}
