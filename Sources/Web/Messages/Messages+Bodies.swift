import Community

// The shapes of what the routes of messages take and give.

extension Messages.Routes {
    /// Places in a conversation: whole numbers that every client has.
    static let seqs = 0...9_007_199_254_740_991
    private static let seq = Schema.integer(seqs)
    private static let body = Schema.string(1...Limits.messages.bodyBytes)
    private static let version = Schema.integer(1...Int(Int32.max))

    static let newMessage = Schema.object(
        "NewMessage", ["body": body],
        optional: ["reply_to": .orNull(.id), "book_id": .orNull(.id), "post_id": .orNull(.id), "note_id": .orNull(.id)])
    static let newText = Schema.object("NewMessageText", ["body": body])
    static let newFiling = Schema.object(
        "NewConversationFiling", [:], optional: ["is_archived": .orNull(.boolean), "is_muted": .orNull(.boolean)])
    static let newReading = Schema.object("NewMessageReading", ["seq": seq])
    static let newSettings = Schema.object(
        "NewMessageSettings", [:], optional: ["has_read_receipts": .orNull(.boolean)])

    static let settings = Schema.object("MessageSettings", ["has_read_receipts": .boolean])
    static let reading = Schema.object("MessageReading", ["read_seq": seq, "unread_count": .integer])
    static let unreadTotal = Schema.object("UnreadMessages", ["unread_count": .integer])

    /// `kind` says which it is: more kinds will come. A post is shown as the caller may see it now, null where they may
    /// not.
    private static let card = Schema.either([
        .object("MessageCard", ["kind": .choice(["book"]), "book": Reviews.Routes.book]),
        .object(
            "MessagePostCard",
            ["kind": .choice(["post"]), "post": .orNull(.either([Boards.Schemas.whole, Boards.Schemas.placeholder]))]),
        .object("MessageNoteCard", ["kind": .choice(["note"]), "note": .orNull(Notebook.Routes.listed)]),
    ])

    static let message = Schema.object(
        "Message",
        [
            "id": .id, "conversation_id": .id, "seq": seq, "author": .orNull(Accounts.Routes.reader),
            "body": .orNull(body),
            "html": .orNull(.string), "card": .orNull(card),
            "reply_to": .orNull(.object("MessageReply", ["id": .id, "seq": seq])),
            "version": version, "created_at": .time, "edited_at": .orNull(.time), "deleted_at": .orNull(.time),
            "is_hidden": .boolean,
        ])

    private static let preview = Schema.object(
        "MessagePreview",
        [
            "id": .id, "seq": seq, "author": .orNull(Accounts.Routes.reader), "text": .orNull(.string),
            "has_card": .boolean,
            "created_at": .time, "deleted_at": .orNull(.time), "is_hidden": .boolean,
        ])

    static let conversation = Schema.object(
        "Conversation",
        [
            "id": .id, "reader": .orNull(Accounts.Routes.reader), "can_write": .boolean, "is_archived": .boolean,
            "is_muted": .boolean, "unread_count": .integer, "read_seq": seq, "their_read_seq": .orNull(seq),
            "last_seq": seq,
            "last_message": .orNull(preview), "created_at": .time, "active_at": .time,
        ])
}
