extension Profiles {
    /// Whose the rows of each table are.
    static let personalTables: [any Leaving.PersonalTable.Type] = [OwnPrivacy.self, OwnCounts.self]

    /// Who sees what of a reader.
    enum OwnPrivacy: Leaving.PersonalTable {
        static let table = "privacy"
        static let key = ("t.reader_id", "0::bigint")
    }

    /// What a reader's page counts.
    enum OwnCounts: Leaving.PersonalTable {
        static let table = "reader_tally"
        static let key = ("t.reader_id", "0::bigint")
    }
}
