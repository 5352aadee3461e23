extension Catalog {
    /// Whose the rows of each table are.
    static let personalTables: [any Leaving.PersonalTable.Type] = [
        OwnProposals.self, OwnProposedCovers.self, OwnRevisions.self,
    ]

    /// Corrections that somebody proposed.
    enum OwnProposals: Leaving.PersonalTable {
        static let table = "catalog_proposal"
        static let owner = "t.account_id"
    }

    /// The pictures that somebody proposed as covers; they are among the reader's pictures too.
    enum OwnProposedCovers: Leaving.PersonalTable {
        static let table = "catalog_proposal_cover"
        static let source = "catalog_proposal_cover t join catalog_proposal on catalog_proposal.id = t.proposal_id"
        static let owner = "catalog_proposal.account_id"
        static let key = ("t.proposal_id", "0::bigint")
    }

    /// Changes that somebody made, which stay with the catalogue: without name and words of who made them.
    enum OwnRevisions: Leaving.PersonalTable {
        static let table = "catalog_revision"
        static let owner = "t.account_id"
    }
}
