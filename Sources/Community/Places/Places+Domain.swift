import Postgres

extension Places: Domain {
    package static let worksOfReaders = [WorkColumn("bookmark")]
    /// Takes bookmarks over to another work, in the transaction that merges them; positions go with their entries.
    package static let workMerge: [MergeStep<Catalog.Work>] = [
        MergeStep("move_bookmarks", "update bookmark set work_id = \(\.into) where work_id = \(\.from)")
    ]

    /// Where the chapters of one edition begin holds for another, in the transaction that merges them, unless that one
    /// has chapters of its own: those count then for the readers of both.
    package static let editionMerge: [MergeStep<Catalog.Edition>] = [
        // Gives an edition the chapters of another, unless it has its own.
        MergeStep(
            "move_chapters",
            """
            update edition_chapter
               set edition_id = \(\.into)
             where edition_id = \(\.from)
               and not exists (select 1 from edition_chapter own where own.edition_id = \(\.into))
            """),
        MergeStep("drop_chapters", "delete from edition_chapter where edition_id = \(\.from)"),
    ]

    /// Deletes the reader's bookmarks, in `queryable`'s transaction: for the end of an account. Positions go with
    /// the library.
    package static func accountEnds(
        _ account: ID<Accounts.Account>, of services: Services, in transaction: Transaction
    ) async throws {
        try await transaction.run(Statements.RemoveBookmarks(reader: account))
    }

    /// Whose the rows of each table are.
    package static let personalTables: [PersonalTable] = [
        // Bookmarks.
        .init("bookmark", work: "t.work_id"),
        // How far somebody was, and when.
        .init(
            "progress", source: "progress t join shelf_entry on shelf_entry.id = t.entry_id",
            owner: "shelf_entry.reader_id", work: "shelf_entry.work_id"),
    ]
}

extension Community {
    package var places: Places.Store { Places.Store(services) }
}
