import Postgres

extension Gate {
    /// Whose the rows of each table are.
    package static let personalTables: [PersonalTable] = [
        // What somebody chose about the gate.
        .init("gate_setting", key: "t.reader_id"),
        // What somebody revealed.
        .init("reveal", work: "t.work_id"),
        // Posts of which somebody said that they spoil more.
        .init("spoiler_mark", key: "t.post_id"),
    ]
}

extension Gate.Statements {
    /// Scopes that somebody's marks raised stay.
    struct RemoveAll: Statement {
        static let sql: SQL<Self> = """
            with settings as (delete from gate_setting where reader_id = \(\.reader)),
                 reveals as (delete from reveal where reader_id = \(\.reader))
            delete from spoiler_mark where reader_id = \(\.reader)
            """
        let reader: ID<Accounts.Account>
    }
}
