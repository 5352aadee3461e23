import Postgres

// MARK: Mails

extension Notifications.Statements {
    /// Readers of whose notifications one is to be mailed by now; index `notification_mail`. Those of kinds that are
    /// not known wait for a program that knows them.
    struct DueReaders: Statement {
        static let sql: SQL<Self> = """
            select distinct due.reader_id
              from (select notification.reader_id
                      from notification
                     where mail_at is not null
                       and mail_at <= \(\.now)
                       and kind in (\(Notifications.Kind.known))
                     order by mail_at
                     limit \(\.limit)) due
            """
        let now: Timestamp, limit: Int
        typealias Output = ID<Accounts.Account>
    }

    /// Where a reader's mail goes; null where the address is not proven. Nobody tells the reader of anything meanwhile.
    /// No row where the account has no reach.
    struct LockAddressee: Statement {
        static let sql: SQL<Self> = """
            select username, case when verified_at is not null then email end as email
              from account
             where id = \(\.reader)
               and reach >= 0
               for update
            """
        let reader: ID<Accounts.Account>

        static func decode(_ columns: inout Columns) throws -> (username: String, email: String?) {
            (try columns("username"), try columns("email"))
        }
    }

    /// When a reader was last mailed; null where never. Index `notification_list`.
    struct LastMailed: Statement {
        static let sql: SQL<Self> = "select max(mailed_at) from notification where reader_id = \(\.reader)"
        let reader: ID<Accounts.Account>
        typealias Output = Timestamp?
    }

    struct Postpone: Statement {
        static let sql: SQL<Self> =
            "update notification set mail_at = \(\.until) where reader_id = \(\.reader) and mail_at < \(\.until)"
        let reader: ID<Accounts.Account>, until: Timestamp
    }

    /// No mail tells of what waits for one any more; one has told of `told`. What is of a kind that is not known waits
    /// on.
    struct Mailed: Statement {
        static let sql: SQL<Self> = """
            update notification
               set mail_at = null,
                   mailed_at = case when id = any(\(\.told)) then \(\.at) else mailed_at end
             where reader_id = \(\.reader)
               and mail_at is not null
               and kind in (\(Notifications.Kind.known))
            """
        let reader: ID<Accounts.Account>, told: [ID<Notifications.Item>], at: Timestamp
    }
}

// MARK: The sweep

extension Notifications.Statements {
    /// Who has notifications, beyond `after`; index `notification_list`.
    struct Readers: Statement {
        static let sql: SQL<Self> = """
            select distinct reader_id
              from notification
             where reader_id > \(\.after)
             order by reader_id
             limit \(\.limit)
            """
        let after: ID<Accounts.Account>, limit: Int
        typealias Output = ID<Accounts.Account>
    }

    /// Takes of a reader, whose account is locked, what is too old, what is beyond the newest and what has nothing to
    /// show. Gives how many and how many of them were unread.
    struct Tidy: Statement, ForViewer {
        static let sql: SQL<Self> = """
            with gone as (
                delete from notification
                 where id = any(array(
                       select notice.id
                         from (select id, kind, subject_id, at, row_number() over (order by at desc, id desc) as place
                                 from notification
                                where reader_id = \(\.viewer)) notice
                        where notice.at < \(\.before)
                           or notice.place > \(Limits.notifications.kept)
                           or not exists (select 1
                                            from notification_actor actor
                                           where actor.notification_id = notice.id
                                             and \(actorIsShown()))
                              and not \(isShownAlone())))
                returning read_at is null as was_unread
            )
            select count(*) as taken, count(*) filter (where was_unread) as unread from gone
            """
        let viewer: ID<Accounts.Account>, before: Timestamp

        static func decode(_ columns: inout Columns) throws -> (taken: Int, unread: Int) {
            (try columns("taken"), try columns("unread"))
        }
    }
}

// MARK: The end of an account

extension Notifications.Statements {
    /// What somebody was told, and chose.
    struct RemoveAll: Statement {
        static let sql: SQL<Self> = """
            with settings as (delete from notification_setting where reader_id = \(\.reader))
            delete from notification where reader_id = \(\.reader)
            """
        let reader: ID<Accounts.Account>
    }

    /// Whether somebody is named anywhere.
    struct HasActed: Statement {
        static let sql: SQL<Self> = "select exists (select 1 from notification_actor where actor_id = \(\.actor))"
        let actor: ID<Accounts.Account>
        typealias Output = Bool
    }

    /// Where somebody is named; index `notification_actor_of`.
    struct NamedIn: Statement {
        static let sql: SQL<Self> = """
            select notification_id
              from notification_actor
             where actor_id = \(\.actor)
               and notification_id > \(\.after)
             order by notification_id
             limit \(\.limit)
            """
        let actor: ID<Accounts.Account>, after: ID<Notifications.Item>, limit: Int
        typealias Output = ID<Notifications.Item>
    }

    /// Takes somebody out of notifications, which are locked in the order of their readers.
    struct Unname: Statement {
        static let sql: SQL<Self> = """
            with held as materialized (
                select id
                  from notification
                 where id = any(\(\.notifications))
                 order by reader_id, id
                   for no key update
            ), gone as (
                delete from notification_actor
                 where actor_id = \(\.actor)
                   and notification_id in (select id from held)
                returning notification_id
            )
            update notification
               set actors = actors - 1
              from gone
             where notification.id = gone.notification_id
            """
        let actor: ID<Accounts.Account>, notifications: [ID<Notifications.Item>]
    }

    /// Removes those that name nobody any more. Gives the readers of what was unread, in their order, once for each.
    struct DropEmpty: Statement {
        static let sql: SQL<Self> = """
            with gone as (
                delete from notification
                 where id = any(\(\.notifications))
                   and actors = 0
                returning reader_id, read_at is null as was_unread
            )
            select reader_id from gone where was_unread order by reader_id
            """
        let notifications: [ID<Notifications.Item>]
        typealias Output = ID<Accounts.Account>
    }
}
