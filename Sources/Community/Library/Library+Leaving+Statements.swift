import Postgres

extension Library {
    /// Whose the rows of each table are.
    package static let personalTables: [PersonalTable] = [
        // Books on shelves.
        .init("shelf_entry", hidden: ["title_key", "author_key"], work: "t.work_id"),
        // Each time that a book was read.
        .init(
            "reading", source: "reading t join shelf_entry on shelf_entry.id = t.entry_id",
            owner: "shelf_entry.reader_id", work: "shelf_entry.work_id"),
        // How many books stand on each shelf.
        .init("shelf_tally", key: "hashtext(t.shelf)::bigint", secondKey: "t.level::bigint"),
        // Lists of books.
        .init("book_list"),
        // The books on them.
        .init(
            "book_list_item", source: "book_list_item t join book_list on book_list.id = t.list_id",
            owner: "book_list.reader_id", key: "t.list_id", secondKey: "t.work_id", work: "t.work_id"),
        // Links that open one shelf or list.
        .init("share_link", hidden: ["digest"]),
    ]
}
