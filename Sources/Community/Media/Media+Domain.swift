import Jobs
import Postgres

extension Media: Domain {
    /// The cover of one edition becomes that of another, in the transaction that merges them. Where that one has a
    /// cover it keeps its own, and the sweep removes the picture that is shown nowhere any more.
    package static let editionMerge: [MergeStep<Catalog.Edition>] = [
        // Gives an edition the cover of another, unless it has one.
        MergeStep(
            "move_cover",
            """
            update edition_cover
               set edition_id = \(\.into)
             where edition_id = \(\.from)
               and not exists (select 1 from edition_cover own where own.edition_id = \(\.into))
            """),
        MergeStep("drop_cover", "delete from edition_cover where edition_id = \(\.from)"),
    ]

    /// Removes whatever a reader stored, in `queryable`'s transaction: for the end of an account. Covers stay with the
    /// catalogue, and who gave them is forgotten; what was only proposed goes, its proposal being gone already.
    package static func accountEnds(
        _ account: ID<Accounts.Account>, of services: Services, in transaction: Transaction
    ) async throws {
        let files = try await transaction.all(Statements.FilesOfOwner(account: account))
        try await transaction.run(Statements.RemoveOwned(account: account))
        try await transaction.run(Statements.DropTally(account: account))
        try await transaction.run(Statements.ForgetGiver(account: account))
        if !files.isEmpty { try await Clear(files).enqueue(in: transaction) }
    }

    /// Whose the rows of each table are.
    package static let personalTables: [PersonalTable] = [
        // Pictures of a reader.
        .init("picture", owner: "t.owner_id", others: ["t.added_by"]),
        // Covers that somebody gave, which stay with the catalogue: without their name.
        .init("picture", name: "picture_given", owner: "t.added_by"),
        // The picture that a reader shows.
        .init("account_picture", owner: "t.account_id", key: "t.account_id"),
        // How many bytes they are.
        .init("media_tally", owner: "t.account_id", key: "t.account_id"),
    ]
}
