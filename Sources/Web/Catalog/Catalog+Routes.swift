import Community
import Hummingbird
import JSONWriting
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
            routes.get(
                "/genres", summary: "Genres that have books, most books first.",
                query: [
                    QueryParameter(
                        "include", .choice(GenreParts.allCases.map(\.rawValue)),
                        "`books`: the \(Limits.browse.genreBooks) books of each that are read most.")
                ], reply: Self.genres, genres)
            routes.get("/genres/{genre}", summary: "A genre. Its books: /books?genre=SLUG.", reply: Self.genre, genre)
        }

        var store: Store { site.community.catalog }

        /// `GET /books/{book}` → 200; 404. A book that was merged into another answers with that other one's page and
        /// `Content-Location`.
        @Sendable private func book(_ request: Request, context: SiteContext) async throws -> Reply {
            let asked = try context.id("book", as: Work.self)
            // Asked beside the page, since few books are merged into another; of one that is, it is asked again.
            async let unmerged = mine(of: asked, context)
            let page = try await store.book(asked)
            let mine = page.id == asked ? try await unmerged : try await mine(of: page.id, context)
            let reply = Reply(
                status: .ok, headers: [.contentType: "application/json"],
                content: .bytes(try Self.encode(page, base: context.base, mine: mine)))
            return reply.located("/books/\(page.id)", unless: page.id == asked)
        }

        /// What a book is to the caller.
        struct Mine: Sendable {
            var glance = Library.Glance.nothing
            /// `nil` for who is not signed in, or may not read photographs.
            var photos: Photos.Glance?
        }

        private func mine(of book: ID<Work>, _ context: SiteContext) async throws -> Mine {
            guard let reader = context.identity?.account else { return Mine() }
            async let glance = site.community.library.glance(at: book, by: reader)
            guard context.mayRead("photos") else { return Mine(glance: try await glance) }
            let photos = try await site.community.photos.glance(at: book, by: reader)
            return Mine(glance: try await glance, photos: photos)
        }

        /// What may stand beside a genre.
        enum GenreParts: String, CaseIterable { case books }

        /// `GET /genres?include` → 200 `{items}`, a few dozen; 422.
        @Sendable private func genres(_ request: Request, context: SiteContext) async throws -> Reply {
            let genres = try await store.genres()
            guard try context.query().choice("include", GenreParts.self) == .books else {
                return try Reply.json(.ok, ["items": genres.map { GenreBody(genre: $0) }])
            }
            let works = try await store.first(Limits.browse.genreBooks, of: genres)
            let named = try await store.items(Array(Set(works.values.joined())))
            let items = try await context.items(named)
            let books = Dictionary(items.map { ($0.item.id, $0) }) { first, _ in first }
            return try Reply.json(
                .ok,
                [
                    "items": genres.map { genre in
                        GenreBody(genre: genre, books: (works[genre.slug] ?? []).compactMap { books[$0] })
                    }
                ])
        }

        /// `GET /genres/{genre}` → 200; 404, also for one that has no books.
        @Sendable private func genre(_ request: Request, context: SiteContext) async throws -> Reply {
            let slug = try context.text("genre")
            guard let genre = try await store.genres().first(where: { $0.slug == slug }) else {
                throw Failure.notFound("genre")
            }
            return try Reply.json(.ok, GenreBody(genre: genre))
        }

        /// The stored half, then what changes with every rating, written by hand: this is the most read page of all.
        static func encode(_ page: BookPage, base: String, mine: Mine) throws -> ByteBuffer {
            var buffer = ByteBuffer()
            buffer.reserveCapacity(page.document.count + base.utf8.count + 192)
            if let mark = page.document.firstIndex(of: 0) {
                buffer.writeBytes(page.document[..<mark])
                buffer.writeString(base)
                buffer.writeBytes(page.document[(mark + 1)...])
            } else {
                buffer.writeBytes(page.document)
            }
            buffer.write(page.rating)
            buffer.writeCounters(of: page)
            try buffer.write(mine.glance)
            buffer.writeStaticString(",\"my_photos\":")
            buffer.writeBytes(try JSONWriter.bytes(mine.photos, leavesBlanks: true))
            buffer.writeStaticString(",\"version\":")
            buffer.writeString(String(page.version))
            buffer.writeStaticString("}")
            return buffer
        }
    }
}

extension ByteBuffer {
    fileprivate mutating func write(_ rating: Catalog.RatingSummary) {
        writeStaticString(",\"rating\":{\"average\":")
        if let average = rating.average {
            writeString("\(average)")
        } else {
            writeStaticString("null")
        }
        writeStaticString(",\"count\":")
        writeString(String(rating.count))
        writeStaticString(",\"histogram\":[")
        if rating.histogram.count == 20 {
            for (index, count) in rating.histogram.enumerated() {
                if index > 0 { writeStaticString(",") }
                writeString(String(count))
            }
        } else {
            writeStaticString("0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0")
        }
        writeStaticString("]}")
    }

    fileprivate mutating func writeCounters(of page: Catalog.BookPage) {
        writeStaticString(",\"reader_count\":")
        writeString(String(page.readers))
        writeStaticString(",\"recommendation_count\":")
        writeString(String(page.recommends))
        writeStaticString(",\"shelves\":{\"want\":")
        writeString(String(page.shelves.want))
        writeStaticString(",\"reading\":")
        writeString(String(page.shelves.reading))
        writeStaticString(",\"read\":")
        writeString(String(page.shelves.read))
        writeStaticString("},\"checkout_count\":")
        writeString(String(page.checkouts))
    }

    fileprivate mutating func write(_ mine: Library.Glance) throws {
        writeStaticString(",\"shelf\":")
        writeString(mine.status.map { "\"\($0.rawValue)\"" } ?? "null")
        writeStaticString(",\"position\":")
        writeString(mine.position.map { String($0) } ?? "null")
        writeStaticString(",\"my_rating\":")
        writeString(mine.rating.map { String($0.stars) } ?? "null")
        writeStaticString(mine.isFavourite ? ",\"is_favourite\":true" : ",\"is_favourite\":false")
        writeStaticString(mine.isRecommended ? ",\"is_recommended\":true" : ",\"is_recommended\":false")
        writeStaticString(mine.isCheckedOut ? ",\"is_checked_out\":true" : ",\"is_checked_out\":false")
        writeStaticString(",\"checkout_library_id\":")
        writeString(mine.lender.map { "\"\($0)\"" } ?? "null")
        writeStaticString(mine.isFollowed ? ",\"is_followed\":true" : ",\"is_followed\":false")
        writeStaticString(",\"my_lists\":")
        writeBytes(try JSONWriter.bytes(mine.lists))
    }
}
