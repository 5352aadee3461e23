import JSONWriting
import Postgres

extension Accounts {
    /// What has not been read.
    package struct Unread: Hashable, Sendable, JSONForm {
        package let messages: Int
        package let notifications: Int

        static let nothing = Unread(messages: 0, notifications: 0)

        package func put(into object: JSONObject) {
            object.put("message_count", messages)
            object.put("notification_count", notifications)
        }
    }

    /// By how much the counters of a reader change, in the transaction that makes or takes away what they count. A
    /// domain that makes a new kind of it recounts it. Locks the reader's row: goes last, readers in the order of their
    /// ids.
    package struct AddToTally: Statement {
        package static let sql: SQL<Self> = """
            insert into reader_tally as tally (reader_id, comments, groups, unread_messages, unread_notifications)
            values (\(\.reader), greatest(\(\.comments)::integer, 0), greatest(\(\.groups)::integer, 0), greatest(\(\.unreadMessages)::integer, 0), greatest(\(\.unreadNotifications)::integer, 0))
            on conflict (reader_id) do update
               set comments = tally.comments + \(\.comments),
                   groups = tally.groups + \(\.groups),
                   unread_messages = tally.unread_messages + \(\.unreadMessages),
                   unread_notifications = tally.unread_notifications + \(\.unreadNotifications)
            """
        let reader: ID<Accounts.Account>, comments: Int32, groups: Int32, unreadMessages: Int32
        let unreadNotifications: Int32

        package init(
            of reader: ID<Accounts.Account>, comments: Int32 = 0, groups: Int32 = 0, unreadMessages: Int32 = 0,
            unreadNotifications: Int32 = 0
        ) {
            self.reader = reader
            self.comments = comments
            self.groups = groups
            self.unreadMessages = unreadMessages
            self.unreadNotifications = unreadNotifications
        }
    }
}

extension Accounts.Statements {
    /// What a reader has not read; no row: nothing.
    struct UnreadOf: Statement {
        static let sql: SQL<Self> =
            "select unread_messages, unread_notifications from reader_tally where reader_id = \(\.reader)"
        let reader: ID<Accounts.Account>

        static func decode(_ columns: inout Columns) throws -> Accounts.Unread {
            Accounts.Unread(
                messages: try columns("unread_messages"), notifications: try columns("unread_notifications"))
        }
    }

    /// Unread notifications more, for several readers in the order of their ids: what `AddToTally` does for one. Gives how
    /// many each has then.
    struct CountNotifications: Statement {
        static let sql: SQL<Self> = """
            insert into reader_tally as tally (reader_id, unread_notifications)
            select told.reader_id, told.more
              from unnest(\(\.readers)::bigint[], \(\.more)::integer[]) told (reader_id, more)
             order by told.reader_id
            on conflict (reader_id) do update
               set unread_notifications = tally.unread_notifications + excluded.unread_notifications
            returning reader_id, unread_notifications
            """
        let readers: [ID<Accounts.Account>]
        /// 0 or more for each.
        let more: [Int32]

        static func decode(_ columns: inout Columns) throws -> (reader: ID<Accounts.Account>, unread: Int32) {
            (try columns("reader_id"), try columns("unread_notifications"))
        }
    }

    /// For the end of an account.
    struct DropTally: Statement {
        static let sql: SQL<Self> = "delete from reader_tally where reader_id = \(\.reader)"
        let reader: ID<Accounts.Account>
    }
}
