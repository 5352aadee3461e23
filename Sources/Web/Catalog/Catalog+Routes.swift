import Community
import Hummingbird
import NIOCore

extension Catalog {
    /// Browsing and finding books over HTTP.
    package struct Routes: Sendable {
        private let site: Site

        package init(_ site: Site) { self.site = site }

        package func add(to routes: inout RouteTable) {
            routes.get(
                "/books", summary: "Books, most read first.", query: QueryParameter.paging, reply: .page(Self.item),
                books)
            routes.get(
                "/books/{book}",
                summary: "The page of a book: what the catalogue knows of it and what readers make of it.",
                reply: Self.book, book)
            routes.get(
                "/search", limit: .search,
                summary:
                    "Books by words of title and author, the last one as a beginning, or by ISBN in any written form.",
                query: [
                    QueryParameter("q", .string(Limits.Catalog.query), "What to look for.", isRequired: true),
                    QueryParameter(
                        "limit", .integer(Limits.Catalog.results), "Results at most, 20 where it is left out."),
                ],
                reply: .object("SearchResults", ["items": .array(Self.item)]), search)
            routes.get("/genres", summary: "Genres that have books, most books first.", reply: Self.genres, genres)
        }

        private var store: Store { site.community.catalog }

        /// `GET /books?limit&cursor` → 200 with a page, 20 books where `limit` is left out; 400 `invalid_cursor`, 422.
        @Sendable private func books(_ request: Request, context: SiteContext) async throws -> Reply {
            let page = try await store.books(try context.page(list: "books", key: Popularity.self))
            let bodies = Page(items: page.items.map(ItemBody.init), next: page.next, previous: page.previous)
            return try Reply.page(bodies, list: "books", context: context)
        }

        /// `GET /books/{book}` → 200; 404. A book that was merged into another answers with that other one's page.
        @Sendable private func book(_ request: Request, context: SiteContext) async throws -> Reply {
            let page = try await store.book(try context.id("book", as: Work.self))
            var shelf: Library.Status?
            if let reader = context.identity?.account {
                shelf = try await site.community.library.statuses(of: [page.id], for: reader)[page.id]
            }
            return Reply(
                status: .ok, headers: [.contentType: "application/json"],
                content: .bytes(Self.encode(page, shelf: shelf)))
        }

        /// `GET /search?q&limit` → 200 `{items}`, at most 50; 422.
        @Sendable private func search(_ request: Request, context: SiteContext) async throws -> Reply {
            let query = try context.query()
            guard let text = try query.text("q", bytes: Limits.Catalog.query) else {
                throw Failure.invalid("?q", "required", "must be given")
            }
            let limit = try query.integer("limit", in: Limits.Catalog.results) ?? Limits.defaultPage
            let found = try await store.search(text, limit: limit)
            return try Reply.json(.ok, ["items": found.map(ItemBody.init)])
        }

        /// `GET /genres` → 200 `{items}`, a few dozen.
        @Sendable private func genres(_ request: Request, context: SiteContext) async throws -> Reply {
            try Reply.json(.ok, ["items": try await store.genres().map(GenreBody.init)])
        }

        /// The stored half, then what changes with every rating, written by hand: this is the most read page of all.
        static func encode(_ page: BookPage, shelf: Library.Status?) -> ByteBuffer {
            var buffer = ByteBuffer()
            buffer.reserveCapacity(page.document.count + 192)
            buffer.writeBytes(page.document)
            buffer.writeStaticString(",\"rating\":{\"average\":")
            if let average = page.rating.average {
                buffer.writeString("\(average)")
            } else {
                buffer.writeStaticString("null")
            }
            buffer.writeStaticString(",\"count\":")
            buffer.writeString(String(page.rating.count))
            buffer.writeStaticString(",\"histogram\":[")
            if page.rating.histogram.count == 20 {
                for (index, count) in page.rating.histogram.enumerated() {
                    if index > 0 { buffer.writeStaticString(",") }
                    buffer.writeString(String(count))
                }
            } else {
                buffer.writeStaticString("0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0")
            }
            buffer.writeStaticString("]},\"readers\":")
            buffer.writeString(String(page.readers))
            buffer.writeStaticString(",\"shelves\":{\"want\":")
            buffer.writeString(String(page.shelves.want))
            buffer.writeStaticString(",\"reading\":")
            buffer.writeString(String(page.shelves.reading))
            buffer.writeStaticString(",\"read\":")
            buffer.writeString(String(page.shelves.read))
            buffer.writeStaticString("},\"shelf\":")
            if let shelf {
                buffer.writeString("\"\(shelf.rawValue)\"")
            } else {
                buffer.writeStaticString("null")
            }
            buffer.writeStaticString("}")
            return buffer
        }
    }
}
