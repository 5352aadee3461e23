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
        let list = List(work: work, viewer: viewer, page: page)
        return switch (circle, sort) {
        case (.all, .newest): try await read(list, EveryRow.self, by: Reviews.Newest.self)
        case (.all, .reactions): try await read(list, EveryRow.self, by: Reviews.Reacted.self)
        case (.friends, .newest): try await read(list, FriendRows.self, by: Reviews.Newest.self)
        case (.friends, .reactions): try await read(list, FriendRows.self, by: Reviews.Reacted.self)
        }
    }

    private struct List {
        let work: ID<Catalog.Work>
        let viewer: Viewer
        let page: PageRequest<Reviews.Place>
    }

    private func read<Rows: CircleRows, Order: Reviews.Order>(
        _ list: List, _: Rows.Type, by _: Order.Type
    ) async throws -> Page<Reviews.Shown, Reviews.Place> {
        let database = house.database
        let reviews = try await list.page.read(
            from: Order.first, key: \.key,
            after: {
                try await database.all(
                    Reviews.Statements.OfBook<Rows, Order, Onward>(
                        viewer: list.viewer, work: list.work, place: $0, limit: $1))
            },
            before: {
                try await database.all(
                    Reviews.Statements.OfBook<Rows, Order, Back>(
                        viewer: list.viewer, work: list.work, place: $0, limit: $1))
            })
        return reviews.map(\.item)
    }
}
