import Postgres

extension Gate.Statements {
    struct SettingOf: Statement {
        static let sql: SQL<Self> =
            "select is_off, gates_rereads, opened_at from gate_setting where reader_id = \(\.reader)"
        let reader: ID<Accounts.Account>

        static func decode(_ columns: inout Columns) throws -> (setting: Gate.Setting, openedAt: Timestamp?) {
            (
                Gate.Setting(isOff: try columns("is_off"), gatesRereads: try columns("gates_rereads")),
                try columns("opened_at")
            )
        }
    }

    struct PutSetting: Statement {
        static let sql: SQL<Self> = """
            insert into gate_setting (reader_id, is_off, gates_rereads, at, opened_at)
            values (\(\.reader), \(\.setting.isOff), \(\.setting.gatesRereads), \(\.at), \(\.openedAt))
            on conflict (reader_id) do update
               set is_off = excluded.is_off,
                   gates_rereads = excluded.gates_rereads,
                   at = excluded.at,
                   opened_at = excluded.opened_at
            """
        let reader: ID<Accounts.Account>, setting: Gate.Setting, at: Timestamp, openedAt: Timestamp?
    }

    /// Books of a reader's library, in the order of their ids: how far the reader could be told of each under another
    /// setting, how far they may be now, and whether something stands between the two. Index `shelf_entry_of_reader`.
    struct Shelved: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select entry.work_id, was.level, gate.level as to,
                   gate.level > was.level and \(between("entry.work_id", "was.level", "gate.level")) as is_ahead
              from shelf_entry entry
             cross join lateral (
                   select case when \(\.was.isOff) or exists (select 1 from reveal
                                                   where reveal.reader_id = \(\.viewer) and reveal.work_id = entry.work_id) then \(Gate.end)
                               else coalesce(\(Gate.shelved(gatesRereads: "\(\.was.gatesRereads)")), 0) end as level
                     from (select entry.times_read, entry.status, entry.position, entry.reached) gate_entry) was
             cross join lateral (select \(Gate.level(viewer: .viewer, work: "entry.work_id")) as level) gate
             where entry.reader_id = \(\.viewer)
               and entry.work_id > \(\.after)
             order by entry.work_id
             limit \(\.limit)
            """
        let viewer: ID<Accounts.Account>, was: Gate.Setting, after: ID<Catalog.Work>, limit: Int

        static func decode(_ columns: inout Columns) throws -> Gate.Reopened {
            Gate.Reopened(
                work: try columns("work_id"), from: try columns("level"), to: try columns("to"),
                isAhead: try columns("is_ahead"))
        }
    }

    /// What the usual scope of an author's post about a work, or what it was merged into, is told from.
    struct KnownOf: Statement {
        static let sql: SQL<Self> = """
            select work.form,
                   array(select genre.slug
                           from work_genre
                           join genre on genre.id = work_genre.genre_id
                          where work_genre.work_id = work.id) as genres,
                   entry.status, greatest(entry.position, entry.reached) as position, coalesce(entry.times_read, 0) as times_read,
                   \(Privacy.level(.position, of: "\(\.author)"))
                       < least(\(Privacy.Kind.position.usual.rawValue), \(Privacy.level(.discussions, of: "\(\.author)"))) as is_position_private
              from work
              left join shelf_entry entry on entry.reader_id = \(\.author) and entry.work_id = work.id
             where work.id = \(Catalog.resolved("\(\.work)"))
            """
        let author: ID<Accounts.Account>, work: ID<Catalog.Work>

        static func decode(_ columns: inout Columns) throws -> Gate.Known {
            Gate.Known(
                form: try columns("form"), genres: Set(try columns("genres") as [String]),
                status: try columns("status"), position: try columns("position"), timesRead: try columns("times_read"),
                isPositionPrivate: try columns("is_position_private"))
        }
    }
}
