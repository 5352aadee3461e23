import MarkdownReading
import Postgres

extension Messages {
    /// What stands before somebody writes, read while the conversation is locked.
    struct Standing: Sendable {
        /// The other of the two; `nil` once their account is deleted.
        let other: ID<Accounts.Account>?
        /// They are friends, and the other is there.
        let mayWrite: Bool
        /// The other wants nothing of it in the inbox.
        let isMuted: Bool
        /// Place up to which the other has read.
        let theirReadSeq: Int64
        /// What the one who writes has sent since a time, as far as it was counted.
        let sent: Int
    }
}

extension Messages.Statements {
    /// The columns of a `Messages.Message` for the viewer; `message`, `shown`, `writer` and `work` must be in scope.
    private static func columns<S: ForViewer>() -> SQL<S> {
        """
        message.id, message.conversation_id, message.seq, \(Accounts.Reader.columns(of: "writer")),
               case when shown.ok then message.body end as body, case when shown.ok then message.html end as html,
               \(Catalog.Book.columns), case when shown.ok then message.post_id end as post_id,
               case when shown.ok then message.note_id end as note_id,
               message.reply_to, message.reply_seq, message.version,
               message.created_at, message.edited_at, message.deleted_at, not shown.ok as is_hidden
        """
    }

    /// What those stand in: `shown` says whether the viewer sees what its sender writes, `conversation` where it
    /// stands.
    private static func joined<S: ForViewer>(_ conversation: SQL<S>) -> SQL<S> {
        """
        message
         cross join lateral (
               select message.sender_id is null or message.sender_id = \(.viewer)
                      or (select \(Visibility.predicate(viewer: .viewer, owner: "other.id", level: "2"))
                            from (select \(other(than: .viewer)) as id
                                    from conversation
                                   where conversation.id = \(conversation)) other) as ok) shown
          left join account writer on writer.id = message.sender_id and shown.ok
          left join work named on named.id = message.work_id and shown.ok
          left join work on work.id = coalesce(named.merged_into, named.id)
        """
    }

    /// A row where the conversation is there for the viewer.
    struct IsOpen: Statement {
        static let sql: SQL<Self> =
            "select conversation.id from conversation where conversation.id = \(\.conversation) and \(isOpen(to: "\(\.viewer)"))"
        let viewer: ID<Accounts.Account>, conversation: ID<Messages.Conversation>
        typealias Output = ID<Messages.Conversation>
    }

    /// A conversation's messages beyond a place; index `message_seq_key`.
    struct Pages: ListStatement, ForViewer {
        static let name = "messages.page"
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>("message.seq", "\(\.span.place)", direction)
            return """
                select \(columns())
                  from \(joined("\(\.conversation)"))
                 where message.conversation_id = \(\.conversation)
                   and \(keyset.condition)
                   and exists (select 1 from conversation where conversation.id = \(\.conversation) and \(isOpen(to: "\(\.viewer)")))
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let viewer: ID<Accounts.Account>, conversation: ID<Messages.Conversation>, span: Span<Int64>
        typealias Output = Messages.Message
    }

    /// One message, where its conversation is there for the viewer.
    struct OneMessage: Statement, ForViewer {
        static let name = "messages.message"
        static let sql: SQL<Self> = """
            select \(columns())
              from \(joined("message.conversation_id"))
             where message.id = \(\.message)
               and exists (select 1 from conversation
                            where conversation.id = message.conversation_id and \(isOpen(to: "\(\.viewer)")))
            """
        let viewer: ID<Accounts.Account>, message: ID<Messages.Message>
        typealias Output = Messages.Message
    }
}

extension Messages.Message: RowReadable {
    package init(_ columns: inout Columns) throws {
        id = try columns("id")
        conversation = try columns("conversation_id")
        seq = try columns("seq")
        author = try columns.part(through: "shown", Accounts.Reader.init)
        let text: String? = try columns("body")
        body = text
        // What was written before there was HTML has none.
        html = try columns("html") ?? text.map { Markdown.render($0).html }
        let book = try columns.part(through: "author_names", Catalog.Book.init)
        let post: ID<Boards.Post>? = try columns("post_id")
        let note: ID<Notebook.Note>? = try columns("note_id")
        card = book.map(Messages.Card.book) ?? post.map(Messages.Card.post) ?? note.map(Messages.Card.note)
        reply = try columns.part(through: "reply_seq", Messages.Answered.init)
        version = try columns("version")
        createdAt = try columns("created_at")
        editedAt = try columns("edited_at")
        deletedAt = try columns("deleted_at")
        isHidden = try columns("is_hidden")
    }
}

extension Messages.Answered {
    fileprivate init(_ columns: inout Columns) throws {
        self.init(id: try columns("reply_to"), seq: try columns("reply_seq"))
    }
}

// MARK: Writing

extension Messages.Statements {
    /// The book that a card is to show: a work, or what it was merged into; held, so that a merge waits. No row for
    /// what is no book.
    struct CardOf: Statement {
        static let sql: SQL<Self> = """
            with target as (
                \(Catalog.held("\(\.work)"))
            )
            select \(Catalog.Book.columns)
              from work
             where work.id = (select id from target)
               and work.title is not null
               and work.withdrawn_at is null
            """
        let work: ID<Catalog.Work>
        typealias Output = Catalog.Book
    }

    /// Takes a conversation for one of its two, if it is there for them, and gives the place of its newest message.
    struct LockConversation: Statement {
        static let sql: SQL<Self> = """
            select conversation.last_seq
              from conversation
             where conversation.id = \(\.conversation)
               and \(isOpen(to: "\(\.viewer)"))
               for no key update
            """
        let viewer: ID<Accounts.Account>, conversation: ID<Messages.Conversation>
        typealias Output = Int64
    }

    /// What writing looks at. Follows `LockConversation` as a statement of its own: only a snapshot taken after the
    /// lock was granted sees what ended meanwhile.
    struct StandingIn: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select other.id,
                   exists (select 1 from friendship where reader_id = \(\.viewer) and friend_id = other.id)
                   and \(Visibility.predicate(viewer: .viewer, owner: "other.id", level: "2")) as may_write,
                   coalesce(theirs.is_muted, false) as is_muted, coalesce(theirs.read_seq, 0) as their_read_seq,
                   (select count(*)
                      from (select 1 from message where sender_id = \(\.viewer) and created_at > \(\.since) limit \(Limits.messages.messagesPerMinute + 1)) sent) as sent
              from conversation
             cross join lateral (select \(other(than: .viewer)) as id) other
              left join conversation_reader theirs
                on theirs.conversation_id = conversation.id
               and theirs.reader_id = other.id
             where conversation.id = \(\.conversation)
            """
        let viewer: ID<Accounts.Account>, conversation: ID<Messages.Conversation>
        /// Messages are counted since then, one further than the limit of a minute.
        let since: Timestamp

        static func decode(_ columns: inout Columns) throws -> Messages.Standing {
            Messages.Standing(
                other: try columns("id"), mayWrite: try columns("may_write") ?? false, isMuted: try columns("is_muted"),
                theirReadSeq: try columns("their_read_seq"), sent: try columns("sent"))
        }
    }

    /// The place of a message that can be answered.
    struct ReplyIn: Statement {
        static let sql: SQL<Self> =
            "select seq from message where id = \(\.message) and conversation_id = \(\.conversation) and deleted_at is null"
        let message: ID<Messages.Message>, conversation: ID<Messages.Conversation>
        typealias Output = Int64
    }

    struct Insert: Statement {
        static let sql: SQL<Self> = """
            insert into message (id, conversation_id, seq, sender_id, text_id, body, html, reply_to, reply_seq, work_id,
                                 post_id, note_id, created_at)
            values (\(\.message.id), \(\.message.conversation), \(\.message.seq), \(\.message.author?.id), \(\.message.id), \(\.message.body), \(\.message.html), \(\.message.reply?.id), \(\.message.reply?.seq), \(\.message.card?.work, "message.card.work"), \(\.message.card?.post, "message.card.post"), \(\.message.card?.note, "message.card.note"), \(\.message.createdAt))
            """
        let message: Messages.Message
    }

    /// A conversation, which is locked, has a newest message.
    struct Advance: Statement {
        static let sql: SQL<Self> = "update conversation set last_seq = \(\.seq) where id = \(\.conversation)"
        let conversation: ID<Messages.Conversation>, seq: Int64
    }

    /// The same on both sides: for whom it was sent it is unread, and archived no more unless muted.
    struct Touch: Statement {
        static let sql: SQL<Self> = """
            update conversation_reader
               set active_at = \(\.at),
                   unread = unread + case when reader_id = \(\.sender) then 0 else 1 end,
                   is_archived = is_archived and is_muted and reader_id <> \(\.sender)
             where conversation_id = \(\.conversation)
            """
        let conversation: ID<Messages.Conversation>, sender: ID<Accounts.Account>, at: Timestamp
    }

    struct Edit: Statement {
        static let sql: SQL<Self> = """
            update message
               set body = \(\.body), html = \(\.html), text_id = \(\.text), version = \(\.version), edited_at = \(\.at)
             where id = \(\.message)
            """
        let message: ID<Messages.Message>, body: String, html: String, text: Int64, version: Int, at: Timestamp
    }

    struct Delete: Statement {
        static let sql: SQL<Self> = """
            update message
               set body = null, html = null, work_id = null, post_id = null, note_id = null, text_id = \(\.text), version = \(\.version), deleted_at = \(\.at)
             where id = \(\.message)
            """
        let message: ID<Messages.Message>, text: Int64, version: Int, at: Timestamp
    }

    /// By how much what one side has not read changes.
    struct Unread: Statement {
        static let sql: SQL<Self> = """
            update conversation_reader set unread = unread + \(\.by)::integer where conversation_id = \(\.conversation) and reader_id = \(\.reader)
            """
        let conversation: ID<Messages.Conversation>, reader: ID<Accounts.Account>, by: Int32
    }
}

extension Messages.Card {
    /// The book that it shows.
    var work: ID<Catalog.Work>? { if case .book(let book) = self { book.id } else { nil } }

    /// The post that it shows.
    var post: ID<Boards.Post>? {
        switch self {
        case .post(let post), .shown(let post, _): post
        case .book, .note, .shownNote: nil
        }
    }

    /// The note that it shows.
    var note: ID<Notebook.Note>? {
        switch self {
        case .note(let note), .shownNote(let note, _): note
        case .book, .post, .shown: nil
        }
    }

    /// The same without what others said.
    var withoutWords: Messages.Card {
        switch self {
        case .book: self
        case .post(let post), .shown(let post, _): .shown(post, nil)
        case .note(let note), .shownNote(let note, _): .shownNote(note, nil)
        }
    }
}
