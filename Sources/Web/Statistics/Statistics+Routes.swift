import Community
import HTTPTypes
import Hummingbird
import JSONWriting

extension Statistics {
    /// The year behind, and what was set out to be read in it, over HTTP.
    package struct Routes: Sendable {
        private let site: Site

        package init(_ site: Site) { self.site = site }

        package func add(to routes: inout RouteTable) {
            routes.get(
                "/me/statistics", access: .reader,
                summary: """
                    What you read in a year, by your own calendar: books, pages, months, authors, genres, languages, ratings and pace, your \
                    goal, and all your years. Counted from your readings: correct one, and its year is right.
                    """,
                query: [Self.year], reply: Self.statistics, mine)
            routes.get(
                "/readers/{username}/statistics",
                summary: """
                    What a reader read in a year, counted over the books that you may see; null where the reader shows you no statistics.
                    """,
                query: [Self.year],
                reply: .object(
                    "ReaderStatistics",
                    [
                        "reader": Accounts.Routes.reader, "is_private": .boolean,
                        "statistics": .orNull(Self.statistics),
                    ]), others)
            routes.get(
                "/me/goals/{year}", access: .reader,
                summary: "What you set out to read in a year, and how far you are.",
                reply: Self.goal, goal)
            routes.put(
                "/me/goals/{year}", access: .reader,
                summary: """
                    Set out to read so many books or pages in a year, or the books of a list of yours. What you sent before goes. You hear \
                    in your inbox when all of it is reached.
                    """,
                body: .object(
                    "NewGoal", [:],
                    optional: [
                        "books": .orNull(.integer(Limits.statistics.books)),
                        "pages": .orNull(.integer(Limits.statistics.pages)), "list_id": .orNull(.id),
                        "is_announced": .boolean,
                    ]), reply: Self.goal, setGoal)
            routes.delete("/me/goals/{year}", summary: "Take your goal of a year away.", dropGoal)
        }

        private var store: Store { site.community.statistics }

        private static let year = QueryParameter(
            "year", .integer(Limits.statistics.years),
            "The year; this one by the reader's calendar where it is left out.")

        /// `GET /me/statistics?year` → 200; 422.
        @Sendable private func mine(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            let year = try context.query().integer("year", in: Limits.statistics.years)
            return try Reply.json(.ok, Body(try await store.year(year, of: reader, for: .reader(reader))))
        }

        /// `GET /readers/{username}/statistics?year` → 200, with null where they are not for you; 404, 422.
        @Sendable private func others(_ request: Request, context: SiteContext) async throws -> Reply {
            let year = try context.query().integer("year", in: Limits.statistics.years)
            let (reader, shown) = try await store.year(year, of: try context.text("username"), for: context.viewer)
            return try Reply.json(.ok, OthersBody(reader: reader, shown: shown.map(Body.init)))
        }

        /// `GET /me/goals/{year}` → 200; 404.
        @Sendable private func goal(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            return try Reply.json(.ok, try await store.goal(try Self.year(of: context), of: reader))
        }

        /// `PUT /me/goals/{year}` `{books?, pages?, list_id?, is_announced?}` → 201 for the first of the year, 200 otherwise; 403 `account_frozen`, 404, 422.
        @Sendable private func setGoal(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            let year = try Self.year(of: context)
            var form = try context.form(request)
            let new = NewGoal(
                books: form.optionalInteger("books", in: Limits.statistics.books),
                pages: form.optionalInteger("pages", in: Limits.statistics.pages),
                list: form.optionalID("list_id", as: Library.List.self),
                isAnnounced: form.boolean("is_announced", default: false))
            try form.check()
            return try await context.write(request) {
                let (goal, isNew) = try await store.set(new, for: year, by: reader)
                guard isNew else { return try Reply.json(.ok, goal) }
                return try Reply.created(goal, location: "/me/goals/\(year)")
            }
        }

        /// `DELETE /me/goals/{year}` → 204, also where there is none; 403 `account_frozen`, 404.
        @Sendable private func dropGoal(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            let year = try Self.year(of: context)
            return try await context.write(request) {
                try await store.drop(year, by: reader)
                return .noContent
            }
        }

        private static func year(of context: SiteContext) throws -> Int {
            let text = try context.text("year")
            guard text.utf8.count == 4, let year = Int(text), Limits.statistics.goalYears.contains(year) else {
                throw Failure.notFound("year")
            }
            return year
        }
    }
}

extension Statistics.Routes {
    private struct OthersBody: JSONForm {
        let reader: Accounts.Reader
        let shown: Body?

        func put(into object: JSONObject) {
            object.put("reader", reader)
            object.put("is_private", shown == nil)
            object.put("statistics", shown)
        }
    }

    /// A year as it is written.
    private struct Body: JSONForm {
        let shown: Statistics.Shown

        init(_ shown: Statistics.Shown) { self.shown = shown }

        func put(into object: JSONObject) {
            let year = shown.year
            object.put("year", year.year)
            object.put("time_zone", shown.timeZone)
            object.put("reading_count", year.readingCount)
            object.put("book_count", year.bookCount)
            object.put("reread_count", year.rereadCount)
            object.put("stopped_count", year.stoppedCount)
            object.put("undated_count", shown.undatedCount)
            object.put("page_count", year.pageCount)
            object.put("unpaged_count", year.unpagedCount)
            object.put("months", year.months)
            object.put("monthless_count", year.monthlessCount)
            object.put("pace", year.pace)
            object.put("ratings", year.ratings)
            object.put("languages", year.languages)
            object.put("author_count", shown.authorCount)
            object.put("authors", shown.authors)
            object.put("genre_count", shown.genreCount)
            object.put("genres", shown.genres)
            object.put("longest", shown.longest)
            object.put("shortest", shown.shortest)
            object.put("goal", shown.goal)
            object.put("years", shown.years)
        }
    }

    private static let named = Limits.statistics.named

    private static let statistics = Schema.object(
        "Statistics",
        [
            "year": .integer(Limits.statistics.years), "time_zone": .string, "reading_count": .integer,
            "book_count": .integer, "reread_count": .integer, "stopped_count": .integer, "undated_count": .integer,
            "page_count": .integer, "unpaged_count": .integer,
            "months": .array(
                .object(
                    "StatisticsMonth", ["month": .integer(1...12), "reading_count": .integer, "page_count": .integer]),
                count: 12...12),
            "monthless_count": .integer,
            "pace": .object(
                "StatisticsPace",
                [
                    "timed_count": .integer, "days_per_book": .orNull(.number), "pages_per_day": .orNull(.number),
                ]),
            "ratings": .object(
                "StatisticsRatings",
                [
                    "count": .integer, "average": .orNull(.number(0.25...5)),
                    "histogram": .array(.integer, count: 20...20),
                ]),
            "languages": .array(
                .object("StatisticsLanguage", ["language": .string, "reading_count": .integer])),
            "author_count": .integer,
            "authors": .array(
                .object("StatisticsAuthor", ["id": .id, "name": .string, "book_count": .integer]), count: 0...named),
            "genre_count": .integer,
            "genres": .array(
                .object("StatisticsGenre", ["slug": .string, "name": .string, "book_count": .integer]),
                count: 0...named),
            "longest": .orNull(measured), "shortest": .orNull(measured), "goal": .orNull(goal),
            "years": .array(.object("StatisticsYear", ["year": .integer, "reading_count": .integer])),
        ])

    private static let measured = Schema.object(
        "StatisticsBook", ["book": Reviews.Routes.book, "page_count": .integer])

    static let goal = Schema.object(
        "Goal",
        [
            "year": .integer(Limits.statistics.years), "books": .orNull(progress), "pages": .orNull(progress),
            "list": .orNull(.object("GoalList", ["id": .id, "title": .string, "progress": progress])),
            "is_announced": .boolean, "is_reached": .boolean, "reached_at": .orNull(.time),
        ])

    private static let progress = Schema.object(
        "GoalProgress",
        [
            "target_count": .integer, "done_count": .integer, "expected_count": .orNull(.integer),
            "ahead_count": .orNull(.integer),
        ])
}

extension Statistics.Measured: JSONForm {
    package func put(into object: JSONObject) {
        object.put("book", book)
        object.put("page_count", pages)
    }
}
