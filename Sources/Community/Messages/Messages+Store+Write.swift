import EventLog
import MarkdownReading
import Postgres

extension Messages {
    /// A conversation that is locked, and who writes in it.
    private struct Desk: Sendable {
        let writer: Accounts.Reader
        let lastSeq: Int64
        let standing: Standing

        /// Whose inbox hears of what is written.
        var inbox: ID<Accounts.Account>? { standing.isMuted ? nil : standing.other }

        /// Throws `.forbidden` (`not_friends`) where the other cannot be written to.
        func mayWrite() throws(Failure) {
            guard standing.mayWrite else { throw .notFriends }
        }
    }
}

extension Messages.Store {
    /// Sends a message to the other of a conversation's two.
    ///
    /// One transaction: message, place, both sides, the recipient's counter, event. Throws `.invalid` (`/body`,
    /// `/book_id` and `/reply_to` `unknown`, `mismatch` for a second card), `.notFound`, also for a post or a note
    /// that the sender does not see, `.forbidden` (`account_frozen`, `email_unverified`, `not_friends`, `post_gated`,
    /// `note_gated`), `.limited`.
    package func send(
        _ new: Messages.NewMessage, in conversation: ID<Messages.Conversation>, by reader: Accounts.Identity
    ) async throws -> Messages.Message {
        let body = try stored(new.body)
        try new.checkCard()
        let html = try await Markdown.written(body, by: reader.account, in: services.database).html
        return try await services.database.transaction { transaction in
            let (desk, books) = try await sit(
                reader.account, at: conversation, book: new.book, counting: spell(of: reader), in: transaction)
            try reader.mayPost()
            try desk.mayWrite()
            try limit(desk.standing.sent, of: reader)
            let message = Messages.Message(
                id: try services.ids.make(), conversation: conversation, seq: desk.lastSeq + 1, author: desk.writer,
                body: body, html: html, card: try await card(of: new, among: books, by: reader.account),
                reply: try await reply(to: new.reply, in: conversation, in: transaction), version: 1,
                createdAt: services.clock.now(), editedAt: nil, deletedAt: nil, isHidden: false)
            let event = Messages.Event.sent(message, by: desk.writer, text: message.id.rawValue, inbox: desk.inbox)
            let row = try event.row(id: try services.ids.make(Messages.Event.self).rawValue, at: message.createdAt)
            try await transaction.batch { batch in
                batch.run(Messages.Statements.Insert(message: message))
                batch.run(Messages.Statements.Advance(conversation: conversation, seq: message.seq))
                batch.run(
                    Messages.Statements.Touch(
                        conversation: conversation, sender: reader.account, at: message.createdAt))
                batch.run(EventLog.Statements.Append(event: row))
            }
            if let other = desk.standing.other {
                try transaction.atCommit { $0.run(Accounts.AddToTally(of: other, unreadMessages: 1)) }
            }
            return message
        }
    }

    /// Makes a message say something else. Saying the same changes nothing.
    ///
    /// `version`, where given, must be that of the message (`.preconditionFailed`). Throws `.invalid`, `.notFound`,
    /// `.forbidden` (`not_sender`, and as `send`), `.conflict` (`message_deleted`). The card stays, whatever
    /// its post is now.
    package func edit(
        _ id: ID<Messages.Message>, to body: String, by reader: Accounts.Identity,
        ifVersion version: Precondition = .none
    ) async throws -> Messages.Message {
        let body = try stored(body)
        return try await services.database.transaction { transaction in
            let (desk, old) = try await sit(reader.account, at: id, in: transaction)
            try reader.mayPost()
            guard let before = old.body else {
                throw Failure.conflict(code: .messageDeleted, "it was deleted")
            }
            try desk.mayWrite()
            try version.check(old.version)
            guard before != body else { return try await showingCard(of: old, to: reader.account) }
            let now = services.clock.now()
            let html = try await Markdown.written(body, by: reader.account, in: transaction).html
            var new = old
            (new.body, new.html, new.version, new.editedAt) = (body, html, old.version + 1, now)
            let text = try services.ids.make(Messages.Message.self).rawValue
            let event = Messages.Event.edited(new, by: desk.writer, text: text, inbox: desk.inbox)
            let row = try event.row(id: try services.ids.make(Messages.Event.self).rawValue, at: now)
            try await transaction.batch { batch in
                batch.run(
                    Messages.Statements.Edit(
                        message: id, body: body, html: html, text: text, version: new.version, at: now))
                batch.run(EventLog.Statements.Append(event: row))
            }
            return try await showingCard(of: new, to: reader.account)
        }
    }

    /// Deletes a message: an empty one stays in its place. Deleting twice is deleting once, and who is no friend any
    /// more may still do it. Throws `.notFound`, `.forbidden` (`not_sender`, `account_frozen`), `.preconditionFailed`.
    package func delete(
        _ id: ID<Messages.Message>, by reader: ID<Accounts.Account>, ifVersion version: Precondition = .none
    ) async throws {
        try await services.database.transaction { transaction in
            let (desk, old) = try await sit(reader, at: id, in: transaction)
            guard old.deletedAt == nil else { return }
            try version.check(old.version)
            let now = services.clock.now()
            var new = old
            (new.body, new.html, new.card, new.version, new.deletedAt) = (nil, nil, nil, old.version + 1, now)
            let text = try services.ids.make(Messages.Message.self).rawValue
            let event = Messages.Event.deleted(new, by: desk.writer, text: text, inbox: desk.inbox)
            let row = try event.row(id: try services.ids.make(Messages.Event.self).rawValue, at: now)
            let unreadBy = old.seq > desk.standing.theirReadSeq ? desk.standing.other : nil
            try await transaction.batch { batch in
                batch.run(Messages.Statements.Delete(message: id, text: text, version: new.version, at: now))
                batch.run(EventLog.Statements.Append(event: row))
                if let unreadBy {
                    batch.run(Messages.Statements.Unread(conversation: old.conversation, reader: unreadBy, by: -1))
                }
            }
            if let unreadBy {
                try transaction.atCommit { $0.run(Accounts.AddToTally(of: unreadBy, unreadMessages: -1)) }
            }
        }
    }

    /// What is stored of a text that was sent: the text without what `Markdown.clean` leaves out. Throws `.invalid` for
    /// one that breaks the rules.
    private func stored(_ body: String) throws(Failure) -> String {
        var faults = Faults()
        Messages.NewMessage.check(body: body, into: &faults)
        try faults.check()
        return Markdown.clean(body)
    }

    // MARK: Under the locks

    /// Locks who writes, the book of the card and the conversation, in this order, and reads what writing looks at,
    /// with what the writer sent in the last `spell`. One round trip. Throws `.notFound`, `.forbidden`
    /// (`account_frozen`).
    private func sit(
        _ writer: ID<Accounts.Account>, at conversation: ID<Messages.Conversation>,
        book: ID<Catalog.Work>? = nil, counting spell: Duration = .zero, in transaction: Transaction
    ) async throws -> (Messages.Desk, books: [Catalog.Book]) {
        let (writers, books, places, standings) = try await services.database.pipeline(
            Accounts.Statements.LockWriter(account: writer),
            Messages.Statements.CardOf(work: book ?? .min),
            Messages.Statements.LockConversation(viewer: writer, conversation: conversation),
            Messages.Statements.StandingIn(
                viewer: writer, conversation: conversation, since: services.clock.now() - spell))
        guard let own = writers.first else { throw Failure.unauthenticated() }
        guard let lastSeq = places.first, let standing = standings.first else {
            throw Failure.notFound("conversation \(conversation)")
        }
        try own.state.mayWrite()
        return (Messages.Desk(writer: own.told, lastSeq: lastSeq, standing: standing), books)
    }

    /// The same for one of the writer's own messages, as it is then. Throws `.forbidden` (`not_sender`) for the
    /// other's.
    private func sit(
        _ writer: ID<Accounts.Account>, at message: ID<Messages.Message>, in transaction: Transaction
    ) async throws -> (Messages.Desk, Messages.Message) {
        let asked = Messages.Statements.OneMessage(viewer: writer, message: message)
        guard let seen = try await transaction.first(asked) else { throw Failure.notFound("message \(message)") }
        guard seen.author?.id == writer else {
            throw Failure.forbidden(code: .notSender, "only its author changes a message")
        }
        let (desk, _) = try await sit(writer, at: seen.conversation, in: transaction)
        guard let locked = try await transaction.first(asked) else { throw Failure.notFound("message \(message)") }
        return (desk, locked)
    }

    /// How far back messages are counted: for a new account a day.
    private func spell(of reader: Accounts.Identity) -> Duration {
        services.isNew(bornAt: reader.createdAt) ? .seconds(86_400) : .seconds(60)
    }

    /// `sent`: within `spell(of:)`.
    private func limit(_ sent: Int, of reader: Accounts.Identity) throws(Failure) {
        guard services.settings.limitsRates else { return }
        guard services.isNew(bornAt: reader.createdAt) else {
            guard sent < Limits.messages.messagesPerMinute else {
                throw .limited(policy: "messages", retryAfter: .seconds(60))
            }
            return
        }
        guard sent < Limits.messages.messagesOnFirstDay else {
            throw .limited(policy: "messages_on_first_day", retryAfter: .seconds(3600))
        }
    }

    /// What the message shows. Throws `.invalid` for no book, `.notFound` for a post that the sender does not see,
    /// `.forbidden` (`post_gated`, `note_gated`) for one that lies ahead of them.
    private func card(
        of new: Messages.NewMessage, among books: [Catalog.Book], by sender: ID<Accounts.Account>
    ) async throws -> Messages.Card? {
        if new.book != nil {
            guard let found = books.first else { throw Failure.invalid("/book_id", .unknown, "there is no such book") }
            return .book(found)
        }
        if let note = new.note {
            guard let listed = try await Notebook.Store(services).notes([note], for: .reader(sender))[note] else {
                throw Thing(note).missing
            }
            if case .gated(let placeholder) = listed {
                throw Notebook.Note.shut(at: Gate.Scope(position: placeholder.position) ?? .finished)
            }
            return .shownNote(note, listed)
        }
        guard let post = new.post else { return nil }
        switch try await Boards.Store(services).posts([post], for: .reader(sender))[post] {
        case .whole(let whole)?: return .shown(post, .whole(whole))
        case .gated(let placeholder)?: throw Failure.gated(at: placeholder.position)
        case .tombstone?, nil: throw Failure.notFound("post \(post)")
        }
    }

    private func reply(
        to message: ID<Messages.Message>?, in conversation: ID<Messages.Conversation>, in transaction: Transaction
    ) async throws -> Messages.Answered? {
        guard let message else { return nil }
        let asked = Messages.Statements.ReplyIn(message: message, conversation: conversation)
        guard let seq = try await transaction.first(asked) else {
            throw Failure.invalid("/reply_to", .unknown, "there is no such message in this conversation")
        }
        return Messages.Answered(id: message, seq: seq)
    }
}
