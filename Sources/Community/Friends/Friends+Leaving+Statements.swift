extension Friends {
    /// Whose the rows of each table are.
    static let personalTables: [any Leaving.PersonalTable.Type] = [
        OwnFriends.self, OwnTally.self, SentRequests.self, ReceivedRequests.self, OwnMutes.self, OwnDismissals.self,
    ]

    /// Friends, one row in each direction.
    enum OwnFriends: Leaving.PersonalTable {
        static let table = "friendship"
        static let key = ("t.friend_id", "0::bigint")
        static let others = ["t.friend_id"]
    }

    /// How many they are.
    enum OwnTally: Leaving.PersonalTable {
        static let table = "friend_tally"
        static let key = ("t.reader_id", "0::bigint")
    }

    /// Requests that somebody sent.
    enum SentRequests: Leaving.PersonalTable {
        static let table = "friend_request"
        static let name = "friend_request_sent"
        static let owner = "t.sender_id"
        static let others = ["t.recipient_id"]
    }

    /// Requests that somebody got.
    enum ReceivedRequests: Leaving.PersonalTable {
        static let table = "friend_request"
        static let name = "friend_request_received"
        static let owner = "t.recipient_id"
        static let others = ["t.sender_id"]
    }

    /// Whom somebody muted. By whom they were muted is not theirs to know.
    enum OwnMutes: Leaving.PersonalTable {
        static let table = "mute"
        static let key = ("t.muted_id", "0::bigint")
        static let others = ["t.muted_id"]
    }

    /// Suggestions that somebody dismissed.
    enum OwnDismissals: Leaving.PersonalTable {
        static let table = "dismissed_suggestion"
        static let key = ("t.dismissed_id", "0::bigint")
        static let others = ["t.dismissed_id"]
    }
}
