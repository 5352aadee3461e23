import Postgres

extension Suggestions: Domain {
    /// A book that is dismissed is merged into another: that one is dismissed.
    package static let workMerge: [MergeStep<Catalog.Work>] = [
        MergeStep(
            "move_dismissals",
            """
            with gone as (
                delete from dismissed_book where work_id = \(\.from) returning reader_id, at
            )
            insert into dismissed_book (reader_id, work_id, at)
            select reader_id, \(\.into), at from gone
                on conflict (reader_id, work_id) do nothing
            """)
    ]

    /// Forgets what an account that ends did not want suggested. What it read leaves the neighbours with the next
    /// generation.
    package static func accountEnds(
        _ account: ID<Accounts.Account>, of services: Services, in transaction: Transaction
    ) async throws {
        try await transaction.run(Statements.ForgetDismissals(reader: account))
    }

    /// Whose the rows of each table are.
    package static let personalTables: [PersonalTable] = [
        // Books that somebody does not want suggested.
        .init("dismissed_book", key: "t.work_id", work: "t.work_id")
    ]
}
