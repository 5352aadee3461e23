import Postgres

extension Notifications.Statements {
    /// Reads one; no row changes where it was read before.
    struct Read: Statement {
        static let name = "notifications.read"
        static let sql = """
            update notification
               set read_at = $3,
                   seen_at = coalesce(seen_at, $3),
                   mail_at = null
             where reader_id = $1
               and id = $2
               and read_at is null
            """
        let reader: ID<Accounts.Account>
        let id: ID<Notifications.Item>
        let at: Timestamp

        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(id)
            parameters.append(at)
        }
    }

    /// Reads one and all that the list has after it.
    struct ReadThrough: Statement {
        static let name = "notifications.read_through"
        static let sql = """
            update notification
               set read_at = $3,
                   seen_at = coalesce(seen_at, $3),
                   mail_at = null
             where reader_id = $1
               and (at, id) <= (select through.at, through.id
                                  from notification through
                                 where through.reader_id = $1 and through.id = $2)
               and read_at is null
            """
        let reader: ID<Accounts.Account>
        let through: ID<Notifications.Item>
        let at: Timestamp

        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(through)
            parameters.append(at)
        }
    }

    struct ReadEvery: Statement {
        static let name = "notifications.read_every"
        static let sql = """
            update notification
               set read_at = $2,
                   seen_at = coalesce(seen_at, $2),
                   mail_at = null
             where reader_id = $1
               and read_at is null
            """
        let reader: ID<Accounts.Account>
        let at: Timestamp

        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(at)
        }
    }

    struct See: Statement {
        static let name = "notifications.see"
        static let sql = "update notification set seen_at = $2 where reader_id = $1 and seen_at is null"
        let reader: ID<Accounts.Account>
        let at: Timestamp

        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(at)
        }
    }

    /// Gives whether it was unread; no row where the reader has none of this id.
    struct Remove: Statement {
        static let name = "notifications.remove"
        static let sql = "delete from notification where reader_id = $1 and id = $2 returning read_at is null"
        let reader: ID<Accounts.Account>
        let id: ID<Notifications.Item>

        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(id)
        }

        static func decode(_ row: borrowing Row) throws -> Bool { try row[0] }
    }

    struct HasOne: Statement {
        static let name = "notifications.has_one"
        static let sql = "select exists (select 1 from notification where reader_id = $1 and id = $2)"
        let reader: ID<Accounts.Account>
        let id: ID<Notifications.Item>

        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(id)
        }

        static func decode(_ row: borrowing Row) throws -> Bool { try row[0] }
    }
}

extension Notifications.Statements {
    /// What a reader chose, kind by kind, of those that this program knows.
    struct SettingsOf: Statement {
        static let name = "notifications.settings_of"
        static let sql = """
            select kind, inbox, mail
              from notification_setting
             where reader_id = $1
               and kind in (\(Notifications.Kind.known))
            """
        let reader: ID<Accounts.Account>

        func bind(to parameters: inout Parameters) { parameters.append(reader) }

        static func decode(_ row: borrowing Row) throws -> (kind: Notifications.Kind, channels: Notifications.Channels)
        {
            (try row[0], Notifications.Channels(inbox: try row[1], mail: try row[2]))
        }
    }

    /// The account is held against its end; no row where it is over.
    struct PutSetting: Statement {
        static let name = "notifications.put_setting"
        static let sql = """
            insert into notification_setting as mine (reader_id, kind, inbox, mail)
            select account.id, $2, $3, $4
              from account
             where account.id = $1
               and account.state <> 'deleted'
               for share
            on conflict (reader_id, kind) do update
               set inbox = excluded.inbox,
                   mail = excluded.mail
            """
        let reader: ID<Accounts.Account>
        let kind: Notifications.Kind
        let channels: Notifications.Channels

        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(kind)
            parameters.append(channels.inbox)
            parameters.append(channels.mail)
        }
    }
}
