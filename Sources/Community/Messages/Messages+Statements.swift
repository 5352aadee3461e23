import Postgres

extension Messages {
    enum Statements {}
}

extension Messages.Statements {
    /// The other of the two of a `conversation` in scope, for one of them: null once their account is deleted.
    static func other<S>(than viewer: SQL<S>) -> SQL<S> {
        "case when conversation.opener_id = \(viewer) then conversation.partner_id else conversation.opener_id end"
    }

    /// Whether `viewer` is one of the two of a `conversation` in scope, and nothing hides it.
    static func isOpen<S>(to viewer: SQL<S>) -> SQL<S> {
        "(conversation.opener_id = \(viewer) or conversation.partner_id = \(viewer)) and not conversation.is_hidden"
    }

    /// The conversation of two readers, `conversation` in scope; index `conversation_of_pair`.
    static func isOf<S>(_ one: SQL<S>, _ other: SQL<S>) -> SQL<S> {
        """
        least(conversation.opener_id, conversation.partner_id) = least(\(one)::bigint, \(other)::bigint)
               and greatest(conversation.opener_id, conversation.partner_id) = greatest(\(one)::bigint, \(other)::bigint)
               and conversation.opener_id is not null
               and conversation.partner_id is not null
        """
    }

    /// Whether both see how far the other has read.
    static func haveReceipts<S>(_ one: SQL<S>, _ other: SQL<S>) -> SQL<S> {
        """
        not exists (select 1 from message_setting
                             where message_setting.reader_id in (\(one), \(other)) and not message_setting.read_receipts)
        """
    }

    /// The columns of a `Messages.Conversation` for the viewer, whose side is `mine`.
    private static func columns<S: ForViewer>() -> SQL<S> {
        """
        conversation.id, \(Accounts.Reader.columns(of: "other")),
               other.id is not null
               and exists (select 1 from friendship where reader_id = \(.viewer) and friend_id = other.id)
               and exists (select 1 from account me where me.id = \(.viewer) and me.state in ('active', 'limited')) as can_write,
               mine.is_archived, mine.is_muted, mine.unread, mine.read_seq,
               case when \(haveReceipts(.viewer, "other.id")) then theirs.read_seq end as their_read_seq,
               conversation.last_seq, last.id, \(Accounts.Reader.columns(of: "author")),
               case when shown.ok then left(last.body, \(Limits.messages.preview)) end as text,
               shown.ok and (last.work_id is not null or last.post_id is not null or last.note_id is not null) as has_card, last.created_at,
               last.deleted_at, not shown.ok as is_hidden, conversation.created_at, mine.active_at
        """
    }

    /// What those stand in: the other is there where the viewer may see them.
    private static func joined<S: ForViewer>() -> SQL<S> {
        """
        conversation_reader mine
          join conversation on conversation.id = mine.conversation_id and not conversation.is_hidden
          left join account other
            on other.id = \(other(than: .viewer))
           and \(Visibility.predicate(viewer: .viewer, owner: "other.id", level: "2"))
          left join conversation_reader theirs on theirs.conversation_id = conversation.id and theirs.reader_id = other.id
          left join message last on last.conversation_id = conversation.id and last.seq = conversation.last_seq
         cross join lateral (select last.sender_id is null or last.sender_id = \(.viewer) or other.id is not null as ok) shown
          left join account author on author.id = last.sender_id and shown.ok
        """
    }

    /// One conversation, for one of its two.
    struct One: Statement, ForViewer {
        static let name = "messages.conversation"
        static let sql: SQL<Self> = """
            select \(columns())
              from \(joined())
             where mine.reader_id = \(\.viewer)
               and mine.conversation_id = \(\.conversation)
            """
        let viewer: ID<Accounts.Account>, conversation: ID<Messages.Conversation>
        typealias Output = Messages.Conversation
    }

    /// A reader's conversations beyond a place, archived or not; index `conversation_reader_list`. Whom nobody has
    /// written to yet is in the list of who opened it alone.
    struct List: ListStatement, ForViewer {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>(
                ["mine.active_at", "mine.conversation_id"],
                ["\(\.span.place.time, "span.place.at")", "\(\.span.place.id)"], isAscending: false, direction)
            return """
                select \(columns())
                  from \(joined())
                 where mine.reader_id = \(\.viewer)
                   and mine.is_archived = \(\.isArchived)
                   and \(keyset.condition)
                   and (conversation.last_seq > 0 or conversation.opener_id = \(\.viewer))
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let viewer: ID<Accounts.Account>, isArchived: Bool, span: Span<Messages.Key>
        typealias Output = Messages.Conversation
    }
}

extension Messages.Conversation: RowReadable {
    package init(_ columns: inout Columns) throws {
        id = try columns("id")
        reader = try columns.part(through: "shown", Accounts.Reader.init)
        canWrite = try columns("can_write")
        isArchived = try columns("is_archived")
        isMuted = try columns("is_muted")
        unread = try columns("unread")
        readSeq = try columns("read_seq")
        theirReadSeq = try columns("their_read_seq")
        let seq: Int64 = try columns("last_seq")
        lastSeq = seq
        last = try columns.part(through: "is_hidden") { try Messages.Preview(&$0, seq: seq) }
        createdAt = try columns("created_at")
        activeAt = try columns("active_at")
    }
}

extension Messages.Preview {
    fileprivate init(_ columns: inout Columns, seq: Int64) throws {
        self.init(
            id: try columns("id"), seq: seq, author: try columns.part(through: "shown", Accounts.Reader.init),
            text: try columns("text"), hasCard: try columns("has_card"), createdAt: try columns("created_at"),
            deletedAt: try columns("deleted_at"), isHidden: try columns("is_hidden"))
    }
}

extension Messages.Statements {
    /// The conversation of two readers, hidden or not.
    struct ConversationWith: Statement {
        static let sql: SQL<Self> =
            "select conversation.id from conversation where \(isOf("\(\.reader)", "\(\.other)"))"
        let reader: ID<Accounts.Account>, other: ID<Accounts.Account>
        typealias Output = ID<Messages.Conversation>
    }

    /// Whether two are friends, and how many conversations the first has opened since a time; looks at no more than
    /// `limit`. Index `conversation_opened`.
    struct OpenedLately: Statement {
        static let sql: SQL<Self> = """
            select exists (select 1 from friendship where reader_id = \(\.reader) and friend_id = \(\.other)) as are_friends,
                   (select count(*)
                      from (select 1 from conversation where opener_id = \(\.reader) and created_at > \(\.since) limit \(\.limit)) opened) as opened
            """
        let reader: ID<Accounts.Account>, other: ID<Accounts.Account>, since: Timestamp, limit: Int

        static func decode(_ columns: inout Columns) throws -> (areFriends: Bool, opened: Int) {
            (try columns("are_friends"), try columns("opened"))
        }
    }

    struct InsertConversation: Statement {
        static let sql: SQL<Self> =
            "insert into conversation (id, opener_id, partner_id, created_at) values (\(\.id), \(\.opener), \(\.partner), \(\.at))"
        let id: ID<Messages.Conversation>, opener: ID<Accounts.Account>, partner: ID<Accounts.Account>, at: Timestamp
    }

    /// What a new conversation is to its two.
    struct InsertSides: Statement {
        static let sql: SQL<Self> = """
            insert into conversation_reader (conversation_id, reader_id, active_at) values (\(\.id), \(\.opener), \(\.at)), (\(\.id), \(\.partner), \(\.at))
            """
        let id: ID<Messages.Conversation>, opener: ID<Accounts.Account>, partner: ID<Accounts.Account>, at: Timestamp
    }

    /// Where a reader puts a conversation; what is null stays. No row where it is not theirs, or hidden.
    struct File: Statement {
        static let sql: SQL<Self> = """
            update conversation_reader
               set is_archived = coalesce(\(\.filing.isArchived), conversation_reader.is_archived),
                   is_muted = coalesce(\(\.filing.isMuted), conversation_reader.is_muted)
              from conversation
             where conversation_reader.conversation_id = \(\.conversation)
               and conversation_reader.reader_id = \(\.reader)
               and conversation.id = conversation_reader.conversation_id
               and not conversation.is_hidden
            """
        let reader: ID<Accounts.Account>, conversation: ID<Messages.Conversation>, filing: Messages.Filing
    }

    /// No row where the reader never chose.
    struct SettingsOf: Statement {
        static let sql: SQL<Self> = "select read_receipts from message_setting where reader_id = \(\.reader)"
        let reader: ID<Accounts.Account>

        static func decode(_ columns: inout Columns) throws -> Messages.Settings {
            Messages.Settings(readReceipts: try columns("read_receipts"))
        }
    }

    /// No row where the account has ended meanwhile.
    struct PutSettings: Statement {
        static let sql: SQL<Self> = """
            insert into message_setting (reader_id, read_receipts)
            select id, \(\.settings.readReceipts) from account where id = \(\.reader) and state <> 'deleted' for share
                on conflict (reader_id) do update set read_receipts = excluded.read_receipts
            """
        let reader: ID<Accounts.Account>, settings: Messages.Settings
    }
}

extension Messages {
    /// One reader's side of a conversation, read while that is locked.
    struct Side: Sendable {
        let readSeq: Int64
        let unread: Int
        /// Both see how far the other has read.
        let hasReceipts: Bool
    }
}

extension Messages.Statements {
    struct Side: Statement {
        static let sql: SQL<Self> = """
            select mine.read_seq, mine.unread,
                   other.id is not null and \(haveReceipts("\(\.reader)", "other.id")) as has_receipts
              from conversation_reader mine
              join conversation on conversation.id = mine.conversation_id
             cross join lateral (select \(other(than: "\(\.reader)")) as id) other
             where mine.conversation_id = \(\.conversation)
               and mine.reader_id = \(\.reader)
            """
        let reader: ID<Accounts.Account>, conversation: ID<Messages.Conversation>

        static func decode(_ columns: inout Columns) throws -> Messages.Side {
            Messages.Side(
                readSeq: try columns("read_seq"), unread: try columns("unread"),
                hasReceipts: try columns("has_receipts"))
        }
    }

    /// Somebody has read up to a place, further than before; gives what is left. What is beyond it is counted: nothing
    /// at the end.
    struct MarkRead: Statement {
        static let sql: SQL<Self> = """
            update conversation_reader
               set read_seq = \(\.seq),
                   unread = (select count(*)
                               from message
                              where message.conversation_id = \(\.conversation)
                                and message.seq > \(\.seq)
                                and message.sender_id <> \(\.reader)
                                and message.deleted_at is null)
             where conversation_id = \(\.conversation)
               and reader_id = \(\.reader)
            returning unread
            """
        let reader: ID<Accounts.Account>, conversation: ID<Messages.Conversation>, seq: Int64
        typealias Output = Int
    }
}
