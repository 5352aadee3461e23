import Community
import HTTPTypes
import Postgres
import TestSupport
import Testing
import Web

@Suite(.database)
struct StatisticsRoutesTests {
    /// Three books of 100, 200 and 300 pages, the last one in German.
    private func books(_ app: TestApp) async throws -> [ID<Catalog.Work>] {
        let new = [("One", "en", "Ada"), ("Two", "en", "Ada"), ("Drei", "de", "Bo")].enumerated().map { number, said in
            var book = Catalog.NewBook(key: "b\(number)", title: said.0, authors: [said.2])
            (book.language, book.pages, book.genres) = (said.1, 100 * (number + 1), ["fiction"])
            return book
        }
        return try await app.world.given.books(new)
    }

    private func read(
        _ book: ID<Catalog.Work>, _ finished: String, started: String? = nil, by reader: Signed, _ app: TestApp
    ) async throws {
        var body: [String: JSONValue] = ["shelf": "read", "finished": .string(finished)]
        if let started { body["started"] = .string(started) }
        let answer = try await app.as(reader).put("/api/v1/books/\(book)/shelf", .object(body))
        #expect(answer.status.kind == .successful)
    }

    @Test(.requirement("STA-1", "PRO-5"))
    func `a reader sees what a year was, and corrects it by correcting the past`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.world.given.account("ann")
            let books = try await books(app)
            try await read(books[0], "2024-02-29", started: "2024-02-20", by: ann, app)
            try await read(books[2], "2024-05", by: ann, app)
            try await read(books[1], "2023", by: ann, app)
            try await app.world.given.review(by: ann.id, of: books[0], rating: 4.5)

            let page = try await app.as(ann).get("/api/v1/me/statistics?year=2024").json
            #expect(page["reading_count"]?.number == 2)
            #expect(page["page_count"]?.number == 400)
            #expect(page["months"]?[1]?["reading_count"]?.number == 1)
            #expect(page["months"]?[4]?["page_count"]?.number == 300)
            #expect(page["pace"]?["days_per_book"]?.number == 10)
            #expect(page["pace"]?["pages_per_day"]?.number == 1.1)
            #expect(page["ratings"]?["average"]?.number == 4.5)
            #expect(page["longest"]?["book"]?["title"]?.text == "Drei")
            #expect(page["shortest"]?["page_count"]?.number == 100)
            #expect(page["authors"]?.elements.compactMap { $0["name"]?.text } == ["Ada", "Bo"])
            #expect(page["languages"]?.elements.compactMap { $0["language"]?.text } == ["de", "en"])
            #expect(page["genres"]?[0]?["book_count"]?.number == 2)
            #expect(page["goal"] == JSONValue.null)
            #expect(page["years"]?.elements.compactMap { $0["year"]?.number } == [2024, 2023])
            let former = try await app.as(ann).get("/api/v1/me/statistics?year=2023").json
            #expect((former["reading_count"]?.number, former["monthless_count"]?.number) == (1, 1))

            // The past is corrected.
            let readings = try await app.as(ann).get("/api/v1/books/\(books[2])/shelf").json["readings"]
            let reading = try #require(readings?[0]?["id"]?.text)
            let path = "/api/v1/books/\(books[2])/readings/\(reading)"
            #expect(try await app.as(ann).patch(path, ["finished": "2023-12-31"]).status == .ok)
            #expect(
                try await app.as(ann).get("/api/v1/me/statistics?year=2024").json["page_count"]?.number == 100)
            #expect(
                try await app.as(ann).get("/api/v1/me/statistics?year=2023").json["page_count"]?.number == 500)
            // Without a date it is in no year, and is told apart in that in which the server heard of it.
            #expect(try await app.as(ann).patch(path, ["finished": nil]).status == .ok)
            let now = try await app.as(ann).get("/api/v1/me/statistics").json
            #expect((now["reading_count"]?.number, now["undated_count"]?.number) == (0, 1))
            let wrong = try await app.as(ann).get("/api/v1/me/statistics?year=999")
            #expect((wrong.status, wrong.json["code"]?.text) == (.unprocessableContent, "validation"))
            #expect(try await app.get("/api/v1/me/statistics").status == .unauthorized)
            let whole = try await app.as(ann).get("/api/v1/me?include=statistics").json
            #expect(whole["included"]?["statistics"] == now)
        }
    }

    @Test(.requirement("STA-1")) func `a year is that of the reader's own calendar`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.world.given.account("ann")
            let books = try await books(app)
            // Ten at night in London, and next year's first morning in Auckland.
            app.world.clock.set(try #require(Timestamp(text: "2025-12-31T22:00:00Z")))
            #expect(
                try await app.as(ann).put("/api/v1/books/\(books[0])/shelf", ["shelf": "read"]).status == .created)
            #expect(try await app.as(ann).get("/api/v1/me/statistics").json["year"]?.number == 2025)
            let settings = try await app.as(ann).patch("/api/v1/me/settings", ["time_zone": "Pacific/Auckland"])
            #expect(settings.status == .ok)
            #expect(
                try await app.as(ann).put("/api/v1/books/\(books[1])/shelf", ["shelf": "read"]).status == .created)
            let page = try await app.as(ann).get("/api/v1/me/statistics").json
            #expect((page["year"]?.number, page["time_zone"]?.text) == (2026, "Pacific/Auckland"))
            #expect(page["months"]?[0]?["reading_count"]?.number == 1)
            #expect(page["shortest"]?["book"]?["title"]?.text == "Two")
            let former = try await app.as(ann).get("/api/v1/me/statistics?year=2025").json
            #expect(former["months"]?[11]?["reading_count"]?.number == 1)
        }
    }

    @Test(.requirement("PRO-5"))
    func `others see statistics at the reader's level, and nothing of what they may not see`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (try await app.world.given.account("ann"), try await app.world.given.account("ben"))
            let eve = try await app.world.given.account("eve")
            try await app.world.given.friendship(ann, ben)
            let books = try await books(app)
            try await read(books[0], "2024-03-01", by: ann, app)
            let secret = try await app.as(ann).put(
                "/api/v1/books/\(books[2])/shelf",
                ["shelf": "read", "finished": "2024-03-02", "visibility": "private"])
            #expect(secret.status == .created)
            #expect(try await app.as(ann).put("/api/v1/me/goals/2024", ["books": 2]).status == .created)
            let path = "/api/v1/readers/ann/statistics?year=2024"

            let answer = try await app.as(ben).get(path)
            let shown = answer.json
            #expect(shown["is_private"] == .boolean(false))
            let statistics = shown["statistics"]
            #expect((statistics?["reading_count"]?.number, statistics?["page_count"]?.number) == (1, 100))
            #expect(statistics?["goal"]?["books"]?["done_count"]?.number == 1)
            #expect(!answer.text.contains("Drei") && !answer.text.contains("\"de\""))
            #expect(statistics?["years"]?[0]?["reading_count"]?.number == 1)
            let own = try await app.as(ann).get(path).json["statistics"]
            #expect(own?["reading_count"]?.number == 2)
            #expect(own?["goal"]?["is_reached"] == .boolean(true))

            // Usually friends alone; then everybody, and nobody.
            for viewer in [app, app.as(eve)] {
                let kept = try await viewer.get(path)
                #expect((kept.status, kept.json["is_private"]) == (.ok, .boolean(true)))
                #expect(kept.json["statistics"] == JSONValue.null)
            }
            func show(_ level: JSONValue) async throws {
                let answer = try await app.as(ann).patch("/api/v1/me/settings", ["privacy": ["statistics": level]])
                #expect(answer.status == .ok)
            }
            try await show("public")
            #expect(try await app.as(eve).get(path).json["statistics"]?["reading_count"]?.number == 1)
            try await show("private")
            #expect(try await app.as(ben).get(path).json["is_private"] == .boolean(true))
            #expect(try await app.get("/api/v1/readers/nobody/statistics").status == .notFound)
            let included = try await app.as(ben).get("/api/v1/readers/ann?include=statistics").json["included"]
            #expect(included?["statistics"]?["is_private"] == .boolean(true))
        }
    }

    @Test(.requirement("STA-2", "SHE-8"))
    func `a goal of books, pages or a list is set, followed, reached and told once`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (try await app.world.given.account("ann"), try await app.world.given.account("ben"))
            try await app.world.given.friendship(ann, ben)
            let books = try await books(app)
            app.world.clock.set(try #require(Timestamp(text: "2026-07-02T12:00:00Z")))
            let goals = "/api/v1/me/goals/2026"
            #expect(try await app.as(ann).get(goals).status == .notFound)
            #expect(try await app.as(ann).put(goals, [:]).pointers == ["/books"])
            #expect(try await app.as(ann).put(goals, ["books": 0]).pointers == ["/books"])
            #expect(try await app.as(ann).put("/api/v1/me/goals/26", ["books": 1]).status == .notFound)
            #expect(try await app.as(ann).put(goals, ["list_id": "7"]).pointers == ["/list_id"])
            let list = try await app.as(ann).post("/api/v1/me/lists", ["title": "This year"]).json["id"]
            let listID = try #require(list?.text)
            #expect(try await app.as(ann).put(goals, ["list_id": .string(listID)]).pointers == ["/list_id"])
            for book in books[..<2] {
                let put = try await app.as(ann).put("/api/v1/lists/\(listID)/books/\(book)")
                #expect(put.status.kind == .successful)
            }

            let set = try await app.as(ann).put(
                goals, ["books": 3, "pages": 300, "list_id": .string(listID), "is_announced": true])
            #expect(set.status == .created)
            // 183 of 365 days are over.
            #expect(set.json["books"]?["expected_count"]?.number == 1)
            #expect(set.json["books"]?["ahead_count"]?.number == -1)
            #expect(set.json["list"]?["progress"]?["target_count"]?.number == 2)
            for book in books[..<2] { try await read(book, "2026-05-05", by: ann, app) }
            let half = try await app.as(ann).get(goals).json
            #expect((half["books"]?["done_count"]?.number, half["books"]?["ahead_count"]?.number) == (2, 1))
            #expect(
                (half["pages"]?["done_count"]?.number, half["list"]?["progress"]?["done_count"]?.number) == (300, 2))
            #expect(half["is_reached"] == .boolean(false))
            #expect(try await app.world.community.statistics.checkGoals() == 1)
            _ = try await app.world.tell()
            #expect(try await inbox(ann, app) == [])

            // The third is read: told once, to ann and to ben, as long as ann shows statistics to friends.
            try await read(books[2], "2026-06-06", by: ann, app)
            #expect(try await app.world.community.statistics.checkGoals() == 1)
            #expect(try await app.world.community.statistics.checkGoals() == 0)
            _ = try await app.world.tell()
            #expect(try await inbox(ann, app) == [2026])
            #expect(try await feed(ben, app) == [2026])
            for (level, years) in [("private", [Double]()), ("friends", [2026])] {
                let shown = try await app.as(ann).patch(
                    "/api/v1/me/settings", ["privacy": ["statistics": .string(level)]])
                #expect(shown.status == .ok)
                #expect(try await feed(ben, app) == years)
            }
            #expect(try await app.as(ann).get(goals).json["reached_at"]?.text == "2026-07-02T12:00:00.000Z")
            let statistics = try await app.as(ann).get("/api/v1/me/statistics").json
            #expect(statistics["goal"]?["is_reached"] == .boolean(true))

            // It leaves the feed when it is announced no longer, and comes back.
            let whole: [String: JSONValue] = ["books": 3, "pages": 300, "list_id": .string(listID)]
            for (isAnnounced, years) in [(false, [Double]()), (true, [2026])] {
                let body = whole.merging(["is_announced": .boolean(isAnnounced)]) { $1 }
                #expect(try await app.as(ann).put(goals, .object(body)).status == .ok)
                #expect(try await feed(ben, app) == years)
            }
            let seen = try await app.as(ben).get("/api/v1/readers/ann/statistics").json["statistics"]?["goal"]
            #expect(seen?["is_reached"] == .boolean(true) && seen?["reached_at"] == JSONValue.null)

            // It turns out that one was given up: not reached, and nothing says so any more.
            #expect(
                try await app.as(ann).put("/api/v1/books/\(books[2])/shelf", ["shelf": "stopped"]).status == .ok)
            try await app.world.community.statistics.checkGoals()
            #expect(try await app.as(ann).get(goals).json["reached_at"] == JSONValue.null)
            #expect(try await inbox(ann, app) == [])
            #expect(try await feed(ben, app) == [])
            // Reached again, it stands there again, and the inbox says it once.
            try await read(books[2], "2026-06-07", by: ann, app)
            try await app.world.community.statistics.checkGoals()
            _ = try await app.world.tell()
            #expect(try await inbox(ann, app) == [2026])
            #expect(try await feed(ben, app) == [2026])
            // A further book on the list is missing now.
            let further = try await app.world.given.book("Further")
            _ = try await app.as(ann).put("/api/v1/lists/\(listID)/books/\(further)")
            #expect(try await app.as(ann).get(goals).json["reached_at"] == JSONValue.null)
            #expect(try await app.world.community.statistics.checkGoals() == 1)
            #expect(try await feed(ben, app) == [])

            // A list that goes takes its part of the goal along, and the goal where that was all.
            #expect(try await app.as(ann).put(goals, ["list_id": .string(listID)]).status == .ok)
            #expect(try await app.as(ann).delete("/api/v1/lists/\(listID)").status == .noContent)
            #expect(try await app.as(ann).get(goals).status == .notFound)
            #expect(try await app.as(ann).put(goals, ["pages": 1]).status == .ok)
            for _ in 1...2 { #expect(try await app.as(ann).delete(goals).status == .noContent) }
            #expect(try await app.as(ann).get(goals).status == .notFound)
            #expect(try await app.get(goals).status == .unauthorized)
        }
    }

    @Test(.requirement("STA-2"))
    func `a goal is looked at again where books merge, its list ends or pages are corrected, and goes with its act`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (world, given) = (app.world, app.world.given)
            let (ann, ben) = (try await given.account("ann"), try await given.account("ben"))
            try await given.friendship(ann, ben)
            let books = try await books(app)
            world.clock.set(try #require(Timestamp(text: "2026-07-02T12:00:00Z")))
            let goals = "/api/v1/me/goals/2026"
            let statistics = world.community.statistics
            let list = try await app.as(ann).post("/api/v1/me/lists", ["title": "This year"]).json["id"]
            let listID = try #require(list?.text)
            for book in books[..<2] { _ = try await app.as(ann).put("/api/v1/lists/\(listID)/books/\(book)") }
            let set = try await app.as(ann).put(goals, ["list_id": .string(listID)])
            #expect(set.status == .created && set.json["is_announced"] == .boolean(false))
            try await read(books[0], "2026-05-05", by: ann, app)
            try await statistics.checkGoals()

            // The book that is missing turns out to be the one that was read.
            try await world.community.catalog.merge(
                .book(books[1]), into: .book(books[0]), by: Catalog.Helper(World.terminal))
            try await statistics.checkGoals()
            #expect(try await app.as(ann).get(goals).json["reached_at"]?.text != nil)
            #expect(try await feed(ben, app) == [], "it is not announced unless that is said")
            #expect(try await world.database.differences(of: Statistics.self) == [])
            try await world.asSuperuser("update goal set reached_at = null")
            #expect(try await world.database.differences(of: Statistics.self).count == 1)
            try await world.asSuperuser("update goal set stale_at = now()")

            // Its list ends: what is left of it is reached or not by itself.
            let both: JSONValue = ["list_id": .string(listID), "pages": 500, "is_announced": true]
            #expect(try await app.as(ann).put(goals, both).status == .ok)
            #expect(try await app.as(ann).delete("/api/v1/lists/\(listID)").status == .noContent)
            #expect(try await statistics.checkGoals() == 1)
            #expect(try await app.as(ann).get(goals).json["is_reached"] == .boolean(false))

            // The pages of the edition were wrong.
            try await world.asSuperuser("update edition set pages = 500 where work_id = \(books[0])")
            #expect(try await statistics.checkGoals() == 0)
            try await statistics.markGoals()
            #expect(try await statistics.checkGoals() == 1)
            #expect(try await feed(ben, app) == [2026])

            // Another goal takes its place, and is reached when it is set.
            #expect(try await app.as(ann).put(goals, ["books": 1, "is_announced": true]).status == .ok)
            #expect(try await app.as(ann).put(goals, ["pages": 500, "is_announced": true]).status == .ok)
            let acts = "select count(*) from activity where kind = 'goal.reached' and undone_at is null"
            #expect(try await feed(ben, app) == [])
            #expect(try await world.asSuperuser(acts) == [["0"]])
        }
    }

    /// The years of the goals that stand in a friend's feed.
    private func feed(_ reader: Signed, _ app: TestApp) async throws -> [Double] {
        let page = try await app.as(reader).get("/api/v1/me/feed").json["items"]
        return page?.elements.filter { $0["kind"]?.text == "goal.reached" }
            .compactMap { $0["goal"]?["year"]?.number } ?? []
    }

    /// The years of the goals that the inbox tells of.
    private func inbox(_ reader: Signed, _ app: TestApp) async throws -> [Double] {
        let page = try await app.as(reader).get("/api/v1/me/notifications").json["items"]
        return page?.elements.filter { $0["kind"]?.text == "goal.reached" }
            .compactMap { $0["goal"]?["year"]?.number } ?? []
    }
}
