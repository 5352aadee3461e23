/// The limits of what `Markdown` reads; their lines are in `Limits.table`.
extension Limits {
    package enum Markdown {
        /// Quotes in quotes, and lists in lists.
        package static let nesting = 3
        /// Names that one text mentions; further ones are links and nothing more.
        package static let mentions = 20
        /// Bytes of a link's address.
        package static let link = 2_000
    }

    static let markdown = [
        Line("markdown.nesting", Markdown.nesting, "levels"),
        Line("markdown.mentions", Markdown.mentions, "per_text"),
        Line("markdown.link", Markdown.link, "bytes"),
    ]
}
