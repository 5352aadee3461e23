extension Praise {
    /// Whose the rows of each table are.
    static let personalTables: [any Leaving.PersonalTable.Type] = [OwnPraise.self]

    /// Favourites and recommendations.
    enum OwnPraise: Leaving.PersonalTable {
        static let table = "praise"
        static let work: String? = "t.work_id"
    }
}
