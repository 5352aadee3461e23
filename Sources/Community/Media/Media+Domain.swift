import Jobs
import Postgres

extension Media: Domain {
    package static let things: [any ThingKind.Type] = [Picture.self]

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

/// The picture that a reader shows.
extension Media.Picture: ThingKind {
    package static let facts = ThingFacts(
        name: "picture", table: "picture", joins: "join account_picture shown on shown.picture_id = picture.id",
        author: "picture.owner_id", title: "coalesce(picture.alt, '')",
        said: """
            jsonb_build_object('alt', picture.alt, 'path', (select '/media/' || encode(variant.hash, 'hex')
                                                              from picture_variant variant
                                                             where variant.picture_id = picture.id
                                                             order by variant.width desc
                                                             limit 1))
            """,
        isByReader: true, isHidden: "(picture.hidden_at is not null)")

    package static func isSeen<S: ForViewer>() -> SQL<S> {
        Visibility.predicate(
            viewer: .viewer, owner: "picture.owner_id", level: Privacy.level(.name, of: "picture.owner_id"))
    }
}

extension Media {
    /// Takes the picture of a reader, whose account is locked, out of sight, or gives it back while they show no other.
    /// False where there is none. It is kept for `Limits.moderation.evidence`, and then erased by the sweep.
    static func withhold(
        _ isWithheld: Bool, _ account: ID<Accounts.Account>, at now: Timestamp, in transaction: Transaction
    ) async throws -> Bool {
        let shown = try await transaction.first(Statements.FormerProfile(account: account))
        if isWithheld {
            guard let shown else { return false }
            try await transaction.run(Statements.Withhold(picture: shown.picture, at: now))
            _ = try await transaction.one(
                Statements.Tally(account: account, kind: .profile, bytes: -shown.size, pictures: -1))
            return true
        }
        let kept = try await transaction.first(Statements.WithheldProfile(account: account))
        guard shown == nil, let kept else { return false }
        try await transaction.run(Statements.GiveBack(account: account, picture: kept.picture))
        _ = try await transaction.one(
            Statements.Tally(account: account, kind: .profile, bytes: kept.size, pictures: 1))
        return true
    }
}
