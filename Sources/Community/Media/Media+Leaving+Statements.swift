import Postgres

extension Media {
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
