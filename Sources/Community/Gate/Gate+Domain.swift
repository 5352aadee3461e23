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
        _ account: ID<Accounts.Account>, of house: House, in transaction: Transaction
    ) async throws {
        try await transaction.run(Statements.RemoveAll(reader: account))
    }
}

extension Community {
    package var gate: Gate.Store { Gate.Store(house) }
}
