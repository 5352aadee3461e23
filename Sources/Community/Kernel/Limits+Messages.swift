/// The limits of direct messages; their lines are in `Limits.table`.
extension Limits {
    package enum Messages {
        /// Characters of a text (Unicode scalar values), and bytes of UTF-8.
        package static let body = 1...4_000
        package static let bodyBytes = 16_000
        /// Characters of the newest message in lists.
        package static let preview = 200
        /// Conversations that one account opens in 24 hours, and in its first day.
        package static let conversationsPerDay = 20
        package static let conversationsOnFirstDay = 5
        /// Messages that one account sends in a minute, and in its first day.
        package static let messagesPerMinute = 60
        package static let messagesOnFirstDay = 20
    }

    static let messages = [
        Line("message.body", Messages.body, "characters"),
        Line("message.body_size", Messages.bodyBytes, "bytes"),
        Line("message.preview", Messages.preview, "characters"),
        Line("conversation.opened", Messages.conversationsPerDay, "per_day"),
        Line("conversation.opened_first_day", Messages.conversationsOnFirstDay, "per_day"),
        Line("message.sent", Messages.messagesPerMinute, "per_minute"),
        Line("message.sent_first_day", Messages.messagesOnFirstDay, "per_day"),
    ]
}
