extension Notifications {
    /// Whose the rows of each table are.
    static let personalTables: [any Leaving.PersonalTable.Type] = [
        OwnNotifications.self, OwnActors.self, OwnSettings.self,
    ]

    /// What somebody was told.
    enum OwnNotifications: Leaving.PersonalTable {
        static let table = "notification"
    }

    /// Whom that names.
    enum OwnActors: Leaving.PersonalTable {
        static let table = "notification_actor"
        static let source = "notification_actor t join notification on notification.id = t.notification_id"
        static let owner = "notification.reader_id"
        static let key = ("t.notification_id", "t.actor_id")
        static let others = ["t.actor_id"]
    }

    /// What somebody wants to be told of. Kinds have no numbers: a hash of their names orders them.
    enum OwnSettings: Leaving.PersonalTable {
        static let table = "notification_setting"
        static let key = ("t.reader_id", "hashtext(t.kind)::bigint")
    }
}
