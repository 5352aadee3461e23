import Postgres

extension Messages {
    static let upkeepStatements: [any Statement.Type] = [
        Statements.LockOfPair.self, Statements.Hide.self, Statements.Show.self, Statements.UnreadSides.self,
        Statements.LockAll.self, Statements.UncountPartners.self, Statements.ClearPartners.self,
        Statements.EmptyAll.self, Statements.LeaveSides.self, Statements.DropSettings.self, Statements.LeaveAll.self,
        Statements.DropMessages.self, Statements.DropConversations.self, Statements.MoveCards.self,
    ]
}

// MARK: Friendship and blocks

extension Messages.Statements {
    /// What is done to the conversation of two readers, `$1` and `$2`, while both accounts are locked.
    protocol OnPair: PositionalStatement where Output == ID<Messages.Conversation> {
        var one: ID<Accounts.Account> { get }
        var other: ID<Accounts.Account> { get }
    }

    /// Whoever writes in it has ended, and whoever comes sees what its holder leaves.
    struct LockOfPair: OnPair {
        static let name = "messages.lock_of_pair"
        static let sql = "select conversation.id from conversation where \(isOf("$1", "$2")) for no key update"
        let one: ID<Accounts.Account>
        let other: ID<Accounts.Account>
    }

    /// Hides it; gives it where it was not hidden before.
    struct Hide: OnPair {
        static let name = "messages.hide"
        static let sql = """
            update conversation
               set is_hidden = true
             where \(isOf("$1", "$2"))
               and not conversation.is_hidden
            returning conversation.id
            """
        let one: ID<Accounts.Account>
        let other: ID<Accounts.Account>
    }

    /// Shows it again where no block is left; gives it where it was hidden before.
    struct Show: OnPair {
        static let name = "messages.show"
        static let sql = """
            update conversation
               set is_hidden = false
             where \(isOf("$1", "$2"))
               and conversation.is_hidden
               and not exists (select 1 from block
                                where blocker_id = $1 and blocked_id = $2 or blocker_id = $2 and blocked_id = $1)
            returning conversation.id
            """
        let one: ID<Accounts.Account>
        let other: ID<Accounts.Account>
    }

    /// Who has not read all of a conversation, which is locked, in the order of their ids.
    struct UnreadSides: Statement {
        static let name = "messages.unread_sides"
        static let sql: SQL<Self> = """
            select reader_id, unread from conversation_reader where conversation_id = \(\.conversation) and unread > 0 order by reader_id
            """
        let conversation: ID<Messages.Conversation>

        static func decode(_ columns: inout Columns) throws -> (reader: ID<Accounts.Account>, unread: Int32) {
            (try columns("reader_id"), try columns("unread"))
        }
    }
}

extension Messages.Statements.OnPair {
    func bind(to parameters: inout Parameters) {
        parameters.append(one)
        parameters.append(other)
    }

    static func decode(_ row: borrowing Row) throws -> ID<Messages.Conversation> { try row[0] }
}

// MARK: The end of an account

extension Messages.Statements {
    /// What is done to all that one account, `$1`, has here, while its conversations are locked.
    protocol OfLeaver: PositionalStatement {
        var account: ID<Accounts.Account> { get }
    }

    /// What is done to the others in all conversations of one account, `$1`, which are `$2` and locked.
    protocol OfPartners: PositionalStatement {
        var account: ID<Accounts.Account> { get }
        var conversations: [ID<Messages.Conversation>] { get }
    }

    /// Of some conversations, `$1`, those without either of their two.
    protocol OfDeserted: PositionalStatement {
        var conversations: [ID<Messages.Conversation>] { get }
    }

    struct LockAll: OfLeaver {
        static let name = "messages.lock_all"
        static let sql = "select id from conversation where opener_id = $1 or partner_id = $1 order by id for update"
        let account: ID<Accounts.Account>
        typealias Output = ID<Messages.Conversation>
    }

    /// What the others have not read of the leaver counts no more, reader by reader.
    struct UncountPartners: OfPartners {
        static let name = "messages.uncount_partners"
        static let sql = """
            with partner as (
                select theirs.reader_id, theirs.unread
                  from conversation_reader theirs
                  join conversation on conversation.id = theirs.conversation_id
                 where theirs.conversation_id = any($2)
                   and theirs.reader_id <> $1
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
        let account: ID<Accounts.Account>
        let conversations: [ID<Messages.Conversation>]
    }

    struct ClearPartners: OfPartners {
        static let name = "messages.clear_partners"
        static let sql = """
            update conversation_reader
               set unread = 0
             where conversation_id = any($2)
               and reader_id <> $1
               and unread > 0
            """
        let account: ID<Accounts.Account>
        let conversations: [ID<Messages.Conversation>]
    }

    /// All that the leaver wrote; index `message_of_sender`.
    struct EmptyAll: Statement {
        static let name = "messages.empty_all"
        static let sql: SQL<Self> = """
            update message
               set sender_id = null, body = null, html = null, work_id = null, post_id = null, version = version + 1,
                   deleted_at = coalesce(deleted_at, \(\.at))
             where sender_id = \(\.account)
            """
        let account: ID<Accounts.Account>
        let at: Timestamp
    }

    struct LeaveSides: OfLeaver {
        static let name = "messages.leave_sides"
        static let sql = "delete from conversation_reader where reader_id = $1"
        let account: ID<Accounts.Account>
    }

    struct DropSettings: OfLeaver {
        static let name = "messages.drop_settings"
        static let sql = "delete from message_setting where reader_id = $1"
        let account: ID<Accounts.Account>
    }

    /// The others keep what they wrote; a block that hid it has gone with the account.
    struct LeaveAll: OfLeaver {
        static let name = "messages.leave_all"
        static let sql = """
            update conversation
               set opener_id = nullif(opener_id, $1), partner_id = nullif(partner_id, $1), is_hidden = false
             where opener_id = $1 or partner_id = $1
            """
        let account: ID<Accounts.Account>
    }

    struct DropMessages: OfDeserted {
        static let name = "messages.drop_messages"
        static let sql = """
            delete from message
             where conversation_id in (select id from conversation
                                        where id = any($1) and opener_id is null and partner_id is null)
            """
        let conversations: [ID<Messages.Conversation>]
    }

    struct DropConversations: OfDeserted {
        static let name = "messages.drop_conversations"
        static let sql = "delete from conversation where id = any($1) and opener_id is null and partner_id is null"
        let conversations: [ID<Messages.Conversation>]
    }

    /// Cards of one work show another; index `message_of_work`.
    struct MoveCards: Catalog.Moving {
        static let name = "messages.move_cards"
        static let sql = "update message set work_id = $2 where work_id = $1"
        let from: ID<Catalog.Work>
        let into: ID<Catalog.Work>
    }
}

extension Messages.Statements.OfLeaver {
    func bind(to parameters: inout Parameters) { parameters.append(account) }
}

extension Messages.Statements.OfPartners {
    func bind(to parameters: inout Parameters) {
        parameters.append(account)
        parameters.append(conversations)
    }
}

extension Messages.Statements.OfDeserted {
    func bind(to parameters: inout Parameters) { parameters.append(conversations) }
}
