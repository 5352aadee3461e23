import Community
import HTTPTypes
import Hummingbird
import Postgres

// Hot boards, genres of one's own, and the feed of books.
extension Ranking.Routes {
    func addDiscovery(to routes: inout RouteTable) {
        routes.get(
            "/boards/hot",
            summary: """
                Books' own boards by how many readers wrote there in the last 7 days, each with its hottest thread as far as your gate is \
                open. Below three readers it says `is_few`. Made anew each ten minutes: a page may show a board again.
                """,
            query: QueryParameter.pages,
            reply: .page(
                .object(
                    "HotBoard",
                    [
                        "place": .integer, "book": Catalog.Routes.item, "writer_count": .orNull(.integer),
                        "is_few": .boolean,
                        "thread": .orNull(Boards.Schemas.thread),
                    ])), hotBoards)
        routes.get(
            "/me/genres", access: .reader, summary: "Genres of which you want to hear, in your order.",
            reply: Self.genres, genres)
        routes.put(
            "/me/genres", access: .reader, summary: "Say of which genres you want to hear: slugs, as in /genres.",
            body: .object("NewReaderGenres", ["genres": .array(.string(1...100), count: 0...Self.mostGenres)]),
            reply: Self.genres, setGenres)
        routes.get(
            "/discover",
            summary: """
                Books to discover, each with its reason: `suggestion` (readers of `because`, a book of yours, read it), `genre` (trending in \
                a genre of yours), `trending`, `board` (many write on its board), \
                `new` (the community began to read it lately) and `popular`. `why` says how many read it, of a board how many wrote. Books on \
                your shelves are left out, and their places with them.
                """,
            query: QueryParameter.pages,
            reply: .page(
                .object(
                    "DiscoverBook",
                    ["place": .integer, "book": Catalog.Routes.item, "reason": Self.reason]),
                also: ["made_at": .orNull(.time), "empty_because": .orNull(Suggestions.Routes.emptiness)]), discover)
    }

    private static let mostGenres = Limits.ranking.genresOfReader

    static let genre = Schema.object("ReaderGenre", ["slug": .string, "name": .string])
    private static let genres = Schema.object("ReaderGenres", ["genres": .array(genre)])

    private static let reason = Schema.object(
        "DiscoverReason",
        [
            "kind": .choice(["suggestion", "genre", "trending", "board", "new", "popular"]),
            "because": .orNull(Reviews.Routes.book), "genre": .orNull(genre), "why": .orNull(why),
        ])

    /// `GET /boards/hot` → 200 with a page.
    @Sendable private func hotBoards(_ request: Request, context: SiteContext) async throws -> Reply {
        let page = try context.page(list: "hot-boards", filter: "", key: Int.self)
        let found = try await store.hotBoards(for: context.viewer, page: page)
        let books = try await context.items(found.items.map(\.book))
        let bodies = zip(found.items, books).map { board, book in
            let writers = Ranking.EntryBody.Why(readers: board.writers, usual: nil, isOfFriends: false)
            return BoardBody(
                place: board.place, book: book, writerCount: writers.readerCount, isFew: writers.isFew,
                thread: board.thread)
        }
        return try Reply.page(found.with(bodies), list: "hot-boards", filter: "", context: context)
    }

    /// `GET /me/genres` → 200.
    @Sendable private func genres(_ request: Request, context: SiteContext) async throws -> Reply {
        try Reply.json(.ok, ["genres": try await store.genres(of: try context.signedIn().account)])
    }

    /// `PUT /me/genres` `{genres: [slug]}` → 200; 403 `account_frozen`, 422 (`/genres/N`: `unknown_genre`, `twice`).
    @Sendable private func setGenres(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        var form = try context.form(request)
        let slugs = form.strings("genres", count: 0...Self.mostGenres, bytes: 1...100)
        if !form.has("genres") { form.fault("genres", .required, "must be given") }
        try form.check()
        return try await context.write(request) {
            try Reply.json(.ok, ["genres": try await store.set(genres: slugs, of: reader)])
        }
    }

    /// `GET /discover` → 200 with a page, `made_at`, null where no list was made yet, and `empty_because`.
    @Sendable private func discover(_ request: Request, context: SiteContext) async throws -> Reply {
        let page = try context.page(list: "discover", filter: "", key: Ranking.Place.self)
        let found = try await context.community.suggestions.discover(for: context.viewer, page: page)
        let books = try await context.items(found.page.items.map(\.book))
        let bodies = zip(found.page.items, books).map { discovery, book in
            DiscoveryBody(place: discovery.place, book: book, reason: ReasonBody(discovery.reason))
        }
        return try Reply.page(
            found.page.with(bodies), list: "discover", filter: "", context: context,
            also: ["made_at": found.asOf, "empty_because": found.emptiness?.rawValue])
    }

    private struct BoardBody: Encodable, Sendable {
        let place: Int
        let book: Catalog.Routes.ItemBody
        let writerCount: Int?
        let isFew: Bool
        let thread: Boards.ShownThread?
    }

    private struct DiscoveryBody: Encodable, Sendable {
        let place: Int
        let book: Catalog.Routes.ItemBody
        let reason: ReasonBody
    }

    struct ReasonBody: Encodable, Sendable {
        let kind: String
        var because: Catalog.Book?
        var genre: Ranking.Genre?
        var why: Ranking.EntryBody.Why?

        init(_ reason: Ranking.Discovery.Reason) {
            switch reason {
            case .suggested(let book, let readers):
                (kind, because, why) = ("suggestion", book, .init(readers: readers, usual: nil, isOfFriends: false))
            case .genre(let genre, let entry):
                (kind, self.genre, why) = ("genre", genre, .init(entry, isOfFriends: false))
            case .trending(let entry): (kind, why) = ("trending", .init(entry, isOfFriends: false))
            case .board(let writers): (kind, why) = ("board", .init(readers: writers, usual: nil, isOfFriends: false))
            case .new(let readers): (kind, why) = ("new", .init(readers: readers, usual: nil, isOfFriends: false))
            case .popular: kind = "popular"
            }
        }
    }
}
