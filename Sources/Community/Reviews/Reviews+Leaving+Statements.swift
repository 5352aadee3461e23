import Postgres

extension Reviews {
    /// Whose the rows of each table are.
    package static let personalTables: [PersonalTable] = [
        // Ratings and reviews.
        .init("review", work: "t.work_id"),
        // What reviews say, and said before.
        .init("review_text", source: "review_text t join review on review.id = t.review_id", owner: "review.reader_id"),
        // Answers to reviews.
        .init("review_reply", owner: "t.author_id"),
        // A reader gives each of the six to a review at most once.
        .init(
            "review_reaction", key: "t.review_id",
            secondKey: "array_position(array['like', 'love', 'laugh', 'wow', 'sad', 'think'], t.name)::bigint"),
    ]
}
