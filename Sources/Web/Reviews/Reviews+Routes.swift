import Community
import HTTPTypes
import Hummingbird

extension Reviews {
    /// What readers say about books, over HTTP.
    package struct Routes: Sendable {
        let site: Site

        package init(_ site: Site) { self.site = site }

        package func add(to routes: inout RouteTable) {
            routes.put(
                "/books/{book}/review", access: .reader,
                summary: """
                    Say something about a book: a rating, a text, or both; replaces what you said before. Without `visibility` its level \
                    stays; with null it follows your settings, and `visibility_is_own` is false. Of others' reviews that is null.
                    """,
                body: Self.newReview, reply: Self.review, put)
            routes.get(
                "/books/{book}/review", access: .reader, summary: "What you said about a book.", reply: Self.review,
                mine)
            routes.delete("/books/{book}/review", summary: "Take back what you said about a book.", remove)
            routes.get(
                "/books/{book}/reviews", summary: "Ratings and reviews of a book, newest first.",
                query: QueryParameter.paging,
                reply: .page(Self.review), list)
            addRatings(to: &routes)
            routes.get("/reviews/{review}", summary: "One review.", reply: Self.review, one)
        }

        var store: Store { site.community.reviews }

        /// `PUT /books/{book}/review` `{rating, body, visibility?}`: a level that is left out stays, null makes the
        /// review follow your settings (again). → 201 with the new review, 200 with the changed or unchanged one; 403
        /// `email_unverified` or `account_frozen`, 404, 412 where `If-Match` does not name the version that is there,
        /// 422.
        @Sendable private func put(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            let work = try context.id("book", as: Catalog.Work.self)
            let new = try Self.form(try context.form(request))
            let version = Precondition(request.headers[.ifMatch])
            return try await context.write(request) {
                switch try await store.put(new, on: work, by: reader, ifVersion: version) {
                case .created(let review):
                    try Reply.created(review, location: "/reviews/\(review.id)").tagged(review.tag)
                case .changed(let review), .unchanged(let review):
                    try Reply.json(.ok, review).tagged(review.tag)
                }
            }
        }

        /// `GET /books/{book}/review` → 200; 404 where you said nothing.
        @Sendable private func mine(_ request: Request, context: SiteContext) async throws -> Reply {
            let work = try context.id("book", as: Catalog.Work.self)
            let review = try await store.review(of: work, by: try context.signedIn().account)
            return try Reply.json(.ok, review).tagged(review.tag)
        }

        /// `DELETE /books/{book}/review` → 204; 404, 412.
        @Sendable private func remove(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            let work = try context.id("book", as: Catalog.Work.self)
            let version = Precondition(request.headers[.ifMatch])
            return try await context.write(request) {
                try await store.remove(on: work, by: reader, ifVersion: version)
                return .noContent
            }
        }

        /// `GET /books/{book}/reviews` → 200 with a page.
        @Sendable private func list(_ request: Request, context: SiteContext) async throws -> Reply {
            let work = try context.id("book", as: Catalog.Work.self)
            let filter = work.text
            let page = try context.page(list: "reviews", filter: filter, key: ID<Review>.self)
            let reviews = try await store.reviews(of: work, for: context.viewer, page: page)
            return try Reply.page(reviews, list: "reviews", filter: filter, context: context)
        }

        /// `GET /reviews/{review}` → 200; 404, also for what you may not see.
        @Sendable private func one(_ request: Request, context: SiteContext) async throws -> Reply {
            let review = try await store.review(try context.id("review", as: Review.self), for: context.viewer)
            return try Reply.json(.ok, review).tagged(review.tag)
        }
    }
}

extension Reviews.Routes {
    /// Reads `{rating, body, visibility}`, reporting all faults at once.
    static func form(_ sent: Form) throws -> Reviews.NewReview {
        var form = sent
        let stars = form.optionalNumber("rating", in: 0.25...5)
        let body = form.optionalString("body", bytes: 0...Limits.Reviews.body.upperBound)
        let level = form.optionalString("visibility", bytes: 0...Limits.body)
        let rating = stars.flatMap(Reviews.Rating.init(stars:))
        if stars != nil, rating == nil { form.fault("rating", "bad_format", "must be a multiple of 0.25") }
        var faults = Faults()
        if let body { Reviews.NewReview.check(body: body, into: &faults) }
        form.add(faults)
        let visibility = level.flatMap { Visibility(name: $0) }
        if level != nil, visibility == nil {
            let names = Visibility.allCases.map(\.description).joined(separator: ", ")
            form.fault("visibility", "unknown", "must be one of \(names)")
        }
        try form.check()
        let new = Reviews.NewReview(
            rating: rating, body: body, visibility: form.change("visibility", visibility))
        try new.validate()
        return new
    }

    static let stars = Schema.number(0.25...5)
    static let level = Schema.choice(Visibility.allCases.map(\.description))

    static let newReview = Schema.object(
        "NewReview", ["rating": .orNull(stars), "body": .orNull(.string(Limits.Reviews.body))],
        optional: ["visibility": .orNull(level)]
    )

    /// The form of a book beside what is said about it.
    static let book = Schema.object(
        "BookTitle",
        ["id": .id, "title": .string, "authors": .array(Catalog.Routes.author)])

    /// `visibility_is_own`: false where the level follows the reader's settings; null for everybody else.
    package static let review = Schema.object(
        "Review",
        [
            "id": .id, "reader": Accounts.Routes.reader, "book": book, "rating": .orNull(stars),
            "body": .orNull(.string(Limits.Reviews.body)),
            "visibility": level, "visibility_is_own": .orNull(.boolean), "version": .integer(1...Int(Int32.max)),
            "created_at": .time,
            "edited_at": .orNull(.time),
        ])
}

extension Reviews.Review {
    /// The `ETag` without its quotes: id, what its reader alone is told, and version.
    var tag: String {
        let told = levelIsOwn.map { $0 ? "own-" : "follows-" } ?? ""
        return "review-\(id)-\(told)\(version)"
    }
}

extension Precondition {
    /// Reads `If-Match`: `*` or entity tags `"kind-…-version"`. Only the version is compared: the thing is the one that
    /// is named.
    init(_ header: String?, of kind: String = "review") {
        guard let header else {
            self = .none
            return
        }
        if header.trimmed == "*" {
            self = .exists
            return
        }
        let versions = header.split(separator: ",").compactMap { part -> Int? in
            let tag = String(part).trimmed
            guard tag.hasPrefix("\"\(kind)-"), tag.hasSuffix("\"") else { return nil }
            return tag.dropLast().split(separator: "-").last.flatMap { Int($0) }
        }
        self = versions.first.map { .version($0) } ?? .never
    }
}

extension String {
    fileprivate var trimmed: String {
        var part = self[...]
        while let first = part.first, first.isWhitespace { part.removeFirst() }
        while let last = part.last, last.isWhitespace { part.removeLast() }
        return String(part)
    }
}
