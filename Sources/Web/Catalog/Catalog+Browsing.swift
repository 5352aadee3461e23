import Community
import HTTPTypes
import Hummingbird
import JSONWriting

extension Catalog.Routes {
    func addBrowsing(to routes: inout RouteTable) {
        routes.get(
            "/books",
            summary:
                "Books in an order, of a genre, a subject, an author and so on. Without an order: the most popular first.",
            query: Self.filters + QueryParameter.paging, reply: .page(Self.item), books)
        routes.get(
            "/authors/{author}", summary: "An author. The author's books: /books?author=ID.", reply: Self.authorPage,
            author)
        routes.get("/editions/{edition}", summary: "One edition.", reply: Self.editionPage, edition)
        routes.get("/series/{series}", summary: "A series.", reply: Self.seriesPage, series)
        routes.get(
            "/series/{series}/books", summary: "The books of a series in its order.", query: QueryParameter.paging,
            reply: .page(Self.seriesItem), seriesBooks)
    }

    private static let filters =
        [
            QueryParameter(
                "sort", .choice(Catalog.Browse.Order.allCases.map(\.rawValue)),
                "popularity (reader_count + 3 × recommendation_count), rating, newest, title (A to Z, articles ignored), author (A to Z by last name) or "
                    + "length (shortest first)."),
            QueryParameter("genre", .string(1...100), "A genre's slug: see /genres."),
        ] + traits

    /// What books can be filtered by wherever they stand.
    static let traits =
        [
            QueryParameter("subject", .string(1...Limits.catalog.subject), "A heading, however written."),
            QueryParameter("author", .id, "An author's id."),
            QueryParameter("publisher", .string(Limits.catalog.publisher), "A publisher's name, however written."),
        ] + facts

    /// What books can be filtered by also where they are searched for.
    static let facts = [
        QueryParameter("language", .string(2...35), "A language of the work or of one of its editions, such as en."),
        QueryParameter("year_from", .integer(Limits.catalog.year), "First published in this year or later."),
        QueryParameter("year_to", .integer(Limits.catalog.year), "First published in this year or earlier."),
        QueryParameter("pages_from", .integer(Limits.catalog.pages), "At least this long."),
        QueryParameter("pages_to", .integer(Limits.catalog.pages), "At most this long."),
        QueryParameter("kind", kind, "Of this medium."),
    ]

    /// `GET /books?sort&genre&…&limit&cursor` → 200 with a page, 20 books where `limit` is left out; 400 `invalid_cursor` for a cursor of
    /// another order or filter, 422. Where few books meet a combination a page may be short and still have a `next_cursor`.
    @Sendable private func books(_ request: Request, context: SiteContext) async throws -> Reply {
        let query = try context.query()
        let order = try query.choice("sort", Catalog.Browse.Order.self) ?? .popularity
        let filter = try Self.filter(query)
        if order == .popularity, filter.isEmpty {
            let page = try await store.books(try context.page(list: "books", key: Catalog.Popularity.self))
            let bodies = page.with(try await context.items(page.items))
            return try Reply.page(bodies, list: "books", context: context)
        }
        let list = "books." + order.rawValue
        let page = try await store.browse(
            order, filter, try context.page(list: list, filter: filter.text, key: Catalog.Browse.Place.self))
        let bodies = page.with(try await context.items(page.items))
        return try Reply.page(bodies, list: list, filter: filter.text, context: context)
    }

    private static func filter(_ query: Query) throws(Failure) -> Catalog.Browse.Filter {
        var filter = Catalog.Browse.Filter()
        filter.genre = try query.text("genre", bytes: 1...100)
        try read(traits: query, into: &filter)
        return filter
    }

    /// Reads the parameters of `traits`.
    static func read(traits query: Query, into filter: inout Catalog.Browse.Filter) throws(Failure) {
        filter.subject = try query.text("subject", bytes: 1...Limits.catalog.subject)
        if let text = query["author"] {
            guard let id = ID<Catalog.Author>(text: text) else {
                throw .invalid("?author", .badFormat, "must be an author's id")
            }
            filter.author = id
        }
        filter.publisher = try query.text("publisher", bytes: Limits.catalog.publisher)
        try read(facts: query, into: &filter)
    }

    /// Reads the parameters of `facts`.
    static func read(facts query: Query, into filter: inout Catalog.Browse.Filter) throws(Failure) {
        filter.language = try query.text("language", bytes: 2...35)
        filter.years = try range(query, "year", Limits.catalog.year)
        filter.pages = try range(query, "pages", Limits.catalog.pages)
        filter.kind = try query.choice("kind", Catalog.WorkKind.self)
    }

    private static func range(
        _ query: Query, _ name: String, _ bounds: ClosedRange<Int>
    ) throws(Failure) -> ClosedRange<Int>? {
        let from = try query.integer(name + "_from", in: bounds)
        let to = try query.integer(name + "_to", in: bounds)
        guard from != nil || to != nil else { return nil }
        let (lower, upper) = (from ?? bounds.lowerBound, to ?? bounds.upperBound)
        guard lower <= upper else {
            throw .invalid("?\(name)_to", .outOfRange, "must not be less than \(name)_from")
        }
        return lower...upper
    }

    /// `GET /authors/{author}` → 200; 404. One that was merged into another answers with that other one and `Content-Location`.
    @Sendable private func author(_ request: Request, context: SiteContext) async throws -> Reply {
        let asked = try context.id("author", as: Catalog.Author.self)
        let page = try await store.author(asked, for: context.identity?.account)
        return try Reply.json(.ok, AuthorBody(page: page)).located("/authors/\(page.id)", unless: page.id == asked)
    }

    /// `GET /editions/{edition}` → 200; 404. One that was merged into another answers with that other one and `Content-Location`.
    @Sendable private func edition(_ request: Request, context: SiteContext) async throws -> Reply {
        let asked = try context.id("edition", as: Catalog.Edition.self)
        let page = try await store.edition(asked)
        let id = page.facts.id
        return try Reply.json(.ok, EditionBody(page: page)).located("/editions/\(id)", unless: id == asked)
    }

    /// `GET /series/{series}` → 200; 404.
    @Sendable private func series(_ request: Request, context: SiteContext) async throws -> Reply {
        let id = try context.id("series", as: Catalog.Series.self)
        let page = try await store.series(id, for: context.identity?.account)
        return try Reply.json(.ok, SeriesBody(id: page.id, name: page.name, isFollowed: page.isFollowed))
    }

    /// `GET /series/{series}/books` → 200 with a page; an unknown series has none.
    @Sendable private func seriesBooks(_ request: Request, context: SiteContext) async throws -> Reply {
        let series = try context.id("series", as: Catalog.Series.self)
        let page = try await store.books(
            in: series,
            try context.page(list: "series.books", filter: series.text, key: Catalog.SeriesPlace.self))
        let items = zip(page.items, try await context.items(page.items.map(\.book))).map {
            SeriesItemBody(position: $0.position, book: $1)
        }
        let bodies = page.with(items)
        return try Reply.page(bodies, list: "series.books", filter: series.text, context: context)
    }
}

extension Catalog.Routes {
    struct AuthorBody: JSONForm, Sendable {
        let page: Catalog.AuthorPage

        func put(into object: JSONObject) {
            object.put("id", page.id)
            object.put("name", page.name)
            object.put("aliases", page.aliases)
            object.put("birth", page.birth)
            object.put("death", page.death)
            object.put("description", page.description)
            object.put("book_count", page.books)
            object.put("locked", page.locked)
            object.put("version", page.version)
            object.put("is_followed", page.isFollowed)
        }
    }

    struct EditionBody: JSONForm, Sendable {
        let page: Catalog.EditionPage

        func put(into object: JSONObject) {
            let facts = page.facts
            object.put("id", facts.id)
            object.put("title", facts.title)
            object.put("subtitle", facts.subtitle)
            object.put("publisher", facts.publisher)
            object.put("published", facts.published)
            object.put("year", facts.year)
            object.put("pages", facts.pages)
            object.put("minutes", facts.minutes)
            object.put("language", facts.language)
            object.put("format", facts.format)
            object.put("isbn13", facts.isbns.first?.text)
            object.put("isbns", facts.isbns.map(\.text))
            object.put("contributors", page.contributors)
            object.put("access_modes", facts.modes)
            object.put("accessibility_features", facts.features)
            object.put("accessibility_hazards", facts.hazards)
            object.put("accessibility_summary", facts.summary)
            object.put("locked", page.locked)
            object.put("version", page.version)
            object.put("book_id", page.work)
        }
    }

    struct SeriesBody: Encodable, Sendable {
        let id: ID<Catalog.Series>
        let name: String
        let isFollowed: Bool
    }

    struct SeriesItemBody: Encodable, Sendable {
        let position: String?
        let book: ItemBody
    }

    static let authorPage = Schema.object(
        "Author",
        [
            "id": .id, "name": .orNull(.string), "aliases": .array(.string), "birth": .orNull(.string),
            "death": .orNull(.string), "description": .orNull(.string), "book_count": .integer,
            "locked": .array(.string),
            "version": .integer, "is_followed": .boolean,
        ])

    static let editionPage = edition.adding(
        ["book_id": .id, "locked": .array(.string), "version": .integer], as: "EditionPage")

    static let series = Schema.object("Series", ["id": .id, "name": .string])

    static let seriesPage = series.adding(["is_followed": .boolean], as: "SeriesPage")

    static let seriesItem = Schema.object("SeriesItem", ["position": .orNull(.string), "book": item])
}

extension Reply {
    /// The same reply with `Content-Location`: where what it shows really lives.
    func located(_ path: String, unless isThere: Bool) -> Reply {
        guard !isThere else { return self }
        var reply = self
        reply.headers[.contentLocation] = "/api/v1" + path
        return reply
    }
}
