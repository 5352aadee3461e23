import Postgres

extension Gate {
    /// Whose the rows of each table are.
    static let personalTables: [any Leaving.PersonalTable.Type] = [OwnSetting.self, OwnReveals.self, OwnMarks.self]

    /// What somebody chose about the gate.
    enum OwnSetting: Leaving.PersonalTable {
        static let table = "gate_setting"
        static let key = ("t.reader_id", "0::bigint")
    }

    /// What somebody revealed.
    enum OwnReveals: Leaving.PersonalTable {
        static let table = "reveal"
        static let work: String? = "t.work_id"
    }

    /// Posts of which somebody said that they spoil more.
    enum OwnMarks: Leaving.PersonalTable {
        static let table = "spoiler_mark"
        static let key = ("t.post_id", "0::bigint")
    }
}

extension Gate.Statements {
    static let leaving: [any Statement.Type] = [RemoveAll.self]

    /// Scopes that somebody's marks raised stay.
    struct RemoveAll: Statement {
        static let name = "gate.remove_all"
        static let sql: SQL<Self> = """
            with settings as (delete from gate_setting where reader_id = \(\.reader)),
                 reveals as (delete from reveal where reader_id = \(\.reader))
            delete from spoiler_mark where reader_id = \(\.reader)
            """
        let reader: ID<Accounts.Account>
    }
}
