import EventLog
import JSONWriting
import MarkdownReading
import Postgres

extension Messages {
    /// The kinds of its events.
    enum EventKind: String, Sendable, CaseIterable {
        case sent = "message.sent"
        case edited = "message.edited"
        case deleted = "message.deleted"
        case read = "conversation.read"
    }

    /// What happens in a conversation. Version 1 of each.
    ///
    /// `message.sent`, `message.edited`, `message.deleted`: `{"message","is_cut"}`: the message as it is now, and
    /// whether its text was too long for an event. Delivered while the message says just that.
    /// `conversation.read`: `{"conversation":{"id"},"reader":{"id"},"seq"}`: how far a reader has read.
    enum Event: Sendable {
        /// `text` names what the message says now. `inbox`: whose inbox it goes to besides.
        case sent(Message, by: Accounts.Reader, text: Int64, inbox: ID<Accounts.Account>?)
        case edited(Message, by: Accounts.Reader, text: Int64, inbox: ID<Accounts.Account>?)
        case deleted(Message, by: Accounts.Reader, text: Int64, inbox: ID<Accounts.Account>?)
        /// Without receipts only the reader's own devices hear of it, not even that there was something.
        case read(ID<Conversation>, seq: Int64, by: ID<Accounts.Account>, hasReceipts: Bool)

        private var kind: EventKind {
            switch self {
            case .sent: .sent
            case .edited: .edited
            case .deleted: .deleted
            case .read: .read
            }
        }

        /// The row of the outbox.
        func row(id: Int64, at time: Timestamp) throws -> NewEvent {
            switch self {
            case .sent(let message, let reader, let text, let inbox),
                .edited(let message, let reader, let text, let inbox),
                .deleted(let message, let reader, let text, let inbox):
                NewEvent(
                    id: id, kind: kind.rawValue, version: 1,
                    topics: [.conversation(message.conversation.rawValue)]
                        + (inbox.map { [.inbox($0.rawValue)] } ?? []),
                    owner: reader.id.rawValue, subjectKind: EventSubject.message.name, subject: text, at: time,
                    data: try Self.data(of: message))
            case .read(let conversation, let seq, let reader, let hasReceipts):
                NewEvent(
                    id: id, kind: kind.rawValue, version: 1,
                    topics: [.inbox(reader.rawValue)]
                        + (hasReceipts ? [.conversation(conversation.rawValue)] : []),
                    owner: reader.rawValue, subjectKind: EventSubject.receipt.name,
                    subject: conversation.rawValue, at: time,
                    data: try JSON.object {
                        $0.put("conversation", idOf: conversation)
                        $0.put("reader", idOf: reader)
                        $0.put("seq", seq)
                    })
            }
        }

        /// The text is cut between characters and rendered anew, so that its HTML is whole. A book has at most ten
        /// authors.
        private static func data(of message: Message) throws -> JSON {
            try JSON.fitting(Limits.messages.bodyBytes) { object, room in
                let body = message.body.map { $0.utf8.count > room ? $0.clipped(to: room).text ?? "" : $0 }
                let isCut = body?.utf8.count != message.body?.utf8.count
                let html =
                    isCut
                    ? body.map { Markdown.render($0, linking: Markdown.linked(in: message.html ?? "")).html }
                    : message.html
                var said = message
                (said.body, said.html, said.card, said.isHidden) = (body, html, message.card?.shortened, false)
                object.put("message", said)
                object.put("is_cut", isCut)
            }
        }
    }
}

extension Messages.Card {
    /// With no more authors than an event has room for, and of a post no more than its name: an event is one for both.
    fileprivate var shortened: Messages.Card {
        switch self {
        case .book(let book):
            .book(book.shortened)
        case .post(let post), .shown(let post, _): .post(post)
        case .note(let note), .shownNote(let note, _): .note(note)
        }
    }
}
