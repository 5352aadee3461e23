extension Follows {
    /// Whose the rows of each table are.
    static let personalTables: [any Leaving.PersonalTable.Type] = [OwnFollows.self]

    /// What somebody follows.
    enum OwnFollows: Leaving.PersonalTable {
        static let table = "follow"
        static let work: String? = "t.work_id"
    }
}
