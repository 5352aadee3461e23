import Postgres

// Reading what others said. What a viewer may not see at all is left out or `.notFound`; what is ahead of them is a placeholder.
extension Reviews.Store {
    /// One review. Throws `.notFound` also for one that is hidden.
    package func review(_ id: ID<Reviews.Review>, for viewer: Viewer) async throws -> Reviews.Shown {
        guard let review = try await house.database.first(Reviews.Statements.One(viewer: viewer, review: id)) else {
            throw Failure.notFound("review \(id)")
        }
        return review
    }

    /// Ratings and reviews of a work, or of what it was merged into. A work that is unknown has none; without an account nobody is a friend.
    package func reviews(
        of work: ID<Catalog.Work>, by circle: Circle = .all, sort: Reviews.Sort = .newest, for viewer: Viewer,
        page: PageRequest<Reviews.Place>
    ) async throws -> Page<Reviews.Shown, Reviews.Place> {
        let reviews = try await page.read(from: sort.first, key: { sort.place($0.key) }) {
            try await house.database.all(
                Reviews.Statements.OfBook(viewer: viewer, circle: circle, sort: sort, work: work, span: $0))
        }
        return reviews.map(\.item)
    }
}
