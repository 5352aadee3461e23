import EventLog
import Postgres

extension Reviews {
    /// What somebody answered to a review.
    package struct Reply: Hashable, Sendable {
        package let id: ID<Reply>
        package let review: ID<Review>
        /// 1, 2, … in the order of commits. One that was taken back leaves a gap.
        package let number: Int
        package let author: Accounts.Reader
        package let text: Text
        /// Under the spoiler mark, its own or the review's.
        package let spoilers: Bool
        package let version: Int
        package let createdAt: Timestamp
        package let editedAt: Timestamp?
    }

    /// A reply as one viewer sees it. What may not be seen at all is none.
    package enum ShownReply: Hashable, Sendable {
        case whole(Reply)
        case gated(Gate.Placeholder)
    }

    /// The place of a reply in its list.
    package struct ReplyPlace: Hashable, Sendable, Codable {
        package let number: Int

        package init(number: Int) { self.number = number }
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

    /// What replies tell others, to `book:W`. Version 1 of the first two carries the reply as the API shows it to whoever may not see inline spoilers; its subject
    /// is the text. Told of are reviews that members may see.
    enum ReplyEvent: Sendable {
        /// `author`: by the name that everybody is told.
        case replied(Reply, by: Accounts.Reader, text: ID<Text>)
        case edited(Reply, by: Accounts.Reader, text: ID<Text>)
        /// Carries ids only. `level`: who could see what its author says.
        case removed(Reply, level: Visibility)

        var kind: String {
            switch self {
            case .replied: "review.replied"
            case .edited: "review.reply_edited"
            case .removed: "review.reply_removed"
            }
        }

        /// The row of the outbox.
        func row(of book: ID<Catalog.Work>, in house: House) throws -> NewEvent {
            func row(_ reply: Reply, _ subject: Feed.Subject, _ id: Int64, _ data: JSON) throws -> NewEvent {
                NewEvent(
                    id: try house.ids.make(ReplyEvent.self).rawValue, kind: kind, version: 1,
                    topics: [.book(book.rawValue)], owner: reply.author.id.rawValue, subjectKind: subject.rawValue,
                    subject: id, at: house.clock.now(), data: data)
            }
            switch self {
            case .replied(let reply, let author, let text), .edited(let reply, let author, let text):
                return try row(
                    reply, .reviewReply, text.rawValue,
                    try JSON.fitting(Limits.Boards.bodyBytes) { SaidReply(reply, by: author, book: book, room: $0) })
            case .removed(let reply, let level):
                return try row(
                    reply, .level, Int64(level.rawValue),
                    try JSON(
                        encoding: [
                            "reply_id": reply.id.text, "review_id": reply.review.text, "book_id": book.text,
                            "reader_id": reply.author.id.text,
                        ]))
            }
        }
    }

    /// The payload of a reply that stands.
    private struct SaidReply: Encodable {
        let reply: Reply
        let bookID: ID<Catalog.Work>
        let isCut: Bool

        enum CodingKeys: String, CodingKey {
            case reply
            case bookID = "book_id"
            case isCut = "is_cut"
        }

        init(_ reply: Reply, by author: Accounts.Reader, book: ID<Catalog.Work>, room: Int) {
            let told = Text.told(reply.text.body, room: room)
            (bookID, isCut) = (book, told.isCut)
            self.reply = Reply(
                id: reply.id, review: reply.review, number: reply.number, author: author, text: told.text,
                spoilers: reply.spoilers, version: reply.version, createdAt: reply.createdAt,
                editedAt: reply.editedAt)
        }
    }
}

extension Reviews.Reply: Encodable {
    private enum CodingKeys: String, CodingKey {
        case id, number, author, body, html, spoilers, version
        case review = "review_id"
        case isVeiled = "is_veiled"
        case createdAt = "created_at"
        case editedAt = "edited_at"
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(review, forKey: .review)
        try container.encode(number, forKey: .number)
        try container.encode(author, forKey: .author)
        try container.encode(text.body, forKey: .body)
        try container.encode(text.html, forKey: .html)
        try container.encode(text.isVeiled, forKey: .isVeiled)
        try container.encode(spoilers, forKey: .spoilers)
        try container.encode(version, forKey: .version)
        try container.encode(createdAt, forKey: .createdAt)
        try container.encode(editedAt, forKey: .editedAt)
    }
}

extension Reviews.ShownReply: Encodable {
    /// A reply, or `{id, gated: true, kind, position}`.
    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .whole(let reply): try reply.encode(to: encoder)
        case .gated(let placeholder): try placeholder.encode(to: encoder)
        }
    }
}
