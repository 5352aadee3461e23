import Postgres

extension Gate: Domain {
    package static let worksOfReaders = [WorkColumn("reveal")]
    package static var eventKinds: [String] { EventKind.names }

    /// What was revealed of one work is revealed of another, in the transaction that merges them.
    package static let workMerge: [MergeStep<Catalog.Work>] = [
        // Who revealed both keeps the one of the work that stays.
        MergeStep(
            "drop_double_reveals",
            """
            delete from reveal
             where work_id = \(\.from)
               and exists (select 1 from reveal kept where kept.reader_id = reveal.reader_id and kept.work_id = \(\.into))
            """),
        MergeStep("move_reveals", "update reveal set work_id = \(\.into) where work_id = \(\.from)"),
    ]

    /// Deletes what a reader chose, revealed and said of posts, in `queryable`'s transaction: for the end of an
    /// account.
    package static func accountEnds(
        _ account: ID<Accounts.Account>, of services: Services, in transaction: Transaction
    ) async throws {
        try await transaction.run(Statements.RemoveAll(reader: account))
    }

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

extension Community {
    package var gate: Gate.Store { Gate.Store(services) }
}
