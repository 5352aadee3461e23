import Postgres

extension Follows {
    /// Whose the rows of each table are.
    package static let personalTables: [PersonalTable] = [
        // What somebody follows.
        .init("follow", work: "t.work_id")
    ]
}
