extension Restore {
    /// Counts again what the planner goes by, in every table that the role owns. No prepared statement: for `Database.script`.
    enum Analyze {
        static let sql = "analyze"
    }
}
