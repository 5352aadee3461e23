import Community
import HTTPTypes
import Hummingbird

extension Reviews.Routes {
    func addRatings(to routes: inout RouteTable) {
        routes.put(
            "/books/{book}/rating", access: .reader,
            summary: "Give a book stars, in quarters; what you wrote about it stays. The same again changes nothing.",
            body: Self.newRating, reply: Self.review, rate)
        routes.delete("/books/{book}/rating", summary: "Take your stars away; what you wrote stays.", unrate)
        routes.get(
            "/books/{book}/ratings", summary: "Who gave a book how many stars, newest first.",
            query: [Praise.Routes.circle] + QueryParameter.paging, reply: .page(Self.given), ratings)
    }

    /// `PUT /books/{book}/rating` `{rating, visibility?}` → 201 where you had said nothing about the book, 200 otherwise; `visibility` and errors as in
    /// `PUT …/review`.
    /// Refused with `precondition_failed` too.
    @Sendable private func rate(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let work = try context.id("book", as: Catalog.Work.self)
        var form = try context.form(request)
        let stars = form.number("rating", in: 0.25...5)
        let level = form.optionalChoice("visibility", Library.Routes.Level.self)?.visibility
        let rating = Rating(stars: stars)
        if rating == nil { form.fault("rating", .badFormat, "must be a multiple of 0.25") }
        try form.check()
        guard let rating else { throw Failure.invalid("/rating", .badFormat, "must be a multiple of 0.25") }
        let visibility = form.change("visibility", level)
        let version = Precondition(request.headers[.ifMatch])
        return try await context.write(request) {
            let outcome = try await store.rate(
                rating, on: work, by: reader, visibility: visibility, ifVersion: version)
            let review = outcome.review
            guard case .created = outcome else { return try Reply.json(.ok, review).tagged(as: review) }
            return try Reply.created(review, location: "/reviews/\(review.id)").tagged(as: review)
        }
    }

    /// `DELETE /books/{book}/rating` → 204; 403 `account_frozen`, 404, 412; 204 also where you gave none.
    @Sendable private func unrate(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let work = try context.id("book", as: Catalog.Work.self)
        let version = Precondition(request.headers[.ifMatch])
        return try await context.write(request) {
            try await store.unrate(work, by: reader, ifVersion: version)
            return .noContent
        }
    }

    /// `GET /books/{book}/ratings?of=friends|all` → 200 with a page; 401 for friends without signing in.
    @Sendable private func ratings(_ request: Request, context: SiteContext) async throws -> Reply {
        let work = try context.id("book", as: Catalog.Work.self)
        let circle = try context.circle()
        let filter = work.text + " " + circle.rawValue
        let page = try context.page(list: "ratings", filter: filter, key: ID<Reviews.Review>.self)
        let given = try await store.ratings(of: work, by: circle, for: context.viewer, page: page)
        return try Reply.page(given, list: "ratings", filter: filter, context: context)
    }

    private static let newRating = Schema.object(
        "NewRating", ["rating": stars], optional: ["visibility": .orNull(level)])

    private static let given = Schema.object(
        "Rating", ["review_id": .id, "author": Accounts.Routes.reader, "rating": stars, "changed_at": .time])
}
