import Community
import Hummingbird

/// What stands after the `?`; in the namespace `Search`, `Query` is what is looked for.
typealias QueryString = Query

extension Search {
    /// Finding books over HTTP.
    package struct Routes: Sendable {
        private let site: Site

        package init(_ site: Site) { self.site = site }

        package func add(to routes: inout RouteTable) {
            routes.get(
                "/search", limit: .search,
                summary:
                    "Books by words of title, author, series, genre and subject, the last one as a beginning unless a space follows it, or by ISBN. "
                    + "Everything given must hold; misspelt words are corrected. The list ends with the 200 most popular matches and those of that title.",
                query: Self.parameters + QueryParameter.pages,
                reply: .page(
                    Self.hit, name: "SearchPage",
                    also: [
                        "showing_results_for": .orNull(.string), "ignored": .array(.string), "notice": .orNull(.string),
                    ]), search)
            routes.get(
                "/search/suggest", limit: .search, summary: "Books for what has been typed so far, best first.",
                query: [
                    QueryParameter("q", .string(Limits.catalog.query), "What has been typed.", isRequired: true),
                    QueryParameter(
                        "limit", .integer(Limits.search.suggestions),
                        "Suggestions at most, \(Limits.search.defaultSuggestions) where it is left out."),
                ],
                reply: .object(
                    "Suggestions", ["items": .array(Reviews.Routes.book), "showing_results_for": .orNull(.string)]),
                suggest)
            routes.get(
                "/me/searches", access: .reader,
                summary: """
                    What you searched for lately, latest first, with all that was asked: `path` asks it again. Nobody else sees it.
                    """,
                query: QueryParameter.paging, reply: .page(Self.recent), recent)
            routes.delete("/me/searches", summary: "Forget all your searches.", forgetAll)
            routes.delete("/me/searches/{search}", summary: "Forget one of your searches.", forget)
        }

        private var store: Store { site.community.search }

        /// `GET /search?q&title&author&subject&publisher&genre&isbn&sort&is_remembered&limit&cursor` → 200 with a page; 400
        /// `invalid_cursor`, 422.
        ///
        /// The first page of a signed-in reader's search is kept among the reader's recent searches, with all that was
        /// asked, unless `is_remembered=false`.
        @Sendable private func search(_ request: Request, context: SiteContext) async throws -> Reply {
            let parameters = try context.query()
            let query = try Self.query(parameters)
            let filter = query.identity
            let page = try context.page(list: "search", filter: filter, key: Place.self)
            let isKept = try parameters.boolean("is_remembered") ?? true
            async let remembered: Void = isKept ? remember(parameters, page, context) : ()
            let answer = try await store.search(query, page: page)
            try await remembered
            let books = try await context.items(answer.page.items.map(\.book))
            let hits = answer.page.with(books)
            return try Reply.page(
                hits, list: "search", filter: filter, context: context,
                also: [
                    "showing_results_for": answer.corrected, "ignored": answer.ignored, "notice": answer.notice,
                ])
        }

        private func remember(
            _ parameters: QueryString, _ page: PageRequest<Place>, _ context: SiteContext
        ) async throws {
            guard let reader = context.identity?.account, case .first = page.start else { return }
            let names = Set(Self.parameters.map(\.name)).subtracting(["is_remembered"])
            let values = parameters.names.filter(names.contains).map { ($0, parameters[$0] ?? "") }
            let asked = Asked(Dictionary(values) { first, _ in first })
            try await store.remember(asked, of: reader)
        }

        /// `GET /search/suggest?q&limit` → 200 `{items, showing_results_for}`; 422.
        @Sendable private func suggest(_ request: Request, context: SiteContext) async throws -> Reply {
            let parameters = try context.query()
            guard let text = try parameters.text("q", bytes: Limits.catalog.query) else { throw Self.nothingAsked }
            let limit =
                try parameters.integer("limit", in: Limits.search.suggestions) ?? Limits.search.defaultSuggestions
            let answer = try await store.suggest(text, limit: limit)
            let books = try await context.items(answer.page.items.map(\.book)).map(\.book)
            return try Reply.json(.ok, SuggestionsBody(items: books, showingResultsFor: answer.corrected))
        }

        /// `GET /me/searches?limit&cursor` → 200 with a page; 400 `invalid_cursor`, 401, 422.
        @Sendable private func recent(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            let page = try await store.recent(
                of: reader, page: try context.page(list: "searches", filter: reader.text, key: RecentPlace.self))
            let bodies = page.map(RecentBody.init)
            return try Reply.page(bodies, list: "searches", filter: reader.text, context: context)
        }

        /// `DELETE /me/searches` → 204, also where there are none; 401.
        @Sendable private func forgetAll(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            return try await context.write(request) {
                try await store.forgetAll(of: reader)
                return .noContent
            }
        }

        /// `DELETE /me/searches/{search}` → 204; 401, 404.
        @Sendable private func forget(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            let search = try context.id("search", as: RecentSearch.self)
            return try await context.write(request) {
                try await store.forget(search, of: reader)
                return .noContent
            }
        }

        // MARK: What is asked

        private static let nothingAsked = Failure.invalid("?q", .required, "must be given")

        static let parameters =
            [
                QueryParameter(
                    "q", .string(Limits.catalog.query), "What to look for. This or one of the fields must be given."),
                QueryParameter("title", .string(Limits.catalog.query), "Words of a title."),
                QueryParameter("author", .string(Limits.catalog.query), "Words of an author's names."),
                QueryParameter("publisher", .string(Limits.catalog.query), "Words of a publisher's name."),
                QueryParameter("subject", .string(Limits.catalog.query), "Words of a subject or genre."),
                QueryParameter("genre", .string(Limits.catalog.query), "A genre, by slug or name."),
                QueryParameter("isbn", .string(Limits.catalog.query), "ISBN-10 or ISBN-13, with or without hyphens."),
                QueryParameter(
                    "sort", .choice(Sort.allCases.map(\.rawValue)),
                    "`relevance` where it is left out; the others as those of /books."),
                QueryParameter(
                    "is_remembered", .boolean, "`false`: not to be kept among your recent searches."),
            ] + Catalog.Routes.facts

        /// Throws `.invalid` with every fault, `?q` `required` where nothing is asked.
        private static func query(_ parameters: QueryString) throws -> Search.Query {
            var texts: [Field: String] = [:]
            for field in Field.allCases {
                texts[field] = try parameters.text(field.rawValue, bytes: Limits.catalog.query)
            }
            var isbn: ISBN?
            if let text = try parameters.text("isbn", bytes: Limits.catalog.query) {
                do throws(ISBN.Fault) {
                    isbn = try ISBN(text)
                } catch {
                    throw Failure.invalid("?isbn", .badFormat, ISBN.explanation(error))
                }
            }
            guard !texts.isEmpty || isbn != nil else { throw nothingAsked }
            var filter = Catalog.Browse.Filter()
            try Catalog.Routes.read(facts: parameters, into: &filter)
            return Search.Query(
                texts, isbn: isbn, sort: try parameters.choice("sort", Sort.self) ?? .relevance, filter: filter)
        }
    }
}
