import JSONWriting
import MarkdownReading
import Postgres

extension Reviews {
    /// One text of a review or of a reply: the source and the HTML, without the words of inline spoilers where `isVeiled`.
    package typealias Text = ShownText

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
        package let author: Accounts.Reader
        package internal(set) var book: Catalog.Book
        package internal(set) var rating: Rating?
        package internal(set) var text: Text?
        /// Marked as giving the end away.
        package internal(set) var spoilers: Bool
        /// The level that holds: `private` while a moderator hides it.
        package internal(set) var visibility: Visibility
        /// Whether the level was chosen for this review; else it follows its reader's settings. Known to its reader
        /// alone: `nil` for others and in events.
        package internal(set) var levelIsOwn: Bool?
        /// While a moderator hides it: the level that it comes back with.
        package internal(set) var hiddenLevel: Visibility?
        package internal(set) var replies = 0
        /// Without those that nobody gave.
        package internal(set) var reactions: [Reaction: Int] = [:]
        package internal(set) var ownReactions: Set<Reaction> = []
        /// 1, 2, …: rises with every change by its reader.
        package internal(set) var version: Int
        package let createdAt: Timestamp
        package internal(set) var editedAt: Timestamp?

        package var body: String? { text?.body }
        package var isHidden: Bool { hiddenLevel != nil }
        /// The level that its reader wants for it.
        var wanted: Visibility { hiddenLevel ?? visibility }
    }

    /// What a reader wants to say.
    package struct NewReview: Hashable, Sendable {
        package let rating: Rating?
        package private(set) var body: String?
        /// Nothing sets it back to the reader's level for reviews, which it then follows; kept, a new one follows that,
        /// too.
        package let visibility: FieldChange<Visibility>
        /// Whether the text gives the end away; `nil` keeps what is said of it, a new one is not marked. Without a text nothing is.
        package let spoilers: Bool?

        package init(
            rating: Rating?, body: String?, visibility: FieldChange<Visibility> = .keep, spoilers: Bool? = nil
        ) {
            self.rating = rating
            self.body = body
            self.visibility = visibility
            self.spoilers = spoilers
        }

        /// The same with the text as it is kept.
        var cleaned: NewReview {
            var copy = self
            copy.body = body.map(Markdown.clean)
            return copy
        }

        /// Throws `.invalid`, naming both fields, where it says nothing, and for a text that is too long or in which
        /// nothing can be seen.
        package func validate() throws(Failure) {
            var faults = Faults()
            if rating == nil, body == nil {
                faults.add("/rating", .required, "give a rating, a text, or both")
                faults.add("/body", .required, "give a rating, a text, or both")
            }
            if let body { Self.check(body: body, into: &faults) }
            try faults.check()
        }

        /// What a text must be, whatever else is said.
        package static func check(body: String, into faults: inout Faults) {
            Wording.check(text: body, into: &faults, bytes: Limits.reviews.body, at: "/body")
        }
    }

    /// What a reader changes of what they said about a book, or says first.
    package struct ReviewChange: Hashable, Sendable {
        package let rating: FieldChange<Rating>
        package private(set) var body: FieldChange<String>
        /// As those of `NewReview`.
        package let visibility: FieldChange<Visibility>
        package let spoilers: Bool?

        package init(
            rating: FieldChange<Rating> = .keep, body: FieldChange<String> = .keep,
            visibility: FieldChange<Visibility> = .keep, spoilers: Bool? = nil
        ) {
            self.rating = rating
            self.body = body
            self.visibility = visibility
            self.spoilers = spoilers
        }

        /// The same with the text as it is kept.
        var cleaned: ReviewChange {
            var copy = self
            if let text = body.value { copy.body = .set(Markdown.clean(text)) }
            return copy
        }

        /// What is said afterwards. Throws `.invalid` where that is nothing, and for a text that may not be.
        func applied(to mine: Basis.Mine?) throws(Failure) -> NewReview {
            let new = NewReview(
                rating: rating.applied(to: mine?.review.rating), body: body.applied(to: mine?.body),
                visibility: visibility, spoilers: spoilers)
            try new.validate()
            return new
        }
    }

    /// The kind of a gated review, and of a gated reply to one.
    package static let kind = "review"
    package static let replyKind = "review_reply"
}

/// In replies and in events: the same, so that a client that hears of a review need not ask for it.
extension Reviews.Review: JSONForm {
    package func put(into object: JSONObject) {
        object.put("id", id)
        object.put("state", Gate.shown)
        object.put("author", author)
        object.put("book", book)
        object.put("rating", rating)
        object.put("body", text?.body)
        object.put("html", text?.html)
        object.put("is_veiled", text?.isVeiled ?? false)
        object.put("has_spoilers", spoilers)
        object.put("visibility", wanted)
        object.put("has_own_visibility", levelIsOwn)
        object.put("is_hidden", isHidden)
        object.put("reply_count", replies)
        object.put("reactions", ReactionCounts(reactions))
        object.put("my_reactions", Reaction.allCases.filter(ownReactions.contains))
        object.put("version", version)
        object.put("created_at", createdAt)
        object.put("edited_at", editedAt)
    }
}

extension Reviews.Shown: JSONWritable {
    /// A review, or `{id, state: "gated", kind, position}`.
    package func write(to output: JSONOutput) {
        switch self {
        case .whole(let review): review.write(to: output)
        case .gated(let placeholder): placeholder.write(to: output)
        }
    }
}
