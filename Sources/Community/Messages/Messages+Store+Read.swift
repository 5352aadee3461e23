import EventLog
import Postgres

extension Messages.Store {
    /// A conversation's messages, newest first; the key is a place in it. Throws `.notFound` also for one that a block
    /// hides.
    package func messages(
        in conversation: ID<Messages.Conversation>, for reader: ID<Accounts.Account>, page: PageRequest<Int64>
    ) async throws -> Page<Messages.Message, Int64> {
        let isOpen = Messages.Statements.IsOpen(viewer: reader, conversation: conversation)
        let database = services.database
        return try await page.read(from: .highest, key: \.seq) {
            let (open, messages) = try await database.pipeline(
                isOpen, Messages.Statements.Pages(viewer: reader, conversation: conversation, span: $0))
            guard !open.isEmpty else { throw Failure.notFound("conversation \(conversation)") }
            return try await showingCards(of: messages, to: reader)
        }
    }

    /// One message of the reader's conversations. Throws `.notFound` also in one that a block hides.
    package func message(
        _ id: ID<Messages.Message>, for reader: ID<Accounts.Account>
    ) async throws -> Messages.Message {
        let asked = Messages.Statements.OneMessage(viewer: reader, message: id)
        guard let message = try await services.database.first(asked) else { throw Failure.notFound("message \(id)") }
        return try await showingCard(of: message, to: reader)
    }

    /// The messages with the posts and notes of their cards as the reader is shown them now; one statement for all of a
    /// kind.
    private func showingCards(
        of messages: [Messages.Message], to reader: ID<Accounts.Account>
    ) async throws -> [Messages.Message] {
        let ids = Set(messages.compactMap { $0.card?.post })
        let posts = ids.isEmpty ? [:] : try await Boards.Store(services).posts(ids, for: .reader(reader))
        let names = Set(messages.compactMap { $0.card?.note })
        let notes = names.isEmpty ? [:] : try await Notebook.Store(services).notes(names, for: .reader(reader))
        return messages.map { message in
            var copy = message
            if let post = message.card?.post { copy.card = .shown(post, posts[post]) }
            if let note = message.card?.note { copy.card = .shownNote(note, notes[note]) }
            return copy
        }
    }

    /// The same of one.
    func showingCard(of message: Messages.Message, to reader: ID<Accounts.Account>) async throws -> Messages.Message {
        try await showingCards(of: [message], to: reader).first ?? message
    }

    /// The reader has read a conversation up to a place. One before what was read already changes nothing: it never
    /// goes back. A frozen reader reads too.
    ///
    /// One transaction: the reader's side, the counter, the event. Throws `.notFound`, `.invalid` (`/seq`
    /// `out_of_range`) beyond the newest message.
    package func read(
        _ conversation: ID<Messages.Conversation>, upTo seq: Int64, by reader: ID<Accounts.Account>
    ) async throws -> Messages.Reading {
        try await services.database.transaction { transaction in
            let (places, sides) = try await services.database.pipeline(
                Messages.Statements.LockConversation(viewer: reader, conversation: conversation),
                Messages.Statements.Side(reader: reader, conversation: conversation))
            guard let lastSeq = places.first, let side = sides.first else {
                throw Failure.notFound("conversation \(conversation)")
            }
            guard (0...lastSeq).contains(seq) else {
                throw Failure.invalid("/seq", .outOfRange, "must be 0 to \(lastSeq)")
            }
            guard seq > side.readSeq else {
                return Messages.Reading(readSeq: side.readSeq, unread: side.unread)
            }
            let left = try await transaction.one(
                Messages.Statements.MarkRead(reader: reader, conversation: conversation, seq: seq))
            let event = Messages.Event.read(conversation, seq: seq, by: reader, hasReceipts: side.hasReceipts)
            let row = try event.row(id: try services.ids.make(Messages.Event.self).rawValue, at: services.clock.now())
            let change = Int32(left - side.unread)
            try transaction.atCommit { batch in
                batch.run(EventLog.Statements.Append(event: row))
                if change != 0 { batch.run(Accounts.AddToTally(of: reader, unreadMessages: change)) }
            }
            return Messages.Reading(readSeq: seq, unread: left)
        }
    }

    /// Messages to the reader that they have not read, in all conversations that no block hides.
    package func unread(of reader: ID<Accounts.Account>) async throws -> Int {
        try await services.database.first(Accounts.Statements.UnreadOf(reader: reader))?.messages ?? 0
    }
}
