import Postgres

extension Places {
    /// Whose the rows of each table are.
    package static let personalTables: [PersonalTable] = [
        // Bookmarks.
        .init("bookmark", work: "t.work_id"),
        // How far somebody was, and when.
        .init(
            "progress", source: "progress t join shelf_entry on shelf_entry.id = t.entry_id",
            owner: "shelf_entry.reader_id", work: "shelf_entry.work_id"),
    ]
}
