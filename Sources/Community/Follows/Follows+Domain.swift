import Postgres

extension Follows: Domain {
    package static let worksOfReaders = [WorkColumn("follow")]
    package static var eventKinds: [String] { EventKind.names }

    package static let workMerge: [MergeStep<Catalog.Work>] = [
        // Readers who follow both books follow the one that stays.
        MergeStep(
            "drop_double_books",
            """
            delete from follow
             where work_id = \(\.from)
               and exists (select 1 from follow own where own.work_id = \(\.into) and own.reader_id = follow.reader_id)
            """)
    ]

    /// Who follows one author follows another: in the transaction that merges them.
    package static let authorMerge: [MergeStep<Catalog.Author>] = [
        MergeStep(
            "drop_double_authors",
            """
            delete from follow
             where author_id = \(\.from)
               and exists (select 1 from follow own where own.author_id = \(\.into) and own.reader_id = follow.reader_id)
            """),
        MergeStep("move_authors", "update follow set author_id = \(\.into) where author_id = \(\.from)"),
    ]

    /// Who follows one work follows another: in the transaction that merges them. Their homes are told.
    package static func worksMerge(
        _ merge: Merge<Catalog.Work>, of services: Services, in transaction: Transaction
    ) async throws {
        try await merge.run(workMerge, of: Self.self, in: transaction)
        let moved = try await transaction.all(Statements.MoveBooks(from: merge.from, into: merge.into))
        for start in stride(from: 0, to: moved.count, by: Limits.follows.told) {
            let some = Array(moved[start..<min(start + Limits.follows.told, moved.count)])
            try await Event.followChanged(some).append(in: transaction, services: services)
        }
    }

    /// The reader follows nothing any more, in `queryable`'s transaction: for the end of an account.
    package static func accountEnds(
        _ account: ID<Accounts.Account>, of services: Services, in transaction: Transaction
    ) async throws {
        try await transaction.run(Statements.RemoveAll(reader: account))
    }

    /// Whose the rows of each table are.
    package static let personalTables: [PersonalTable] = [
        // What somebody follows.
        .init("follow", work: "t.work_id")
    ]
}

extension Community {
    package var follows: Follows.Store { Follows.Store(services) }
}
