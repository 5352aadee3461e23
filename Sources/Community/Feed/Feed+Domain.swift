import Postgres

extension Feed: Domain {
    package static var eventKinds: [String] { EventKind.names }

    /// What was done with one work was done with another: in the transaction that merges them.
    package static let workMerge: [MergeStep<Catalog.Work>] = [
        // Served by the indexes `activity_of_work` and `activity_undone`. Acts that were taken back are shown nowhere;
        // what they weighed is not new again for the book that stays.
        MergeStep(
            "move_acts",
            """
            with undone as (
                update activity set work_id = \(\.into) where work_id = \(\.from) and undone_at is not null and weight > 0
            )
            update activity set work_id = \(\.into) where work_id = \(\.from) and undone_at is null
            """)
    ]
}
