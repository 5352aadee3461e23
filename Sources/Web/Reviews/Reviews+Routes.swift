import Community
import HTTPTypes
import Hummingbird
import PlainText

extension Reviews {
    /// What readers say about books, over HTTP.
    package struct Routes: Sendable {
        let site: Site

        package init(_ site: Site) { self.site = site }

        package func add(to routes: inout RouteTable) {
            routes.put(
                "/books/{book}/review", access: .reader, limit: .costly,
                summary: """
                    Say something about a book: a rating, a text, or both. What is left out stays, null takes it away. With `visibility` \
                    null the level follows your settings, and `has_own_visibility` is false. Of others' reviews that is null. The text is \
                    Markdown. With `has_spoilers` it gives the end away and is kept from readers who have not finished the book.
                    """,
                body: Self.newReview, reply: Self.review, put)
            routes.get(
                "/books/{book}/review", access: .reader, summary: "What you said about a book.", reply: Self.review,
                mine)
            routes.delete("/books/{book}/review", summary: "Take back what you said about a book.", remove)
            routes.get(
                "/books/{book}/reviews",
                summary: "Ratings and reviews of a book, newest first or most reactions first.",
                query: [Praise.Routes.circle, Self.sort] + QueryParameter.paging,
                reply: .page(Self.shown, name: "ReviewPage"), list)
            routes.get(
                "/readers/{username}/reviews", summary: "A reader's ratings and reviews, newest first.",
                query: QueryParameter.paging,
                reply: .page(
                    Self.shown, name: "ReaderReviewPage",
                    also: ["reader": Accounts.Routes.reader, "is_private": .boolean]), ofReader)
            addRatings(to: &routes)
            routes.get("/reviews/{review}", summary: "One review.", reply: Self.shown, one)
            addTalk(to: &routes)
        }

        var store: Store { site.community.reviews }

        /// `PUT /books/{book}/review` `{rating?, body?, visibility?, has_spoilers?}`: what is left out stays. Null takes stars or text away,
        /// and makes the level follow your settings. → 201 with the new review, 200 with the changed or unchanged one; 403
        /// `email_unverified` or `account_frozen`, 404, 412 where `If-Match` does not name the version that is there,
        /// 422.
        /// Refused with `precondition_failed` too.
        @Sendable private func put(_ request: Request, context: SiteContext) async throws -> Web.Reply {
            let reader = try context.signedIn().account
            let work = try context.id("book", as: Catalog.Work.self)
            let new = try Self.form(try context.form(request))
            let version = Precondition(request.headers[.ifMatch])
            return try await context.write(request) {
                switch try await store.put(new, on: work, by: reader, ifVersion: version) {
                case .created(let review):
                    try Web.Reply.created(review, location: "/reviews/\(review.id)").tagged(as: review)
                case .changed(let review), .unchanged(let review): try Web.Reply.json(.ok, review).tagged(as: review)
                }
            }
        }

        /// `GET /books/{book}/review` → 200; 404 where you said nothing.
        @Sendable private func mine(_ request: Request, context: SiteContext) async throws -> Web.Reply {
            let work = try context.id("book", as: Catalog.Work.self)
            let review = try await store.review(of: work, by: try context.signedIn().account)
            return try Web.Reply.json(.ok, review).tagged(as: review)
        }

        /// `DELETE /books/{book}/review` → 204, also where you said nothing; 404, 412.
        /// Refused with `precondition_failed` too.
        @Sendable private func remove(_ request: Request, context: SiteContext) async throws -> Web.Reply {
            let reader = try context.signedIn().account
            let work = try context.id("book", as: Catalog.Work.self)
            let version = Precondition(request.headers[.ifMatch])
            return try await context.write(request) {
                try await store.remove(on: work, by: reader, ifVersion: version)
                return .noContent
            }
        }

        /// `GET /books/{book}/reviews?of=friends|all&sort=newest|reactions` → 200 with a page; 401 for friends without signing in.
        @Sendable private func list(_ request: Request, context: SiteContext) async throws -> Web.Reply {
            let work = try context.id("book", as: Catalog.Work.self)
            let circle = try context.circle()
            let sort = try context.query().choice("sort", Sort.self) ?? .newest
            let filter = "\(work.text) \(circle.rawValue) \(sort.rawValue)"
            let page = try context.page(list: "reviews", filter: filter, key: Place.self)
            let reviews = try await store.reviews(of: work, by: circle, sort: sort, for: context.viewer, page: page)
            return try Web.Reply.page(reviews, list: "reviews", filter: filter, context: context)
        }

        /// `GET /readers/{username}/reviews` → 200 with a page of those that you may see; 404.
        @Sendable private func ofReader(_ request: Request, context: SiteContext) async throws -> Web.Reply {
            let username = try context.text("username")
            let filter = Accounts.Username.fold(username)
            let page = try context.page(list: "reader-reviews", filter: filter, key: ID<Review>.self)
            let found = try await store.reviews(of: username, for: context.viewer, page: page)
            let isPrivate = try await context.isPrivate(.reviews, of: username, found.page, page)
            return try Web.Reply.page(
                found.page, list: "reader-reviews", filter: filter, context: context,
                also: ["reader": found.reader, "is_private": isPrivate])
        }

        /// `GET /reviews/{review}` → 200 with the review or its placeholder; 404, also for what you may not see.
        @Sendable private func one(_ request: Request, context: SiteContext) async throws -> Web.Reply {
            let shown = try await store.review(try context.id("review", as: Review.self), for: context.viewer)
            let reply = try Web.Reply.json(.ok, shown)
            guard case .whole(let review) = shown else { return reply }
            return reply.tagged(as: review)
        }
    }
}

extension Reviews.Routes {
    /// Reads `{rating, body, visibility, has_spoilers}`, reporting all faults at once.
    static func form(_ sent: Form) throws -> Reviews.ReviewChange {
        var form = sent
        let stars = form.optionalNumber("rating", in: 0.25...5)
        let body = form.optionalString("body", bytes: 0...Limits.reviews.body.upperBound)
        let level = form.optionalString("visibility", bytes: 0...Limits.body)
        let spoilers = form.has("has_spoilers") ? form.boolean("has_spoilers", default: false) : nil
        let rating = stars.flatMap(Rating.init(stars:))
        if stars != nil, rating == nil { form.fault("rating", .badFormat, "must be a multiple of 0.25") }
        var faults = Faults()
        if let body { Reviews.NewReview.check(body: body, into: &faults) }
        form.add(faults)
        let visibility = level.flatMap { Visibility(name: $0) }
        if level != nil, visibility == nil {
            let names = Visibility.allCases.map(\.description).joined(separator: ", ")
            form.fault("visibility", .unknown, "must be one of \(names)")
        }
        try form.check()
        return Reviews.ReviewChange(
            rating: form.change("rating", rating), body: form.change("body", body),
            visibility: form.change("visibility", visibility), spoilers: spoilers)
    }

    static let stars = Schema.number(0.25...5)
    static let level = Schema.choice(Visibility.allCases.map(\.description))

    static let newReview = Schema.object(
        "NewReview", [:],
        optional: [
            "rating": .orNull(stars), "body": .orNull(.string(Limits.reviews.body)), "visibility": .orNull(level),
            "has_spoilers": .orNull(.boolean),
        ])

    private static let sort = QueryParameter(
        "sort", .choice(Reviews.Sort.allCases.map(\.rawValue)), "`newest` where it is left out.")

    private static let count = Schema.integer(0...Int(Int32.max))

    /// The form of a book beside what is said about it; every other form has these members and more. `shelf` is the
    /// caller's own: null where the book is on none, and for who is not signed in.
    static let book = Schema.object(
        "BookTitle",
        [
            "id": .id, "title": .orNull(.string), "authors": .array(Catalog.Routes.author), "year": .orNull(.integer),
            "kind": Catalog.Routes.kind, "cover": .orNull(Media.cover), "shelf": .orNull(Library.Routes.shelf),
        ])

    /// `body` is Markdown, `html` the same rendered and safe; `is_veiled`: words of inline spoilers are missing from both.
    /// `has_own_visibility`: false where the level follows the reader's settings; null for everybody else. `is_hidden`: a
    /// moderator hides it, and its reader alone sees it; `visibility` is then the level that it comes back with.
    package static let review = Schema.object(
        "Review",
        [
            "id": .id, "state": Boards.Schemas.shown, "author": Accounts.Routes.reader, "book": book,
            "rating": .orNull(stars),
            "body": .orNull(.string(Limits.reviews.body)),
            "html": .orNull(.string), "is_veiled": .boolean, "has_spoilers": .boolean,
            "visibility": level, "has_own_visibility": .orNull(.boolean), "is_hidden": .boolean, "reply_count": count,
            "reactions": .map(.integer(1...Int(Int32.max))), "my_reactions": .array(Boards.Schemas.reaction),
            "version": .integer(1...Int(Int32.max)),
            "created_at": .time,
            "edited_at": .orNull(.time),
        ])

    /// What stands in the place of what gives the end away; it has no other member.
    static let placeholder = Schema.object(
        "GatedReview",
        [
            "id": .id, "state": .choice(["gated"]), "kind": .choice([Reviews.kind, Reviews.replyKind]),
            "position": .integer(0...Gate.end),
        ])

    /// A review as somebody is shown it.
    package static let shown = Schema.either([review, placeholder])
}

extension Web.Reply {
    /// The same reply with the `ETag` of a review, as this caller is shown it.
    func tagged(as review: Reviews.Review) -> Web.Reply {
        taggedAsShown("review-\(review.id)", version: review.version)
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
        if header.trimmed() == "*" {
            self = .exists
            return
        }
        let versions = header.split(separator: ",").compactMap { part -> Int? in
            let tag = part.trimmed()
            guard tag.hasPrefix("\"\(kind)-"), tag.hasSuffix("\"") else { return nil }
            return tag.dropLast().split(separator: "-").last.flatMap { Int($0) }
        }
        self = versions.first.map { .version($0) } ?? .never
    }
}
