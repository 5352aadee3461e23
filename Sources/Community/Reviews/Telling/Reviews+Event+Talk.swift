import EventLog
import JSONWriting
import Postgres

extension Reviews {
    /// What is said to a review, told to `book:W` where members may see the review. Version 1 of each.
    enum TalkEvent: Sendable {
        /// Carries the reply as the API shows it to readers who may not see inline spoilers; its subject is the text:
        /// `{"reply", "book": {"id"}, "is_cut"}`. `author`: by the name that everybody is told.
        case replied(Reply, by: Accounts.Reader, text: ID<Text>)
        case edited(Reply, by: Accounts.Reader, text: ID<Text>)
        /// Names alone, and neither the author's nor the review's: `{"reply": {"id"}, "book": {"id"}}`. `level`: who
        /// could see what its author says.
        case removed(Reply, level: Visibility)

        var kind: EventKind {
            switch self {
            case .replied: .replied
            case .edited: .replyEdited
            case .removed: .replyRemoved
            }
        }

        /// The row of the outbox.
        func row(of book: ID<Catalog.Work>, in services: Services) throws -> NewEvent {
            func row(
                _ owner: ID<Accounts.Account>, _ subject: EventSubject, _ id: Int64, _ data: JSON
            ) throws -> NewEvent {
                NewEvent(
                    id: try services.ids.make(TalkEvent.self).rawValue, kind: kind.rawValue, version: 1,
                    topics: [.book(book.rawValue)], owner: owner.rawValue, subjectKind: subject.name,
                    subject: id, at: services.clock.now(), data: data)
            }
            switch self {
            case .replied(let reply, let author, let text), .edited(let reply, let author, let text):
                return try row(
                    reply.author.id, .reviewReply, text.rawValue,
                    try JSON.fitting(Limits.boards.bodyBytes) {
                        Self.put(reply, by: author, on: book, into: $0, room: $1)
                    })
            case .removed(let reply, let level):
                // Without author and review: those to whom it was gated were never told whose it was, nor to what.
                return try row(
                    reply.author.id, .level, Int64(level.rawValue),
                    try JSON.object {
                        $0.put("reply", idOf: reply.id)
                        $0.put("book", idOf: book)
                    })
            }
        }
    }
}

extension Reviews.TalkEvent {
    /// The payload of a reply that stands, with `room` bytes of its text.
    private static func put(
        _ reply: Reviews.Reply, by author: Accounts.Reader, on book: ID<Catalog.Work>, into object: JSONObject,
        room: Int
    ) {
        let told = reply.text.told(room: room)
        var said = reply
        (said.author, said.text) = (author, told.text)
        object.put("reply", said)
        object.put("book", idOf: book)
        object.put("is_cut", told.isCut)
    }
}
