extension Places {
    /// Whose the rows of each table are.
    static let personalTables: [any Leaving.PersonalTable.Type] = [OwnBookmarks.self, OwnJournal.self]

    /// Bookmarks.
    enum OwnBookmarks: Leaving.PersonalTable {
        static let table = "bookmark"
        static let work: String? = "t.work_id"
    }

    /// How far somebody was, and when.
    enum OwnJournal: Leaving.PersonalTable {
        static let table = "progress"
        static let source = "progress t join shelf_entry on shelf_entry.id = t.entry_id"
        static let owner = "shelf_entry.reader_id"
        static let work: String? = "shelf_entry.work_id"
    }
}
