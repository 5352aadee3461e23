import Postgres

extension Catalog {
    /// Whose the rows of each table are.
    package static let personalTables: [PersonalTable] = [
        // Corrections that somebody proposed.
        .init("catalog_proposal", owner: "t.account_id"),
        // The pictures that somebody proposed as covers; they are among the reader's pictures too.
        .init(
            "catalog_proposal_cover",
            source: "catalog_proposal_cover t join catalog_proposal on catalog_proposal.id = t.proposal_id",
            owner: "catalog_proposal.account_id", key: "t.proposal_id"),
        // Changes that somebody made, which stay with the catalogue: without name and words of who made them.
        .init("catalog_revision", owner: "t.account_id"),
    ]
}
