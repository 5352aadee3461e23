extension Library {
    /// Whose the rows of each table are.
    static let personalTables: [any Leaving.PersonalTable.Type] = [
        OwnEntries.self, OwnReadings.self, OwnShelfTally.self, OwnLists.self,
        OwnListItems.self, OwnLinks.self,
    ]

    /// Books on shelves.
    enum OwnEntries: Leaving.PersonalTable {
        static let table = "shelf_entry"
        static let hidden = ["title_key", "author_key"]
        static let work: String? = "t.work_id"
    }

    /// Each time that a book was read.
    enum OwnReadings: Leaving.PersonalTable {
        static let table = "reading"
        static let source = "reading t join shelf_entry on shelf_entry.id = t.entry_id"
        static let owner = "shelf_entry.reader_id"
        static let work: String? = "shelf_entry.work_id"
    }

    /// How many books stand on each shelf.
    enum OwnShelfTally: Leaving.PersonalTable {
        static let table = "shelf_tally"
        static let key = ("hashtext(t.shelf)::bigint", "t.level::bigint")
    }

    /// Lists of books.
    enum OwnLists: Leaving.PersonalTable {
        static let table = "book_list"
    }

    /// The books on them.
    enum OwnListItems: Leaving.PersonalTable {
        static let table = "book_list_item"
        static let source = "book_list_item t join book_list on book_list.id = t.list_id"
        static let owner = "book_list.reader_id"
        static let key = ("t.list_id", "t.work_id")
        static let work: String? = "t.work_id"
    }

    /// Links that open one shelf or list.
    enum OwnLinks: Leaving.PersonalTable {
        static let table = "share_link"
        static let hidden = ["digest"]
    }
}
