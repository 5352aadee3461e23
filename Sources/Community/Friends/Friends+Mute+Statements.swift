import Postgres

extension Friends {
    /// SQL: whether `viewer` has muted the reader whose doing something is. What a mute hides has `not` of it in its
    /// `where`; what it only marks shows it as `is_muted`.
    ///
    /// The arguments are SQL expressions written by us, never input.
    package static func isMuted<S>(viewer: SQL<S>, by doer: SQL<S>) -> SQL<S> {
        """
        exists (select 1 from mute own_mute where own_mute.reader_id = \(viewer) and own_mute.muted_id = \(doer))
        """
    }
}

extension Friends.Statements {
    struct InsertMute: Statement {
        static let sql: SQL<Self> = """
            insert into mute (reader_id, muted_id, at) values (\(\.reader), \(\.muted), \(\.at))
                on conflict (reader_id, muted_id) do nothing
            """
        let reader: ID<Accounts.Account>, muted: ID<Accounts.Account>, at: Timestamp
    }

    /// How many a reader has muted; looks at no more than `limit` rows.
    struct CountMutes: Statement {
        static let sql: SQL<Self> =
            "select count(*) from (select from mute where reader_id = \(\.reader) limit \(\.limit)) own"
        let reader: ID<Accounts.Account>, limit: Int
        typealias Output = Int64
    }

    /// Whom of that username a reader has muted, seen or not.
    struct FindMuted: Statement {
        static let sql: SQL<Self> = """
            select mute.muted_id
              from account
              join mute on mute.reader_id = \(\.reader) and mute.muted_id = account.id
             where account.username_folded = \(\.folded)
            """
        let reader: ID<Accounts.Account>, folded: String
        typealias Output = ID<Accounts.Account>
    }

    struct DeleteMute: Statement {
        static let sql: SQL<Self> = "delete from mute where reader_id = \(\.reader) and muted_id = \(\.muted)"
        let reader: ID<Accounts.Account>, muted: ID<Accounts.Account>
    }

    /// Whom a reader has muted, newest first; those whom the reader may not see are left out. Index `mute_list`.
    struct Mutes: ListStatement, ForViewer {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset("mute.at", "mute.muted_id", at: \Self.span.place, direction)
            return """
                select \(Accounts.Reader.columns(of: "account")), mute.at
                  from mute
                  join account on account.id = mute.muted_id
                 where mute.reader_id = \(.viewer)
                   and \(keyset.condition)
                   and \(Visibility.predicate(viewer: .viewer, owner: "mute.muted_id", level: "2"))
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let viewer: ID<Accounts.Account>, span: Span<Friends.Key>
        static func decode(_ columns: inout Columns) throws -> Friends.Mute {
            Friends.Mute(reader: try Accounts.Reader(&columns), mutedAt: try columns("at"))
        }
    }

    struct UnmuteAll: Statement {
        static let sql: SQL<Self> = "delete from mute where reader_id = \(\.account) or muted_id = \(\.account)"
        let account: ID<Accounts.Account>
    }
}
