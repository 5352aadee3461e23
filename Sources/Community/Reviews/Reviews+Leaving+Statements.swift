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
        Review.personalReactions(),
    ]
}
