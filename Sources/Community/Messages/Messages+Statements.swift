import Postgres

extension Messages {
    /// Every statement of the domain; a test prepares each one.
    package static let statements: [any Statement.Type] =
        [
            Statements.ConversationWith.self, Statements.OpenedLately.self, Statements.InsertConversation.self,
            Statements.InsertSides.self, Statements.One.self, Statements.List<NewestFirst>.self,
            Statements.List<OldestFirst>.self, Statements.File.self, Statements.SettingsOf.self,
            Statements.PutSettings.self,
        ] + messageStatements + readingStatements + upkeepStatements

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

    /// The columns that `Messages.Conversation` is read from, for the viewer $1, whose side is `mine`.
    private static func columns<S: ForViewer>() -> SQL<S> {
        """
        conversation.id, other.id, other.username, \(Privacy.shown("other.name", .name, viewer: .viewer, owner: "other.id")),
               other.id is not null
               and exists (select 1 from friendship where reader_id = \(.viewer) and friend_id = other.id)
               and exists (select 1 from account me where me.id = \(.viewer) and me.state in ('active', 'limited')),
               mine.is_archived, mine.is_muted, mine.unread, mine.read_seq,
               case when \(haveReceipts(.viewer, "other.id")) then theirs.read_seq end,
               conversation.last_seq, conversation.created_at, mine.active_at,
               last.id, case when shown.ok then last.sender_id end,
               case when shown.ok then left(last.body, \(Limits.Messages.preview)) end,
               shown.ok and (last.work_id is not null or last.post_id is not null), last.created_at,
               last.deleted_at, not shown.ok
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
        let viewer: ID<Accounts.Account>
        let conversation: ID<Messages.Conversation>

        static func decode(_ row: borrowing Row) throws -> Messages.Conversation { try asConversation(row) }
    }

    /// A reader's conversations beyond a place, archived or not; index `conversation_reader_list`. Whom nobody has
    /// written to yet is in the list of who opened it alone.
    struct List<Way: ListWay>: Statement, ForViewer {
        static var name: String { "messages.list_" + Way.name }
        static var sql: SQL<Self> {
            """
            select \(columns())
              from \(joined())
             where mine.reader_id = \(\.viewer)
               and mine.is_archived = \(\.isArchived)
               and (mine.active_at, mine.conversation_id) \(Way.comparison) (\(\.place.time, "place.at"), \(\.place.id))
               and (conversation.last_seq > 0 or conversation.opener_id = \(\.viewer))
             order by mine.active_at \(Way.order), mine.conversation_id \(Way.order)
             limit \(\.limit)
            """
        }
        let viewer: ID<Accounts.Account>
        let isArchived: Bool
        let place: Messages.Key
        let limit: Int

        static func decode(_ row: borrowing Row) throws -> Messages.Conversation { try asConversation(row) }
    }

    private static func asConversation(_ row: borrowing Row) throws -> Messages.Conversation {
        let reader: ID<Accounts.Account>? = try row[1]
        let last: ID<Messages.Message>? = try row[13]
        let (lastSeq, unread): (Int64, Int32) = (try row[10], try row[7])
        return Messages.Conversation(
            id: try row[0],
            reader: try reader.map { Accounts.Reader(id: $0, username: try row[2], name: try row[3]) },
            canWrite: try row[4], isArchived: try row[5], isMuted: try row[6], unread: Int(unread),
            readSeq: try row[8], theirReadSeq: try row[9], lastSeq: lastSeq,
            last: try last.map {
                Messages.Preview(
                    id: $0, seq: lastSeq, sender: try row[14], text: try row[15], hasCard: try row[16] ?? false,
                    createdAt: try row[17], deletedAt: try row[18], isHidden: try row[19] ?? false)
            },
            createdAt: try row[11], activeAt: try row[12])
    }
}

extension Messages.Statements {
    /// The conversation of two readers, hidden or not.
    struct ConversationWith: Statement {
        static let name = "messages.conversation_with"
        static let sql: SQL<Self> =
            "select conversation.id from conversation where \(isOf("\(\.reader)", "\(\.other)"))"
        let reader: ID<Accounts.Account>
        let other: ID<Accounts.Account>

        typealias Output = ID<Messages.Conversation>
    }

    /// Whether two are friends, and how many conversations the first has opened since a time; looks at no more than
    /// `limit`. Index `conversation_opened`.
    struct OpenedLately: Statement {
        static let name = "messages.opened_lately"
        static let sql: SQL<Self> = """
            select exists (select 1 from friendship where reader_id = \(\.reader) and friend_id = \(\.other)) as are_friends,
                   (select count(*)
                      from (select 1 from conversation where opener_id = \(\.reader) and created_at > \(\.since) limit \(\.limit)) opened) as opened
            """
        let reader: ID<Accounts.Account>
        let other: ID<Accounts.Account>
        let since: Timestamp
        let limit: Int

        static func decode(_ columns: inout Columns) throws -> (areFriends: Bool, opened: Int64) {
            (try columns("are_friends"), try columns("opened"))
        }
    }

    struct InsertConversation: Statement {
        static let name = "messages.insert_conversation"
        static let sql: SQL<Self> =
            "insert into conversation (id, opener_id, partner_id, created_at) values (\(\.id), \(\.opener), \(\.partner), \(\.at))"
        let id: ID<Messages.Conversation>
        let opener: ID<Accounts.Account>
        let partner: ID<Accounts.Account>
        let at: Timestamp
    }

    /// What a new conversation is to its two.
    struct InsertSides: Statement {
        static let name = "messages.insert_sides"
        static let sql: SQL<Self> = """
            insert into conversation_reader (conversation_id, reader_id, active_at) values (\(\.id), \(\.opener), \(\.at)), (\(\.id), \(\.partner), \(\.at))
            """
        let id: ID<Messages.Conversation>
        let opener: ID<Accounts.Account>
        let partner: ID<Accounts.Account>
        let at: Timestamp
    }

    /// Where a reader puts a conversation; what is null stays. No row where it is not theirs, or hidden.
    struct File: Statement {
        static let name = "messages.file"
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
        let reader: ID<Accounts.Account>
        let conversation: ID<Messages.Conversation>
        let filing: Messages.Filing
    }

    /// No row where the reader never chose.
    struct SettingsOf: Statement {
        static let name = "messages.settings_of"
        static let sql: SQL<Self> = "select read_receipts from message_setting where reader_id = \(\.reader)"
        let reader: ID<Accounts.Account>

        static func decode(_ columns: inout Columns) throws -> Messages.Settings {
            Messages.Settings(readReceipts: try columns("read_receipts"))
        }
    }

    /// No row where the account has ended meanwhile.
    struct PutSettings: Statement {
        static let name = "messages.put_settings"
        static let sql: SQL<Self> = """
            insert into message_setting (reader_id, read_receipts)
            select id, \(\.settings.readReceipts) from account where id = \(\.reader) and state <> 'deleted' for share
                on conflict (reader_id) do update set read_receipts = excluded.read_receipts
            """
        let reader: ID<Accounts.Account>
        let settings: Messages.Settings
    }
}
