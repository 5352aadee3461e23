import Postgres

extension Notifications.Statements {
    /// A reader's notifications, newest first; index `notification_list`. What is left out is passed over in it: a
    /// reader has few.
    struct List: ListStatement, ForViewer {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>(
                ["notice.at", "notice.id"], ["\(\.span.place.time, "span.place.at")", "\(\.span.place.id)"],
                isAscending: false, direction)
            return items(
                """
                \(keyset.condition)
                   and (not \(\.filter.isUnread) or notice.read_at is null)
                   and (\(\.filter.kind)::text is null or notice.kind = \(\.filter.kind))
                """, order: keyset.order, limit: "\(\.span.limit)")
        }
        let viewer: ID<Accounts.Account>, filter: Notifications.Filter, span: Span<Notifications.Key>
        typealias Output = Notifications.Item
    }

    /// What a mail is to tell a reader of, newest first, as far as its kind is known; index `notification_list`.
    struct ToMail: Statement, ForViewer {
        static let sql: SQL<Self> = items(
            """
            notice.mail_at is not null
                   and \(kindIsKnown)
                   and coalesce(setting.inbox and setting.mail, notice.kind in (\(Notifications.Kind.mailed)))
            """,
            joined: """
                left join notification_setting setting
                          on setting.reader_id = notice.reader_id and setting.kind = notice.kind
                """, order: "notice.at desc, notice.id desc", limit: "\(\.limit)")
        let viewer: ID<Accounts.Account>, limit: Int
        typealias Output = Notifications.Item
    }
}

extension Notifications.Kind {
    /// All of them, for an SQL list.
    static var known: Fragment { "\(allCases)" }

    /// The kinds that are usually mailed, for an SQL list.
    static var mailed: Fragment { "\(allCases.filter(\.usual.mail))" }

    /// The kinds with such a deed, for an SQL list.
    static func list(_ deeds: Deed...) -> Fragment { "\(allCases.filter { deeds.contains($0.deed) })" }
}
