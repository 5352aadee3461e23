import Postgres

extension Feed.Statements {
    /// Served by the indexes `activity_of_work` and `activity_undone`. Acts that were taken back are shown nowhere; what they weighed is not new
    /// again for the book that stays.
    struct MoveActs: Statement {
        static let sql: SQL<Self> = """
            with undone as (
                update activity set work_id = \(\.into) where work_id = \(\.from) and undone_at is not null and weight > 0
            )
            update activity set work_id = \(\.into) where work_id = \(\.from) and undone_at is null
            """
        let from: ID<Catalog.Work>, into: ID<Catalog.Work>
    }
}
