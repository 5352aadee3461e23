import Postgres

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
