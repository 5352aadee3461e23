import Postgres

extension Feed.Statements {

    /// Makes the partitions of `activity` that are missing until `ahead` and drops those that ended before `keep`.
    struct RunUpkeep: Statement {
        static let name = "feed.upkeep"
        static let sql: SQL<Self> = "select activity_upkeep(\(\.now), \(\.ahead), \(\.keep))"
        let now: Timestamp, ahead: Timestamp, keep: Timestamp

        /// Partitions made and dropped.
        typealias Output = Int
    }
}
