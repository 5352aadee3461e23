import Postgres

extension Reviews {
    /// One text of a review or of a reply: the source and the HTML, without the words of inline spoilers where `isVeiled`.
    package typealias Text = Boards.Text

    /// A review as one viewer sees it. What may not be seen at all is none.
    package enum Shown: Hashable, Sendable {
        case whole(Review)
        case gated(Gate.Placeholder)

        package var id: ID<Review> {
            switch self {
            case .whole(let review): review.id
            case .gated(let placeholder): ID(rawValue: placeholder.id)
            }
        }

        /// `nil` where the gate is shut.
        package var review: Review? { if case .whole(let review) = self { review } else { nil } }
    }

    /// One review as readers see it.
    package struct Review: Hashable, Sendable {
        package let id: ID<Review>
        package let reader: Accounts.Reader
        package internal(set) var book: Book
        package internal(set) var rating: Rating?
        package internal(set) var text: Text?
        /// Marked as giving the end away.
        package internal(set) var spoilers: Bool
        package internal(set) var visibility: Visibility
        /// Whether that level was chosen for this review; else it follows its reader's settings. Known to its reader
        /// alone: `nil` for others and in events.
        package internal(set) var levelIsOwn: Bool?
        package internal(set) var replies = 0
        /// Without those that nobody gave.
        package internal(set) var reactions: [Boards.Reaction: Int] = [:]
        package internal(set) var ownReactions: Set<Boards.Reaction> = []
        /// 1, 2, …: rises with every change by its reader.
        package internal(set) var version: Int
        package let createdAt: Timestamp
        package internal(set) var editedAt: Timestamp?

        package var body: String? { text?.body }
    }

    /// The kind of a gated review, and of a gated reply to one.
    package static let kind = "review"
    package static let replyKind = "review_reply"
}

extension Reviews.Text {
    /// All of what `source` says, inline spoilers too.
    init(whole source: String) {
        let text = Markdown.render(source)
        self.init(body: text.body, html: text.html, isVeiled: false)
    }

    /// What whoever is not past the book may see of `source`.
    init(veiled source: String) {
        let text = Markdown.render(source)
        self.init(
            body: text.veiled?.body ?? text.body, html: text.veiled?.html ?? text.html, isVeiled: text.veiled != nil)
    }
}
