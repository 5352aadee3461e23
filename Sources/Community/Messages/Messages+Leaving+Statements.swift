import Postgres

extension Messages {
    /// Whose the rows of each table are.
    package static let personalTables: [PersonalTable] = [
        // Conversations that somebody opened.
        .init("conversation", name: "conversation_opened", owner: "t.opener_id", others: ["t.partner_id"]),
        // Conversations that others opened with somebody.
        .init("conversation", name: "conversation_joined", owner: "t.partner_id", others: ["t.opener_id"]),
        // How far somebody has read, and where they put a conversation.
        .init("conversation_reader", key: "t.conversation_id"),
        // What somebody wrote. What others wrote to them is those others' own.
        .init("message", owner: "t.sender_id", work: "t.work_id"),
        // What somebody wants of messages.
        .init("message_setting", key: "t.reader_id"),
    ]
}
