import Postgres

extension Notifications.Statements {
    /// Reads one; no row changes where it was read before.
    struct Read: Statement {
        static let sql: SQL<Self> = """
            update notification
               set read_at = \(\.at),
                   seen_at = coalesce(seen_at, \(\.at)),
                   mail_at = null
             where reader_id = \(\.reader)
               and id = \(\.id)
               and read_at is null
            """
        let reader: ID<Accounts.Account>, id: ID<Notifications.Item>, at: Timestamp
    }

    /// Reads one and all that the list has after it.
    struct ReadThrough: Statement {
        static let sql: SQL<Self> = """
            update notification
               set read_at = \(\.at),
                   seen_at = coalesce(seen_at, \(\.at)),
                   mail_at = null
             where reader_id = \(\.reader)
               and (at, id) <= (select through.at, through.id
                                  from notification through
                                 where through.reader_id = \(\.reader) and through.id = \(\.through))
               and read_at is null
            """
        let reader: ID<Accounts.Account>, through: ID<Notifications.Item>, at: Timestamp
    }

    struct ReadEvery: Statement {
        static let sql: SQL<Self> = """
            update notification
               set read_at = \(\.at),
                   seen_at = coalesce(seen_at, \(\.at)),
                   mail_at = null
             where reader_id = \(\.reader)
               and read_at is null
            """
        let reader: ID<Accounts.Account>, at: Timestamp
    }

    struct See: Statement {
        static let sql: SQL<Self> =
            "update notification set seen_at = \(\.at) where reader_id = \(\.reader) and seen_at is null"
        let reader: ID<Accounts.Account>, at: Timestamp
    }

    /// Gives whether it was unread; no row where the reader has none of this id.
    struct Remove: Statement {
        static let sql: SQL<Self> =
            "delete from notification where reader_id = \(\.reader) and id = \(\.id) returning read_at is null"
        let reader: ID<Accounts.Account>, id: ID<Notifications.Item>
        typealias Output = Bool
    }

    struct HasOne: Statement {
        static let sql: SQL<Self> =
            "select exists (select 1 from notification where reader_id = \(\.reader) and id = \(\.id))"
        let reader: ID<Accounts.Account>, id: ID<Notifications.Item>
        typealias Output = Bool
    }

    /// What a reader chose, kind by kind, of those that this program knows.
    struct SettingsOf: Statement {
        static let sql: SQL<Self> = """
            select kind, inbox, mail
              from notification_setting
             where reader_id = \(\.reader)
               and kind in (\(Notifications.Kind.known))
            """
        let reader: ID<Accounts.Account>

        static func decode(_ columns: inout Columns) throws -> (
            kind: Notifications.Kind, channels: Notifications.Channels
        ) {
            (try columns("kind"), Notifications.Channels(inbox: try columns("inbox"), mail: try columns("mail")))
        }
    }

    /// The account is held against its end; no row where it is over.
    struct PutSetting: Statement {
        static let sql: SQL<Self> = """
            insert into notification_setting as mine (reader_id, kind, inbox, mail)
            select account.id, \(\.kind), \(\.channels.inbox), \(\.channels.mail)
              from account
             where account.id = \(\.reader)
               and account.state <> 'deleted'
               for share
            on conflict (reader_id, kind) do update
               set inbox = excluded.inbox,
                   mail = excluded.mail
            """
        let reader: ID<Accounts.Account>, kind: Notifications.Kind, channels: Notifications.Channels
    }
}
