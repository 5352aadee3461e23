import Postgres

extension Activity: Domain {
    /// Whose the rows of each table are.
    package static let personalTables: [PersonalTable] = [
        // What somebody did.
        .init("activity", work: "t.work_id"),
        // When somebody did something last.
        .init("reader_last_act", key: "t.reader_id", unexported: "It is the time of the last of activity."),
        // The acts of somebody's newest public reviews.
        .init("filling_review", unexported: "They are rows of activity."),
    ]

    /// What was done with one work was done with another: in the transaction that merges them.
    package static let workMerge: [MergeStep<Catalog.Work>] = [
        // Served by the indexes `activity_of_work` and `activity_undone`. Acts that were taken back are shown nowhere;
        // what they weighed is not new again for the book that stays.
        MergeStep(
            "move_acts",
            """
            with undone as (
                update activity set work_id = \(\.into) where work_id = \(\.from) and undone_at is not null and weight > 0
            )
            update activity set work_id = \(\.into) where work_id = \(\.from) and undone_at is null
            """)
    ]

    package static func accountEnds(
        _ account: ID<Accounts.Account>, of services: Services, in transaction: Transaction
    ) async throws {
        try await transaction.run(Statements.ForgetReader(reader: account))
    }
}
