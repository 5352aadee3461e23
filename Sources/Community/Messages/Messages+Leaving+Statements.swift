extension Messages {
    /// Whose the rows of each table are.
    static let personalTables: [any Leaving.PersonalTable.Type] = [
        OpenedConversations.self, JoinedConversations.self, OwnSides.self, OwnMessages.self, OwnSettings.self,
    ]

    /// Conversations that somebody opened.
    enum OpenedConversations: Leaving.PersonalTable {
        static let table = "conversation"
        static let name = "conversation_opened"
        static let owner = "t.opener_id"
        static let others = ["t.partner_id"]
    }

    /// Conversations that others opened with somebody.
    enum JoinedConversations: Leaving.PersonalTable {
        static let table = "conversation"
        static let name = "conversation_joined"
        static let owner = "t.partner_id"
        static let others = ["t.opener_id"]
    }

    /// How far somebody has read, and where they put a conversation.
    enum OwnSides: Leaving.PersonalTable {
        static let table = "conversation_reader"
        static let key = ("t.conversation_id", "0::bigint")
    }

    /// What somebody wrote. What others wrote to them is those others' own.
    enum OwnMessages: Leaving.PersonalTable {
        static let table = "message"
        static let owner = "t.sender_id"
        static let work: String? = "t.work_id"
    }

    /// What somebody wants of messages.
    enum OwnSettings: Leaving.PersonalTable {
        static let table = "message_setting"
        static let key = ("t.reader_id", "0::bigint")
    }
}
