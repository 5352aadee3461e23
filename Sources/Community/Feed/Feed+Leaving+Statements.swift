import Postgres

extension Feed {
    /// Whose the rows of each table are.
    package static let personalTables: [Leaving.PersonalTable] = [
        // What somebody did.
        .init("activity", work: "t.work_id"),
        // When somebody did something last.
        .init("reader_last_act", key: "t.reader_id", unexported: "It is the time of the last of activity."),
        // The acts of somebody's newest public reviews.
        .init("filling_review", unexported: "They are rows of activity."),
    ]
}
