import Postgres

extension Gate.Statements {
    static let settings: [any Statement.Type] = [SettingOf.self, PutSetting.self, Shelved.self]

    struct SettingOf: Statement {
        static let name = "gate.setting_of"
        static let sql = "select is_off, gates_rereads, opened_at from gate_setting where reader_id = $1"
        let reader: ID<Accounts.Account>

        func bind(to parameters: inout Parameters) { parameters.append(reader) }
        static func decode(_ row: borrowing Row) throws -> (setting: Gate.Setting, openedAt: Timestamp?) {
            (Gate.Setting(isOff: try row[0], gatesRereads: try row[1]), try row[2])
        }
    }

    struct PutSetting: Statement {
        static let name = "gate.put_setting"
        static let sql = """
            insert into gate_setting (reader_id, is_off, gates_rereads, at, opened_at)
            values ($1, $2, $3, $4, $5)
            on conflict (reader_id) do update
               set is_off = excluded.is_off,
                   gates_rereads = excluded.gates_rereads,
                   at = excluded.at,
                   opened_at = excluded.opened_at
            """
        let reader: ID<Accounts.Account>
        let setting: Gate.Setting
        let at: Timestamp
        let openedAt: Timestamp?

        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(setting.isOff)
            parameters.append(setting.gatesRereads)
            parameters.append(at)
            parameters.append(openedAt)
        }
    }

    /// Books of a reader's library, in the order of their ids: how far the reader could be told of each under another
    /// setting, how far they may be now, and whether something stands between the two. Index `shelf_entry_of_reader`.
    struct Shelved: Statement {
        static let name = "gate.shelved"
        static let sql = """
            select entry.work_id, was.level, gate.level,
                   gate.level > was.level and \(between("entry.work_id", "was.level", "gate.level"))
              from shelf_entry entry
             cross join lateral (
                   select case when $3 or exists (select 1 from reveal
                                                   where reveal.reader_id = $1 and reveal.work_id = entry.work_id) then \(Gate.end)
                               else coalesce(\(Gate.shelved(gatesRereads: "$4")), 0) end as level
                     from (select entry.times_read, entry.status, entry.position) gate_entry) was
             cross join lateral (select \(Gate.level(viewer: "$1", work: "entry.work_id")) as level) gate
             where entry.reader_id = $1
               and entry.work_id > $2
             order by entry.work_id
             limit $5
            """
        let reader: ID<Accounts.Account>
        let was: Gate.Setting
        let after: ID<Catalog.Work>
        let limit: Int

        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(after)
            parameters.append(was.isOff)
            parameters.append(was.gatesRereads)
            parameters.append(limit)
        }

        static func decode(_ row: borrowing Row) throws -> Gate.Reopened {
            Gate.Reopened(
                work: try row[0], from: Int(try row[1] as Int32), to: Int(try row[2] as Int32), isAhead: try row[3])
        }
    }
}
