import Community
import HTTPTypes
import Hummingbird

// Searching boards over HTTP. Only what is shown whole is found: of what lies ahead of the caller, or may not be
// seen, there is neither a placeholder nor a count.
extension Boards.Routes {
    func addSearch(to routes: inout RouteTable) {
        routes.get(
            "/books/{book}/threads/search", limit: .search,
            summary: "Posts with all of the words, on a book's board, newest first.",
            query: [Self.words] + QueryParameter.pages, reply: Self.reply, inBook)
        routes.get(
            "/threads/{thread}/posts/search", limit: .search,
            summary: "Posts with all of the words, in a thread, newest first.",
            query: [Self.words] + QueryParameter.pages, reply: Self.reply, inThread)
        routes.get(
            "/boards/search", limit: .search,
            summary: "Posts with all of the words, on all boards that you may see, newest first.",
            query: [Self.words] + QueryParameter.pages, reply: Self.reply, everywhere)
    }

    private static let words = QueryParameter(
        "q", .string(1...4 * Limits.boardSearch.query.upperBound),
        """
        Words, and phrases in quotation marks, \(Limits.boardSearch.query.lowerBound) to \
        \(Limits.boardSearch.query.upperBound) characters; all of them must be there. The last word may go on, from \
        \(Limits.boardSearch.openWord) characters.
        """, isRequired: true)

    private static let reply = Schema.page(
        .object(
            "FoundPost",
            [
                "post": Boards.Schemas.whole, "excerpt": .string,
                "thread": .object(
                    "FoundThread", ["id": .id, "title": .orNull(.string), "book_id": .orNull(.id)]),
            ]))

    /// `GET /books/{book}/threads/search?q=` → 200 with a page; a book that is unknown has no posts. 400
    /// `invalid_cursor`, 422.
    @Sendable private func inBook(_ request: Request, context: SiteContext) async throws -> Reply {
        try await search(in: .book(try context.id("book", as: Catalog.Work.self)), context)
    }

    /// `GET /threads/{thread}/posts/search?q=` → 200 with a page; 400 `invalid_cursor`, 404, 422.
    @Sendable private func inThread(_ request: Request, context: SiteContext) async throws -> Reply {
        try await search(in: .thread(try context.id("thread", as: Boards.Thread.self)), context)
    }

    /// `GET /boards/search?q=` → 200 with a page; 400 `invalid_cursor`, 422.
    @Sendable private func everywhere(_ request: Request, context: SiteContext) async throws -> Reply {
        try await search(in: .everywhere, context)
    }

    /// A page may be short and go on.
    private func search(in place: Boards.SearchPlace, _ context: SiteContext) async throws -> Reply {
        guard let text = try context.query()["q"] else {
            throw Failure.invalid("?q", .required, "must be given")
        }
        let query = try Boards.WordQuery(text)
        let filter = place.identity + " " + query.identity
        let page = try context.page(list: "board-search", filter: filter, key: ID<Boards.Post>.self)
        let found = try await site.community.boards.search(query, in: place, for: context.viewer, page: page)
        return try Reply.page(found, list: "board-search", filter: filter, context: context)
    }
}
