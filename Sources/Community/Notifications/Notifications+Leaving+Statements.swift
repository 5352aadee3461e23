import Postgres

extension Notifications {
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
