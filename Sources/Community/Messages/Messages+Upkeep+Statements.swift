import Postgres

// MARK: Friendship and blocks

// The conversation of two readers, whose accounts are both locked.
extension Messages.Statements {
    /// Writing in it has ended then, and later writers see what its holder leaves.
    struct LockOfPair: Statement {
        static let sql: SQL<Self> =
            "select conversation.id from conversation where \(isOf("\(\.one)", "\(\.other)")) for no key update"
        let one: ID<Accounts.Account>, other: ID<Accounts.Account>
        typealias Output = ID<Messages.Conversation>
    }

    /// Hides it; gives it where it was not hidden before.
    struct Hide: Statement {
        static let sql: SQL<Self> = """
            update conversation
               set is_hidden = true
             where \(isOf("\(\.one)", "\(\.other)"))
               and not conversation.is_hidden
            returning conversation.id
            """
        let one: ID<Accounts.Account>, other: ID<Accounts.Account>
        typealias Output = ID<Messages.Conversation>
    }

    /// Shows it again where no block is left; gives it where it was hidden before.
    struct Show: Statement {
        static let sql: SQL<Self> = """
            update conversation
               set is_hidden = false
             where \(isOf("\(\.one)", "\(\.other)"))
               and conversation.is_hidden
               and not exists (select 1 from block
                                where blocker_id = \(\.one) and blocked_id = \(\.other) or blocker_id = \(\.other) and blocked_id = \(\.one))
            returning conversation.id
            """
        let one: ID<Accounts.Account>, other: ID<Accounts.Account>
        typealias Output = ID<Messages.Conversation>
    }

    /// Who has not read all of a conversation, which is locked, in the order of their ids.
    struct UnreadSides: Statement {
        static let sql: SQL<Self> = """
            select reader_id, unread from conversation_reader where conversation_id = \(\.conversation) and unread > 0 order by reader_id
            """
        let conversation: ID<Messages.Conversation>

        static func decode(_ columns: inout Columns) throws -> (reader: ID<Accounts.Account>, unread: Int32) {
            (try columns("reader_id"), try columns("unread"))
        }
    }
}

// MARK: The end of an account

// Its conversations are locked.
extension Messages.Statements {
    struct LockAll: Statement {
        static let sql: SQL<Self> =
            "select id from conversation where opener_id = \(\.account) or partner_id = \(\.account) order by id for update"
        let account: ID<Accounts.Account>
        typealias Output = ID<Messages.Conversation>
    }

    /// What the others have not read of the leaver counts no more, reader by reader.
    struct UncountPartners: Statement {
        static let sql: SQL<Self> = """
            with partner as (
                select theirs.reader_id, theirs.unread
                  from conversation_reader theirs
                  join conversation on conversation.id = theirs.conversation_id
                 where theirs.conversation_id = any(\(\.conversations))
                   and theirs.reader_id <> \(\.account)
                   and theirs.unread > 0
                   and not conversation.is_hidden
            ), locked as materialized (
                select tally.reader_id
                  from reader_tally tally
                 where tally.reader_id in (select reader_id from partner)
                 order by tally.reader_id
                   for update
            )
            update reader_tally
               set unread_messages = reader_tally.unread_messages - partner.unread
              from locked
              join partner on partner.reader_id = locked.reader_id
             where reader_tally.reader_id = locked.reader_id
            """
        let account: ID<Accounts.Account>, conversations: [ID<Messages.Conversation>]
    }

    struct ClearPartners: Statement {
        static let sql: SQL<Self> = """
            update conversation_reader
               set unread = 0
             where conversation_id = any(\(\.conversations))
               and reader_id <> \(\.account)
               and unread > 0
            """
        let account: ID<Accounts.Account>, conversations: [ID<Messages.Conversation>]
    }

    /// All that the leaver wrote; index `message_of_sender`.
    struct EmptyAll: Statement {
        static let sql: SQL<Self> = """
            update message
               set sender_id = null, body = null, html = null, work_id = null, post_id = null, note_id = null, version = version + 1,
                   deleted_at = coalesce(deleted_at, \(\.at))
             where sender_id = \(\.account)
            """
        let account: ID<Accounts.Account>, at: Timestamp
    }

    struct LeaveSides: Statement {
        static let sql: SQL<Self> = "delete from conversation_reader where reader_id = \(\.account)"
        let account: ID<Accounts.Account>
    }

    struct DropSettings: Statement {
        static let sql: SQL<Self> = "delete from message_setting where reader_id = \(\.account)"
        let account: ID<Accounts.Account>
    }

    /// The others keep what they wrote; a block that hid it has gone with the account.
    struct LeaveAll: Statement {
        static let sql: SQL<Self> = """
            update conversation
               set opener_id = nullif(opener_id, \(\.account)), partner_id = nullif(partner_id, \(\.account)), is_hidden = false
             where opener_id = \(\.account) or partner_id = \(\.account)
            """
        let account: ID<Accounts.Account>
    }

    /// Of some conversations those without either of their two, as is the next.
    struct DropMessages: Statement {
        static let sql: SQL<Self> = """
            delete from message
             where conversation_id in (select id from conversation
                                        where id = any(\(\.conversations)) and opener_id is null and partner_id is null)
            """
        let conversations: [ID<Messages.Conversation>]
    }

    struct DropConversations: Statement {
        static let sql: SQL<Self> =
            "delete from conversation where id = any(\(\.conversations)) and opener_id is null and partner_id is null"
        let conversations: [ID<Messages.Conversation>]
    }
}
