extension Groups {
    /// Whose the rows of each table are.
    static let personalTables: [any Leaving.PersonalTable.Type] = [
        OwnMemberships.self, OwnRequests.self, OwnInvitations.self, SentInvitations.self, OwnBans.self,
    ]

    enum OwnMemberships: Leaving.PersonalTable {
        static let table = "group_member"
        static let key = ("t.group_id", "0::bigint")
    }

    enum OwnRequests: Leaving.PersonalTable {
        static let table = "group_request"
        static let key = ("t.group_id", "0::bigint")
    }

    /// Invitations that somebody got.
    enum OwnInvitations: Leaving.PersonalTable {
        static let table = "group_invitation"
        static let name = "group_invitation_received"
        static let key = ("t.group_id", "0::bigint")
        static let others = ["t.inviter_id"]
    }

    /// Invitations that somebody sent.
    enum SentInvitations: Leaving.PersonalTable {
        static let table = "group_invitation"
        static let name = "group_invitation_sent"
        static let owner = "t.inviter_id"
        static let key = ("t.group_id", "t.reader_id")
        static let others = ["t.reader_id"]
    }

    enum OwnBans: Leaving.PersonalTable {
        static let table = "group_ban"
        static let key = ("t.group_id", "0::bigint")
    }
}
