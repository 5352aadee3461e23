import Postgres

extension Praise {
    /// Whose the rows of each table are.
    package static let personalTables: [PersonalTable] = [
        // Favourites and recommendations.
        .init("praise", work: "t.work_id")
    ]
}
