import JSONWriting
import Postgres

extension Reviews {
    /// What somebody answered to a review.
    package struct Reply: Hashable, Sendable {
        package let id: ID<Reply>
        package let review: ID<Review>
        /// 1, 2, … in the order of commits. One that was taken back leaves a gap.
        package let number: Int
        package internal(set) var author: Accounts.Reader
        package internal(set) var text: Text
        /// Under the spoiler mark, its own or the review's.
        package let spoilers: Bool
        package internal(set) var version: Int
        package let createdAt: Timestamp
        package internal(set) var editedAt: Timestamp?
        /// A moderator hides it from all but its author.
        package internal(set) var isHidden = false
    }

    /// A reply as one viewer sees it. What may not be seen at all is none.
    package enum ShownReply: Hashable, Sendable {
        case whole(Reply)
        case gated(Gate.Placeholder)
    }

    /// The place of a reply in its list.
    package struct ReplyPlace: SortKey, Codable {
        package let number: Int

        package static let lowest = ReplyPlace(number: 0)
        package static let highest = ReplyPlace(number: Int(Int32.max))
    }

    /// What a reply stands on, as its author sees it.
    struct Ground: Sendable {
        let book: ID<Catalog.Work>
        let visibility: Visibility
        let isOpen: Bool
    }

    /// A reply that stands, locked, and whose it is.
    struct StandingReply: Sendable {
        /// With all of its text.
        let reply: Reply
        let book: ID<Catalog.Work>
        /// Of the review.
        let visibility: Visibility
        /// Its author may still see the review.
        let isSeen: Bool
        let isOpen: Bool
    }
}

extension Reviews.Reply: JSONForm {
    package func put(into object: JSONObject) {
        object.put("id", id)
        object.put("state", Gate.shown)
        object.put("review_id", review)
        object.put("number", number)
        object.put("author", author)
        object.put("body", text.body)
        object.put("html", text.html)
        object.put("is_veiled", text.isVeiled)
        object.put("has_spoilers", spoilers)
        object.put("is_hidden", isHidden)
        object.put("version", version)
        object.put("created_at", createdAt)
        object.put("edited_at", editedAt)
    }
}

extension Reviews.ShownReply: JSONWritable {
    /// A reply, or `{id, state: "gated", kind, position}`.
    package func write(to output: JSONOutput) {
        switch self {
        case .whole(let reply): reply.write(to: output)
        case .gated(let placeholder): placeholder.write(to: output)
        }
    }
}
