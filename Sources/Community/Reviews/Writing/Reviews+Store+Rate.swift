import Postgres

extension Reviews {
    /// One reader's rating of a work, as part of a list.
    package struct Given: Hashable, Sendable, Encodable {
        /// The review that it stands in.
        package let review: ID<Review>
        package let author: Accounts.Reader
        package let rating: Rating
        /// When the review was made or last changed.
        package let changedAt: Timestamp

        private enum CodingKeys: String, CodingKey {
            case review = "review_id"
            case author, rating
            case changedAt = "changed_at"
        }
    }
}

extension Reviews.Store {
    /// Gives a work so many stars, whatever else the reader said about it stays; the same again changes nothing. `visibility` is that of the
    /// whole review. Throws as `put`.
    package func rate(
        _ rating: Rating, on work: ID<Catalog.Work>, by reader: ID<Accounts.Account>,
        visibility: FieldChange<Visibility> = .keep, ifVersion version: Precondition = .none
    ) async throws -> Reviews.Outcome {
        try await say(on: work, by: reader, ifVersion: version) { mine in
            Reviews.NewReview(rating: rating, body: mine?.body, visibility: visibility)
        }
    }

    /// Takes the reader's stars away, where there are any; a text stays. Throws as `remove`.
    package func unrate(
        _ work: ID<Catalog.Work>, by reader: ID<Accounts.Account>, ifVersion version: Precondition = .none
    ) async throws {
        try await services.database.transaction { transaction in
            guard let mine = try await transaction.first(Reviews.Statements.LockMine(viewer: reader, work: work)),
                mine.review.rating != nil
            else { return try await findNothing(on: work, by: reader, ifVersion: version, in: transaction) }
            guard mine.review.body != nil else {
                return try await remove(on: work, by: reader, ifVersion: version)
            }
            _ = try await say(on: work, by: reader, ifVersion: version) { mine in
                Reviews.NewReview(rating: nil, body: mine?.body)
            }
        }
    }

    /// Ratings of a work, or of what it was merged into, that the viewer may see: those of friends or of everybody, newest first. Without an
    /// account nobody is a friend.
    package func ratings(
        of work: ID<Catalog.Work>, by circle: Circle, for viewer: Viewer, page: PageRequest<ID<Reviews.Review>>
    ) async throws -> Page<Reviews.Given, ID<Reviews.Review>> {
        try await page.read(from: .highest, key: \.review) {
            try await services.database.all(
                Reviews.Statements.Ratings(viewer: viewer, circle: circle, work: work, span: $0))
        }
    }
}
