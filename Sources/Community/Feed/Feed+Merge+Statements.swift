import Postgres

extension Feed.Statements {
    /// Served by the index `activity_of_work`; acts that were taken back stay where they were, they are shown nowhere.
    struct MoveActs: Catalog.Moving {
        static let name = "feed.move_acts"
        static let sql = "update activity set work_id = $2 where work_id = $1 and undone_at is null"
        let from: ID<Catalog.Work>
        let into: ID<Catalog.Work>
    }
}
