import Postgres

extension Gate.Statements {
    static let settings: [any Statement.Type] = [SettingOf.self, PutSetting.self, AheadInLibrary.self]

    struct SettingOf: Statement {
        static let name = "gate.setting_of"
        static let sql = "select is_off, gates_rereads from gate_setting where reader_id = $1"
        let reader: ID<Accounts.Account>

        func bind(to parameters: inout Parameters) { parameters.append(reader) }
        static func decode(_ row: borrowing Row) throws -> Gate.Setting {
            Gate.Setting(isOff: try row[0], gatesRereads: try row[1])
        }
    }

    struct PutSetting: Statement {
        static let name = "gate.put_setting"
        static let sql = """
            insert into gate_setting (reader_id, is_off, gates_rereads, at)
            values ($1, $2, $3, $4)
            on conflict (reader_id) do update
               set is_off = excluded.is_off,
                   gates_rereads = excluded.gates_rereads,
                   at = excluded.at
            """
        let reader: ID<Accounts.Account>
        let setting: Gate.Setting
        let at: Timestamp

        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(setting.isOff)
            parameters.append(setting.gatesRereads)
            parameters.append(at)
        }
    }

    /// Books of a reader's library with posts beyond the gate as it is now, moved last first, and that gate. Index `shelf_entry_of_reader`.
    struct AheadInLibrary: Statement {
        static let name = "gate.ahead_in_library"
        static let sql = """
            select entry.work_id, gate.level
              from shelf_entry entry
             cross join lateral (select \(Gate.level(viewer: "$1", work: "entry.work_id")) as level) gate
             where entry.reader_id = $1
               and exists (select 1 from board_scope
                            where board_scope.work_id = entry.work_id
                              and board_scope.scope > gate.level
                              and board_scope.posts > 0)
             order by entry.moved_at desc
             limit $2
            """
        let reader: ID<Accounts.Account>
        let limit: Int

        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(limit)
        }

        static func decode(_ row: borrowing Row) throws -> (work: ID<Catalog.Work>, gate: Int) {
            (try row[0], Int(try row[1] as Int32))
        }
    }
}
