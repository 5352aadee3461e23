extension Feed {
    /// Whose the rows of each table are.
    static let personalTables: [any Leaving.PersonalTable.Type] = [
        OwnActs.self, LastAct.self, Filling.self,
    ]

    /// What somebody did.
    enum OwnActs: Leaving.PersonalTable {
        static let table = "activity"
        static let work: String? = "t.work_id"
    }

    /// When somebody did something last.
    enum LastAct: Leaving.PersonalTable {
        static let table = "reader_last_act"
        static let key = ("t.reader_id", "0::bigint")
        static let unexported: String? = "It is the time of the last of activity."
    }

    /// The acts of somebody's newest public reviews.
    enum Filling: Leaving.PersonalTable {
        static let table = "filling_review"
        static let unexported: String? = "They are rows of activity."
    }
}
