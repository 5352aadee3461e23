import Postgres

extension Friends {
    /// SQL: whether `viewer` has muted the reader whose doing something is. What a mute hides has `not` of it in its `where`; what it only
    /// marks shows it as `is_muted`.
    ///
    /// The arguments are SQL expressions written by us (a column or `$1`), never input.
    package static func isMuted<S>(viewer: SQL<S>, by doer: SQL<S>) -> SQL<S> {
        """
        exists (select 1 from mute own_mute where own_mute.reader_id = \(viewer) and own_mute.muted_id = \(doer))
        """
    }
}

extension Friends {
    static let muteStatements: [any Statement.Type] = [
        Statements.InsertMute.self, Statements.CountMutes.self, Statements.FindMuted.self, Statements.DeleteMute.self,
        Statements.Mutes<NewestFirst>.self, Statements.Mutes<OldestFirst>.self, Statements.UnmuteAll.self,
    ]
}

extension Friends.Statements {
    struct InsertMute: Statement {
        static let name = "friends.insert_mute"
        static let sql: SQL<Self> = """
            insert into mute (reader_id, muted_id, at) values (\(\.reader), \(\.muted), \(\.at))
                on conflict (reader_id, muted_id) do nothing
            """
        let reader: ID<Accounts.Account>
        let muted: ID<Accounts.Account>
        let at: Timestamp
    }

    /// How many a reader has muted; looks at no more than `limit` rows.
    struct CountMutes: Statement {
        static let name = "friends.count_mutes"
        static let sql: SQL<Self> =
            "select count(*) from (select from mute where reader_id = \(\.reader) limit \(\.limit)) own"
        let reader: ID<Accounts.Account>
        let limit: Int
        typealias Output = Int64
    }

    /// Whom of that username a reader has muted, seen or not.
    struct FindMuted: Statement {
        static let name = "friends.find_muted"
        static let sql: SQL<Self> = """
            select mute.muted_id
              from account
              join mute on mute.reader_id = \(\.reader) and mute.muted_id = account.id
             where account.username_folded = \(\.folded)
            """
        let reader: ID<Accounts.Account>
        let folded: String
        typealias Output = ID<Accounts.Account>
    }

    struct DeleteMute: Statement {
        static let name = "friends.delete_mute"
        static let sql: SQL<Self> = "delete from mute where reader_id = \(\.reader) and muted_id = \(\.muted)"
        let reader: ID<Accounts.Account>
        let muted: ID<Accounts.Account>
    }

    /// Whom a reader has muted, on from a place; those whom the reader may not see are left out. Index `mute_list`.
    struct Mutes<Way: ListWay>: Statement {
        static var name: String { "friends.mutes_" + Way.name }
        static var sql: SQL<Self> { mutes.of(\.slice) }
        private static var mutes: SQL<Friends.Slice> {
            """
            select account.id, account.username,
                   \(Privacy.shown("account.name", .name, viewer: .viewer, owner: "account.id")) as name, mute.at
              from mute
              join account on account.id = mute.muted_id
             where mute.reader_id = \(.viewer)
               and (mute.at, mute.muted_id) \(Way.comparison) (\(\.key.time, "key.at"), \(\.key.id))
               and \(Visibility.predicate(viewer: .viewer, owner: "mute.muted_id", level: "2"))
             order by mute.at \(Way.order), mute.muted_id \(Way.order)
             limit \(\.limit)
            """
        }
        let slice: Friends.Slice
        static func decode(_ columns: inout Columns) throws -> Friends.Mute {
            Friends.Mute(
                reader: Accounts.Reader(
                    id: try columns("id"), username: try columns("username"), name: try columns("name")),
                at: try columns("at"))
        }
    }

    struct UnmuteAll: Statement {
        static let name = "friends.unmute_all"
        static let sql: SQL<Self> = "delete from mute where reader_id = \(\.account) or muted_id = \(\.account)"
        let account: ID<Accounts.Account>
    }
}
