import Community
import Hummingbird
import Postgres

extension Sources {
    /// Books that are not there yet, over HTTP.
    package struct Routes: Sendable {
        private let site: Site

        package init(_ site: Site) { self.site = site }

        package func add(to routes: inout RouteTable) {
            routes.post(
                "/books/lookup", limit: .search,
                summary:
                    "Add a book without typing: by ISBN, or by title and author, from the catalogues that this server asks.",
                body: Self.question, status: .ok, reply: Self.answer, lookUp)
            routes.get(
                "/books/{book}/sources", summary: "Which catalogues a book's facts came from.",
                reply: .object("BookSources", ["items": .array(Self.origin)]), origins)
        }

        /// `POST /books/lookup` `{"isbn": "…"}` or `{"title": "…", "author": "…"}` → 200, also where nothing was found;
        /// 403, 422, 429. Takes up to ten seconds where other catalogues are slow.
        @Sendable private func lookUp(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            var form = try context.form(request)
            let code = form.optionalString("isbn", bytes: 1...Limits.catalog.code)
            let title = form.optionalString("title", bytes: Limits.sources.question)
            let author = form.optionalString("author", bytes: Limits.sources.question)
            var isbn: ISBN?
            if let code {
                switch ISBN.Reading(code).outcome {
                case .isbn(let read, _, _): isbn = read
                case .other(let article): form.fault("isbn", .mismatch, article.detail)
                case .faulty(let why): form.fault("isbn", .badFormat, why.detail)
                }
                if title != nil { form.fault("title", .unknown, "Give an ISBN or a title, not both.") }
            } else if title == nil, !form.has("title") {
                form.fault("isbn", .required, "Give an ISBN or a title.")
            }
            try form.check()
            let question = isbn.map { Question.isbn($0) } ?? .title(title ?? "", author: author)
            // Before the transaction of an idempotency key: this waits for the network.
            let answer = try await site.community.sources.lookUp(question, for: reader)
            return try await context.write(request) {
                try Reply.json(.ok, AnswerBody(answer, try await context.items(answer.books)))
            }
        }

        /// `GET /books/{book}/sources` → 200 `{items}`, the newest first; 404.
        @Sendable private func origins(_ request: Request, context: SiteContext) async throws -> Reply {
            let origins = try await site.community.sources.origins(of: try context.id("book", as: Catalog.Work.self))
            return try Reply.json(.ok, ["items": origins.map(OriginBody.init)])
        }

        private struct AnswerBody: Encodable, Sendable {
            struct Asked: Encodable {
                let source: String
                let outcome: String
            }

            let items: [Catalog.Routes.ItemBody]
            let asked: [Asked]
            let reason: String?

            init(_ answer: Answer, _ items: [Catalog.Routes.ItemBody]) {
                self.items = items
                asked = answer.asked.map { Asked(source: $0.source.rawValue, outcome: $0.outcome.rawValue) }
                reason = answer.reason?.rawValue
            }
        }

        private struct OriginBody: Encodable, Sendable {
            let source: String
            let key: String
            let editionID: ID<Catalog.Edition>
            let page: String
            let fetchedAt: Timestamp

            init(_ origin: Origin) {
                source = origin.source.rawValue
                key = origin.key
                editionID = origin.edition
                page = origin.page
                fetchedAt = origin.fetchedAt
            }
        }

        private static let source = Schema.choice(Name.allCases.map(\.rawValue))

        private static let question = Schema.object(
            "BookQuestion", [:],
            optional: [
                "isbn": .orNull(.string(1...Limits.catalog.code)), "title": .orNull(.string(Limits.sources.question)),
                "author": .orNull(.string(Limits.sources.question)),
            ])

        private static let answer = Schema.object(
            "BookAnswer",
            [
                "items": .array(Catalog.Routes.item),
                "asked": .array(
                    .object(
                        "SourceAsked",
                        ["source": source, "outcome": .choice(Outcome.allCases.map(\.rawValue))])),
                "reason": .orNull(.choice(Answer.Reason.allCases.map(\.rawValue))),
            ])

        private static let origin = Schema.object(
            "BookSource",
            ["source": source, "key": .string, "edition_id": .id, "page": .string, "fetched_at": .time])
    }
}
