import Postgres

extension Search {
    /// Whose the rows of each table are.
    package static let personalTables: [PersonalTable] = [
        // What somebody searched for.
        .init("recent_search", hidden: ["folded"])
    ]
}
