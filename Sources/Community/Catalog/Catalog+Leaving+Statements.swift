extension Catalog {
    /// Whose the rows of each table are.
    static let personalTables: [any Leaving.PersonalTable.Type] = [
        OwnProposals.self, OwnRevisions.self,
    ]

    /// Corrections that somebody proposed.
    enum OwnProposals: Leaving.PersonalTable {
        static let table = "catalog_proposal"
        static let owner = "t.account_id"
    }

    /// Changes that somebody made, which stay with the catalogue: without name and words of who made them.
    enum OwnRevisions: Leaving.PersonalTable {
        static let table = "catalog_revision"
        static let owner = "t.account_id"
    }
}
