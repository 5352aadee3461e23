import Community
import Hummingbird
import NIOCore

extension Catalog {
    /// Browsing and finding books over HTTP.
    package struct Routes: Sendable {
        let site: Site

        package init(_ site: Site) { self.site = site }

        package func add(to routes: inout RouteTable) {
            addBrowsing(to: &routes)
            addHelping(to: &routes)
            addDeciding(to: &routes)
            routes.get(
                "/books/{book}",
                summary: "The page of a book: what the catalogue knows of it and what readers make of it.",
                reply: Self.book, book)
            routes.get("/genres", summary: "Genres that have books, most books first.", reply: Self.genres, genres)
        }

        var store: Store { site.community.catalog }

        /// `GET /books/{book}` → 200; 404. A book that was merged into another answers with that other one's page and
        /// `Content-Location`.
        @Sendable private func book(_ request: Request, context: SiteContext) async throws -> Reply {
            let asked = try context.id("book", as: Work.self)
            let page = try await store.book(asked)
            var mine = Library.Glance.nothing
            if let reader = context.identity?.account {
                mine = try await site.community.library.glance(at: page.id, by: reader)
            }
            let reply = Reply(
                status: .ok, headers: [.contentType: "application/json"],
                content: .bytes(Self.encode(page, base: context.base, mine: mine)))
            return reply.located("/books/\(page.id)", unless: page.id == asked)
        }

        /// `GET /genres` → 200 `{items}`, a few dozen.
        @Sendable private func genres(_ request: Request, context: SiteContext) async throws -> Reply {
            try Reply.json(.ok, ["items": try await store.genres().map(GenreBody.init)])
        }

        /// The stored half, then what changes with every rating, written by hand: this is the most read page of all.
        static func encode(_ page: BookPage, base: String, mine: Library.Glance) -> ByteBuffer {
            var buffer = ByteBuffer()
            buffer.reserveCapacity(page.document.count + base.utf8.count + 192)
            if let mark = page.document.firstIndex(of: 0) {
                buffer.writeBytes(page.document[..<mark])
                buffer.writeString(base)
                buffer.writeBytes(page.document[(mark + 1)...])
            } else {
                buffer.writeBytes(page.document)
            }
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
            buffer.writeStaticString(",\"recommends\":")
            buffer.writeString(String(page.recommends))
            buffer.writeStaticString(",\"shelves\":{\"want\":")
            buffer.writeString(String(page.shelves.want))
            buffer.writeStaticString(",\"reading\":")
            buffer.writeString(String(page.shelves.reading))
            buffer.writeStaticString(",\"read\":")
            buffer.writeString(String(page.shelves.read))
            buffer.writeStaticString("},\"checkouts\":")
            buffer.writeString(String(page.checkouts))
            buffer.writeStaticString(",\"shelf\":")
            buffer.writeString(mine.status.map { "\"\($0.rawValue)\"" } ?? "null")
            buffer.writeStaticString(",\"position\":")
            buffer.writeString(mine.position.map { String($0) } ?? "null")
            buffer.writeStaticString(",\"my_rating\":")
            buffer.writeString(mine.rating.map { String($0.stars) } ?? "null")
            buffer.writeStaticString(mine.isFavourite ? ",\"favourite\":true" : ",\"favourite\":false")
            buffer.writeStaticString(mine.isRecommended ? ",\"recommended\":true" : ",\"recommended\":false")
            buffer.writeStaticString(",\"version\":")
            buffer.writeString(String(page.version))
            buffer.writeStaticString("}")
            return buffer
        }
    }
}
