extension Search {
    /// Whose the rows of each table are.
    static let personalTables: [any Leaving.PersonalTable.Type] = [
        OwnSearches.self
    ]

    /// What somebody searched for.
    enum OwnSearches: Leaving.PersonalTable {
        static let table = "recent_search"
        static let hidden = ["folded"]
    }
}
