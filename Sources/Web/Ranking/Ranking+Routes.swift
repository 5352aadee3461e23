import Community
import HTTPTypes
import Hummingbird
import Postgres

extension Ranking {
    /// What the community reads now, over HTTP.
    package struct Routes: Sendable {
        private let site: Site

        package init(_ site: Site) { self.site = site }

        package func add(to routes: inout RouteTable) {
            routes.get(
                "/trending",
                summary: """
                    Books that are read more than is usual, most unusual first; where there are few, filled up with the most read of this \
                    week. `why` says how many read it and how many would be usual. Of friends: what they read, as far as you may see it. What \
                    was read most of all time `GET /books?sort=popularity` tells. \
                    A page goes on in the list that it began in for an hour; then behind the same place of the newest.
                    """,
                query: [
                    Self.window, QueryParameter("genre", .string(1...100), "A genre's slug: see /genres."),
                    Praise.Routes.circle,
                ] + QueryParameter.pages,
                reply: .page(
                    Self.entry, also: ["window": .choice(Span.allCases.map(\.rawValue)), "made_at": .orNull(.time)]),
                trending)
            addDiscovery(to: &routes)
            routes.area(Moderation.Routes.area) { addModeration(to: &$0) }
        }

        private func addModeration(to routes: inout RouteTable) {
            routes.get(
                "/books/{book}/ranking",
                access: .reader,
                summary: "Why a book stands where it does in what is trending, in numbers. For moderators.",
                query: [Self.window], reply: Self.explanation, explain)
            routes.put(
                "/books/{book}/ranking-hold", access: .reader,
                summary: "Keep a book out of all rankings until a time, a year ahead at most. For moderators.",
                body: .object("NewRankingHold", ["reason": .string(Limits.moderation.reason), "until": .time]),
                reply: .object("RankingHold", ["reason": .string, "until": .time]), hold)
            routes.delete(
                "/books/{book}/ranking-hold", summary: "Let a book into rankings again. For moderators.",
                query: [Boards.Routes.because], release)
        }

        var store: Store { site.community.ranking }

        private static let window = QueryParameter(
            "window", .choice(Span.allCases.map(\.rawValue)), "`week` where it is left out.")

        /// `GET /trending?window&genre&of` → 200 with a page, `window`, and `made_at`: null where no list was made yet; 401 for friends without
        /// signing in.
        @Sendable private func trending(_ request: Request, context: SiteContext) async throws -> Reply {
            let query = try context.query()
            let span = try query.choice("window", Span.self) ?? .week
            let genre = try query.text("genre", bytes: 1...100)
            let circle = try context.circle()
            let filter = [span.rawValue, circle.rawValue, genre ?? ""].joined(separator: " ")
            let page = try context.page(list: "trending", filter: filter, key: Place.self)
            let found =
                switch circle {
                case .all: try await store.list(span, genre: genre, page: page)
                case .friends:
                    try await store.amongFriends(
                        of: try context.signedIn().account, span, genre: genre, page: page)
                }
            let books = try await context.items(found.page.items.map(\.book))
            let bodies = zip(found.page.items, books).map {
                EntryBody($0.entry, book: $1, isOfFriends: circle == .friends)
            }
            return try Reply.page(
                found.page.with(bodies), list: "trending", filter: filter, context: context,
                also: ["window": span.rawValue, "made_at": found.asOf])
        }

        /// `GET /books/{book}/ranking?window` → 200; 403 `not_moderator`, 404.
        @Sendable private func explain(_ request: Request, context: SiteContext) async throws -> Reply {
            guard try context.signedIn().role >= .moderator else { throw Failure.notModerator }
            let book = try context.id("book", as: Catalog.Work.self)
            let span = try context.query().choice("window", Span.self) ?? .week
            return try Reply.json(.ok, try await store.explain(book, span))
        }

        /// `PUT /books/{book}/ranking-hold` `{reason, until}` → 201, 200 where it was held; 403 `not_moderator`, `account_frozen`, 404, 422.
        @Sendable private func hold(_ request: Request, context: SiteContext) async throws -> Reply {
            let identity = try context.signedIn()
            let book = try context.id("book", as: Catalog.Work.self)
            var form = try context.form(request)
            let reason = form.string("reason", bytes: 1...Limits.moderation.reason.upperBound * 4)
            let until = Timestamp(text: form.string("until", bytes: 1...40))
            if form.has("until"), until == nil {
                form.fault("until", .badFormat, "must be like 2026-01-31T09:30:00Z")
            }
            try form.check()
            guard let until else { throw Failure.invalid("/until", .required, "must be given") }
            return try await context.write(request) {
                let (held, isNew) = try await store.hold(book, until: until, by: identity, reason: reason)
                return try Reply.json(isNew ? .created : .ok, held)
            }
        }

        /// `DELETE /books/{book}/ranking-hold?reason=…` → 204; 403 as holding, 404 where it is not held.
        /// Refused with `not_moderator` too.
        @Sendable private func release(_ request: Request, context: SiteContext) async throws -> Reply {
            let identity = try context.signedIn()
            let book = try context.id("book", as: Catalog.Work.self)
            let reason = try context.reason(request) ?? "no reason given"
            return try await context.write(request) {
                try await store.release(book, by: identity, reason: reason)
                return .noContent
            }
        }

        private static let explanation = Schema.object(
            "RankingExplanation",
            [
                "book_id": .id, "window": .choice(Span.allCases.map(\.rawValue)), "made_at": .time,
                "fast": .number, "slow": .number, "growth": .number, "expected": .number, "score": .number,
                "reader_count": .integer, "minimum": .integer, "place": .orNull(.integer),
                "hold_ends_at": .orNull(.time),
                "days": .array(
                    .object("RankingDay", ["day": .date, "unit_count": .integer, "reader_count": .integer])),
                "left_out": .object(
                    "RankingLeftOut",
                    [
                        "undone": .integer, "uncounted": .integer, "long_ago": .integer, "not_new": .integer,
                        "too_many": .integer,
                    ]),
            ])

        static let why = Schema.object(
            "TrendingWhy", ["reader_count": .orNull(.integer), "usual_count": .orNull(.integer), "is_few": .boolean])

        static let entry = Schema.object(
            "TrendingBook",
            [
                "place": .integer, "book": Catalog.Routes.item, "why": why, "moved": .orNull(.integer),
                "is_popular": .boolean,
            ])
    }

    struct EntryBody: Encodable, Sendable {
        struct Why: Encodable, Sendable {
            /// `nil` where they are few.
            let readerCount: Int?
            let usualCount: Int?
            let isFew: Bool

            /// Of strangers a number below `Limits.ranking.few` is not told; friends are there to be seen.
            init(readers: Int, usual: Int?, isOfFriends: Bool) {
                isFew = readers < Limits.ranking.few
                readerCount = isFew && !isOfFriends ? nil : readers
                usualCount = isFew ? nil : usual
            }

            init(_ entry: Entry, isOfFriends: Bool) {
                self.init(
                    readers: entry.readers, usual: entry.isPopular ? nil : entry.usual, isOfFriends: isOfFriends)
            }
        }

        let place: Int
        let book: Catalog.Routes.ItemBody
        let why: Why
        let moved: Int?
        let isPopular: Bool

        init(_ entry: Entry, book: Catalog.Routes.ItemBody, isOfFriends: Bool) {
            place = entry.place
            self.book = book
            why = Why(entry, isOfFriends: isOfFriends)
            moved = entry.moved
            isPopular = entry.isPopular
        }
    }
}
