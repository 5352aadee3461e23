import Postgres

// The gate of reviews in SQL.
extension Gate {
    /// SQL: whether `viewer` may see the review that is in scope as `review`: one that is not marked, their own, one of
    /// a book that they are through with, or one that they revealed. Null where there is no review.
    ///
    /// Stands wherever `opens` does for posts: in the `where`, or as a column without which nothing but the placeholder
    /// is given.
    package static func opensReview<S>(viewer: SQL<S>) -> SQL<S> {
        "(not review.spoilers or \(unveilsReview(viewer: viewer)))"
    }

    /// SQL: whether inline spoilers in the text of `review`, or in a reply to it, are shown to `viewer`.
    package static func unveilsReview<S>(viewer: SQL<S>) -> SQL<S> {
        """
        (review.reader_id = \(viewer)
                or \(level(viewer: viewer, work: "review.work_id")) = \(end)
                or exists (select 1 from reveal gate_review
                            where gate_review.reader_id = \(viewer) and gate_review.review_id = review.id))
        """
    }
}
