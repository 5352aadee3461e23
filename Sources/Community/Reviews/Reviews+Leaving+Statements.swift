extension Reviews {
    /// Whose the rows of each table are.
    static let personalTables: [any Leaving.PersonalTable.Type] = [
        OwnReviews.self, OwnTexts.self, OwnReplies.self, OwnReactions.self,
    ]

    /// Ratings and reviews.
    enum OwnReviews: Leaving.PersonalTable {
        static let table = "review"
        static let work: String? = "t.work_id"
    }

    /// What reviews say, and said before.
    enum OwnTexts: Leaving.PersonalTable {
        static let table = "review_text"
        static let source = "review_text t join review on review.id = t.review_id"
        static let owner = "review.reader_id"
    }

    /// Answers to reviews.
    enum OwnReplies: Leaving.PersonalTable {
        static let table = "review_reply"
        static let owner = "t.author_id"
    }

    enum OwnReactions: Leaving.PersonalTable {
        static let table = "review_reaction"
        /// A reader gives each of the six to a review at most once.
        static let key = (
            "t.review_id", "array_position(array['like', 'love', 'laugh', 'wow', 'sad', 'think'], t.name)::bigint"
        )
    }
}
