import Postgres

extension Profiles {
    /// Whose the rows of each table are.
    package static let personalTables: [PersonalTable] = [
        // Who sees what of a reader.
        .init("privacy", key: "t.reader_id"),
        // What a reader's page counts.
        .init("reader_tally", key: "t.reader_id"),
    ]
}
