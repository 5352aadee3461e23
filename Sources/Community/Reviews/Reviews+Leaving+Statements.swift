extension Reviews {
    /// Whose the rows of each table are.
    static let personalTables: [any Leaving.PersonalTable.Type] = [
        OwnReviews.self
    ]

    /// Ratings and reviews.
    enum OwnReviews: Leaving.PersonalTable {
        static let table = "review"
        static let work: String? = "t.work_id"
    }
}
