import Community
import HTTPTypes
import Hummingbird

extension Suggestions {
    /// Related books and suggestions over HTTP.
    package struct Routes: Sendable {
        private let site: Site

        package init(_ site: Site) { self.site = site }

        package func add(to routes: inout RouteTable) {
            routes.get(
                "/books/{book}/related",
                summary: """
                    Books that are like this one, each with its reason: `series` (the next of its series), `readers` (so many who read this one \
                    read it), `author`, `genre` and `subject`. At most \(Limits.suggestions.related), and 2 of an author beside the next of the \
                    series.
                    """,
                query: [Self.limit(Limits.suggestions.related)], reply: Self.relatedBooks, related)
            routes.get(
                "/me/suggestions", access: .reader,
                summary: """
                    Books for you, each with its reason, at most \(Limits.suggestions.books). Of `all`: what is read by those who read what stands \
                    on your shelves (`because` names your book), with a few from what there is to discover. Of `friends`: what \
                    friends recommend, gave four stars or read, as far as you may see it.
                    """,
                query: [Praise.Routes.circle, Self.limit(Limits.suggestions.books)], reply: Self.suggestedBooks,
                suggestions)
            routes.delete("/me/suggestions/{book}", summary: "Do not suggest this book again.", dismiss)
        }

        private var store: Store { site.community.suggestions }

        private static func limit(_ most: Int) -> QueryParameter {
            QueryParameter("limit", .integer(1...most), "Books at most, \(most) unless said.")
        }

        /// `GET /books/{book}/related?limit` → 200 `{items: [{book, reason}], made_at, empty_because}`; 404, 422.
        @Sendable private func related(_ request: Request, context: SiteContext) async throws -> Reply {
            let most = Limits.suggestions.related
            let found = try await store.related(
                to: try context.id("book", as: Catalog.Work.self),
                limit: try context.query().integer("limit", in: 1...most) ?? most)
            let books = try await context.items(found.items.map(\.book))
            let bodies = zip(found.items, books).map { RelativeBody(book: $1, reason: .init($0.reason)) }
            return try Self.list(bodies, of: found)
        }

        /// `GET /me/suggestions?of=all|friends&limit` → 200 `{items: [{book, reason}], made_at, empty_because}`; 422.
        @Sendable private func suggestions(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            let most = Limits.suggestions.books
            let found = try await store.suggestions(
                for: reader, of: try context.circle(),
                limit: try context.query().integer("limit", in: 1...most) ?? most)
            let books = try await context.items(found.items.map(\.book))
            let bodies = zip(found.items, books).map { SuggestionBody(book: $1, reason: .init($0.reason)) }
            return try Self.list(bodies, of: found)
        }

        /// `DELETE /me/suggestions/{book}` → 204, again and again; 403 `account_frozen`, 404, 409 `too_many_dismissals`.
        @Sendable private func dismiss(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            let book = try context.id("book", as: Catalog.Work.self)
            return try await context.write(request) {
                try await store.dismiss(book, by: reader)
                return .noContent
            }
        }
    }
}
