import Community
import HTTPTypes
import Hummingbird

extension Praise {
    /// Favourites and recommendations over HTTP.
    package struct Routes: Sendable {
        private let site: Site

        package init(_ site: Site) { self.site = site }

        package func add(to routes: inout RouteTable) {
            routes.put(
                "/books/{book}/favourite", access: .reader,
                summary: "Make a book one of your favourites, move it among them, or change who sees that.",
                body: Self.newFavourite, reply: Self.mark, putFavourite)
            routes.delete(
                "/books/{book}/favourite", summary: "Take a book off your favourites.", remove(.favourite))
            routes.get(
                "/me/favourites", access: .reader, summary: "Your favourites, in your order.",
                query: QueryParameter.paging, reply: .page(Self.mark), mine(.favourite))
            routes.get(
                "/readers/{username}/favourites", summary: "A reader's favourites, in the reader's order.",
                query: QueryParameter.paging,
                reply: .page(
                    Self.mark, name: "ReaderMarkPage", also: ["reader": Accounts.Routes.reader, "is_private": .boolean]),
                others(.favourite))
            routes.put(
                "/books/{book}/recommendation", access: .reader,
                summary: "Recommend a book; twice is once.", body: Self.newRecommendation, reply: Self.mark,
                putRecommendation)
            routes.delete(
                "/books/{book}/recommendation", summary: "No longer recommend a book.", remove(.recommendation))
            routes.get(
                "/books/{book}/recommendations", summary: "Who recommends a book, last first.",
                query: [Self.circle] + QueryParameter.paging, reply: .page(Self.fan), fans)
            routes.get(
                "/me/recommendations", access: .reader, summary: "The books that you recommend, last first.",
                query: QueryParameter.paging, reply: .page(Self.mark), mine(.recommendation))
            routes.get(
                "/readers/{username}/recommendations", summary: "The books that a reader recommends, last first.",
                query: QueryParameter.paging,
                reply: .page(
                    Self.mark, name: "ReaderMarkPage", also: ["reader": Accounts.Routes.reader, "is_private": .boolean]),
                others(.recommendation))
        }

        private var store: Store { site.community.praise }

        /// `PUT /books/{book}/favourite` `{visibility?, after?}` → 201 for a new one, 200 otherwise. `after`: the favourite that it is to
        /// follow; null for the first place, where new ones come. 403 `account_frozen`, 404, 409 `too_many_marks`, 422.
        @Sendable private func putFavourite(_ request: Request, context: SiteContext) async throws -> Reply {
            var form = try context.form(request)
            let after = form.optionalID("after", as: Catalog.Work.self)
            let spot: Library.Spot = form.has("after") ? after.map { .after($0) } ?? .first : .keep
            return try await put(.favourite, form, spot: spot, request, context)
        }

        /// `PUT /books/{book}/recommendation` `{visibility?}` → 201, 200; 403 `account_frozen`, 404, 409 `too_many_marks`, 422.
        @Sendable private func putRecommendation(_ request: Request, context: SiteContext) async throws -> Reply {
            try await put(.recommendation, try context.form(request), spot: .keep, request, context)
        }

        private func put(
            _ kind: Kind, _ sent: Form, spot: Library.Spot, _ request: Request, _ context: SiteContext
        ) async throws -> Reply {
            let reader = try context.signedIn().account
            let work = try context.id("book", as: Catalog.Work.self)
            var form = sent
            let level = form.optionalChoice("visibility", Library.Routes.Level.self)?.visibility
            try form.check()
            let wish = Wish(visibility: form.change("visibility", level), spot: spot)
            return try await context.write(request) {
                let (mark, isNew) = try await store.put(kind, on: work, by: reader, wish)
                guard isNew else { return try Reply.json(.ok, mark) }
                return try Reply.created(mark, location: "/books/\(mark.book.id)/\(kind.rawValue)")
            }
        }

        /// `DELETE /books/{book}/favourite` and `DELETE /books/{book}/recommendation` → 204, also where there is none; 403 `account_frozen`, 404.
        private func remove(_ kind: Kind) -> Route.Handler {
            { request, context in
                let reader = try context.signedIn().account
                let work = try context.id("book", as: Catalog.Work.self)
                return try await context.write(request) {
                    try await store.remove(kind, on: work, by: reader)
                    return .noContent
                }
            }
        }

        /// `GET /me/favourites` and `/me/recommendations` → 200 with a page.
        private func mine(_ kind: Kind) -> Route.Handler {
            { _, context in
                let reader = try context.signedIn().account
                let list = "my-" + kind.rawValue
                let page = try context.page(list: list, filter: reader.text, key: Key.self)
                let marks = try await store.marks(kind, of: reader, for: .reader(reader), page: page)
                return try Reply.page(marks, list: list, filter: reader.text, context: context)
            }
        }

        /// `GET /readers/{username}/favourites` and `…/recommendations` → 200 with a page of those that you may see; 404.
        private func others(_ kind: Kind) -> Route.Handler {
            { _, context in
                let username = try context.text("username")
                let (list, filter) = ("reader-" + kind.rawValue, Accounts.Username.fold(username))
                let page = try context.page(list: list, filter: filter, key: Key.self)
                let found = try await store.marks(kind, of: username, for: context.viewer, page: page)
                let level: Privacy.Kind = kind == .favourite ? .favourites : .reviews
                let isPrivate = try await context.isPrivate(level, of: username, found.page, page)
                return try Reply.page(
                    found.page, list: list, filter: filter, context: context,
                    also: ["reader": found.reader, "is_private": isPrivate])
            }
        }

        /// `GET /books/{book}/recommendations?of=friends|all` → 200 with a page; 401 for friends without signing in.
        @Sendable private func fans(_ request: Request, context: SiteContext) async throws -> Reply {
            let work = try context.id("book", as: Catalog.Work.self)
            let circle = try context.circle()
            let filter = work.text + " " + circle.rawValue
            let page = try context.page(list: "recommendations", filter: filter, key: ID<Mark>.self)
            let fans = try await store.fans(of: work, among: circle, for: context.viewer, page: page)
            return try Reply.page(fans, list: "recommendations", filter: filter, context: context)
        }

        package static let circle = QueryParameter(
            "of", .choice(Circle.allCases.map(\.rawValue)), "Whose: `all` where it is left out.")

        static let mark = Schema.object(
            "Mark",
            [
                "id": .id, "book": Reviews.Routes.book, "visibility": .orNull(Library.Routes.level),
                "created_at": .time,
            ])

        private static let fan = Schema.object(
            "Fan", ["id": .id, "reader": Accounts.Routes.reader, "created_at": .time])

        private static let newFavourite = Schema.object(
            "NewFavourite", [:],
            optional: ["visibility": .orNull(Library.Routes.level), "after": .orNull(.id)])

        private static let newRecommendation = Schema.object(
            "NewRecommendation", [:], optional: ["visibility": .orNull(Library.Routes.level)])
    }
}

extension SiteContext {
    /// The parameter `of`. Throws `.unauthenticated` for friends of nobody.
    func circle() throws(Failure) -> Circle {
        let circle = try query().choice("of", Circle.self) ?? .all
        if circle == .friends { _ = try signedIn() }
        return circle
    }

    /// The body as a form; one without fields where nothing was sent.
    func optionalForm(_ request: Request) throws -> Form {
        guard body.readableBytes == 0 else { return try form(request) }
        return try Form(bytes: Array("{}".utf8), contentType: "application/json")
    }
}
