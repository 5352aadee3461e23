import MarkdownReading

/// The limits of direct messages and of Markdown.
extension Limits {
    /// Of what `Markdown` reads.
    package struct Markdown: Sendable {
        @Limit("markdown.nesting", "levels") package var nesting = MarkdownReading.Markdown.Bounds.nesting
        @Limit("markdown.mentions", "per_text") package var mentions = MarkdownReading.Markdown.Bounds.mentions
        @Limit("markdown.link", "bytes") package var link = MarkdownReading.Markdown.Bounds.link
    }
    package static let markdown = Markdown()

    package struct Messages: Sendable {
        /// Characters of a text (Unicode scalar values), and bytes of UTF-8.
        @Limit("message.body", "characters") package var body = 1...4_000
        @Limit("message.body_size", "bytes") package var bodyBytes = 16_000
        /// Characters of the newest message in lists.
        @Limit("message.preview", "characters") package var preview = 200
        /// Conversations that one account opens in 24 hours, and in its first day.
        @Limit("conversation.opened", "per_day") package var conversationsPerDay = 20
        @Limit("conversation.opened_first_day", "per_day") package var conversationsOnFirstDay = 5
        /// Messages that one account sends in a minute, and in its first day.
        @Limit("message.sent", "per_minute") package var messagesPerMinute = 60
        @Limit("message.sent_first_day", "per_day") package var messagesOnFirstDay = 20
    }
    package static let messages = Messages()
}
