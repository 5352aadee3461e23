import Postgres

extension Sources: Domain {
    /// Where the facts of one edition came from counts for another, in the transaction that merges them.
    package static let editionMerge: [MergeStep<Catalog.Edition>] = [
        // Served by index `source_record_edition`.
        MergeStep(
            "move_records", "update source_record set edition_id = \(\.into) where edition_id = \(\.from)")
    ]
}
