extension Feed {
    /// Whose the rows of each table are.
    static let personalTables: [any Leaving.PersonalTable.Type] = [
        OwnActs.self
    ]

    /// What somebody did.
    enum OwnActs: Leaving.PersonalTable {
        static let table = "activity"
        static let work: String? = "t.work_id"
    }
}
