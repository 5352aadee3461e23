import Community
import HTTPTypes
import Hummingbird

extension Volumes {
    /// Google Books' two read calls.
    package struct Routes: Sendable {
        private let site: Site

        package init(_ site: Site) { self.site = site }

        package func add(to routes: inout RouteTable) {
            routes.foreign(
                "/books/v1/volumes", summary: "Books in Google Books' form, best first.",
                query: [
                    QueryParameter(
                        "q", .string(Limits.catalog.query),
                        "Words, `\"phrases\"`, `-word`, and `intitle:`, `inauthor:`, `inpublisher:`, `subject:`, `isbn:`.",
                        isRequired: true),
                    QueryParameter(
                        "startIndex", .integer(0...Int.max),
                        "Results that are skipped; beyond \(Limits.volumes.depth) the page is empty."),
                    QueryParameter(
                        "maxResults", .integer(Limits.volumes.page),
                        "Results, \(Limits.volumes.defaultPage) where it is left out."),
                    QueryParameter("orderBy", .string, "relevance or newest."),
                    QueryParameter("langRestrict", .string, "A language, such as en."),
                    QueryParameter("printType", .string, "all, books or magazines, of which there are none."),
                    QueryParameter("filter", .string, "Any filter by e-books finds nothing: there are none."),
                    QueryParameter("projection", .string, "full, or lite: without description and categories."),
                ],
                reply: Self.list, dialect: Self.google, search)
            routes.foreign(
                "/books/v1/volumes/{volume}", summary: "One book in Google Books' form.",
                query: [QueryParameter("projection", .string, "full or lite.")], reply: Self.volume,
                dialect: Self.google, one)
        }

        /// `GET /books/v1/volumes?q` → 200 `{kind, totalItems, items}`; 400.
        @Sendable private func search(_ request: Request, context: SiteContext) async throws -> Reply {
            let choice = try Self.choice(try context.query())
            let found = try await Finder(catalog: site.community.catalog, search: site.community.search).find(choice)
            return try Reply.json(.ok, Writer(base: context.base, isLite: choice.isLite).list(found))
        }

        /// `GET /books/v1/volumes/{volume}` → 200; 404.
        @Sendable private func one(_ request: Request, context: SiteContext) async throws -> Reply {
            let work = try context.id("volume", as: Catalog.Work.self)
            let query = try context.query()
            let isLite = try Self.word(query, "projection", ["full", "lite"]) == "lite"
            let volume = try await site.community.catalog.volume(of: work)
            return try Reply.json(.ok, Writer(base: context.base, isLite: isLite).volume(volume))
        }

        /// Reads the parameters. Throws `Failure.invalid`.
        static func choice(_ query: Query) throws(Failure) -> Choice {
            guard let text = query["q"], !text.isEmpty else { throw .invalid("?q", .required, "must be given") }
            _ = try query.text("q", bytes: Limits.catalog.query)
            let start = try query.integer("startIndex", in: 0...Int.max)
            let count = try query.integer("maxResults", in: Limits.volumes.page)
            let order = try word(query, "orderBy", ["relevance", "newest"])
            let type = try word(query, "printType", ["all", "books", "magazines"])
            let filter = try word(query, "filter", ["partial", "full", "free-ebooks", "paid-ebooks", "ebooks"])
            let download = try word(query, "download", ["epub"])
            let projection = try word(query, "projection", ["full", "lite"])
            let language = query["langRestrict"].flatMap { Languages.tag($0) }
            return Choice(
                question: Question(text), start: start ?? 0, count: count ?? Limits.volumes.defaultPage,
                order: order.flatMap(Choice.Order.init(rawValue:)) ?? .relevance,
                language: language.flatMap { $0.split(separator: "-").first.map(String.init) },
                wantsWhatIsNotHere: type == "magazines" || filter != nil || download != nil,
                isLite: projection == "lite")
        }

        /// One of some words in any case (clients send `BOOKS` and `books`), hyphens and underscores alike; `nil` where
        /// it was not given.
        private static func word(_ query: Query, _ name: String, _ words: [String]) throws(Failure) -> String? {
            guard let text = query[name], !text.isEmpty else { return nil }
            let word = text.lowercased().replacing("_", with: "-")
            guard words.contains(word) else {
                throw .invalid("?" + name, .unknown, "must be one of " + words.joined(separator: ", "))
            }
            return word
        }
    }
}
