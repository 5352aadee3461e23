import Community
import HTTPTypes
import Hummingbird

extension Follows {
    /// Following over HTTP.
    package struct Routes: Sendable {
        private let site: Site

        package init(_ site: Site) { self.site = site }

        package func add(to routes: inout RouteTable) {
            add("/books/{book}/follow", "a book", to: &routes) { .book(try $0.id("book", as: Catalog.Work.self)) }
            add("/authors/{author}/follow", "an author", to: &routes) {
                .author(try $0.id("author", as: Catalog.Author.self))
            }
            add("/series/{series}/follow", "a series", to: &routes) {
                .series(try $0.id("series", as: Catalog.Series.self))
            }
            add("/lists/{list}/follow", "a list that you may see", to: &routes) {
                .list(try $0.id("list", as: Library.List.self))
            }
            routes.get(
                "/me/follows", access: .reader,
                summary: "What you follow, newest first; `id` is that of what is followed.",
                query: [QueryParameter("kind", .choice(Kind.allCases.map(\.rawValue)), "Of this kind alone.")]
                    + QueryParameter.paging,
                reply: .page(Self.follow), follows)
        }

        private var store: Store { site.community.follows }

        private func add(
            _ path: String, _ what: String, to routes: inout RouteTable,
            subject: @escaping @Sendable (SiteContext) throws -> Thing
        ) {
            routes.put(
                path, access: .reader, summary: "Follow \(what); twice is once.", status: .noContent,
                put(subject))
            routes.delete(path, summary: "Follow \(what) no longer.", remove(subject))
        }

        /// `PUT /authors/{author}/follow`, `PUT /books/{book}/follow`,
        /// `PUT /lists/{list}/follow` and `PUT /series/{series}/follow` → 204, again and again; 403 `account_frozen`, 404, 409 `too_many_follows`.
        private func put(_ subject: @escaping @Sendable (SiteContext) throws -> Thing) -> Route.Handler {
            { request, context in
                let reader = try context.signedIn().account
                let subject = try subject(context)
                return try await context.write(request) {
                    try await store.put(subject, by: reader)
                    return .noContent
                }
            }
        }

        /// `DELETE /authors/{author}/follow`, `DELETE /books/{book}/follow`,
        /// `DELETE /lists/{list}/follow` and `DELETE /series/{series}/follow` → 204, also where you do not follow it, and of what you see no more; 403 `account_frozen`.
        private func remove(_ subject: @escaping @Sendable (SiteContext) throws -> Thing) -> Route.Handler {
            { request, context in
                let reader = try context.signedIn().account
                let subject = try subject(context)
                return try await context.write(request) {
                    try await store.remove(subject, by: reader)
                    return .noContent
                }
            }
        }

        /// `GET /me/follows?kind=book|author|series|list` → 200 with a page.
        @Sendable private func follows(_ request: Request, context: SiteContext) async throws -> Reply {
            let kind = try context.query().choice("kind", Kind.self)
            let filter = kind?.rawValue ?? ""
            let page = try context.page(list: "follows", filter: filter, key: ID<Follow>.self)
            let follows = try await store.follows(kind, of: try context.signedIn().account, page)
            return try Reply.page(follows, list: "follows", filter: filter, context: context)
        }

        static let follow = Schema.object(
            "Follow",
            ["kind": .choice(Kind.allCases.map(\.rawValue)), "id": .id, "title": .string, "followed_at": .time])
    }
}
