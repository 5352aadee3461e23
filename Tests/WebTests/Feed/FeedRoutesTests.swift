import Community
import HTTPTypes
import TestSupport
import Testing
import Web

@Suite(.database)
struct FeedRoutesTests {
    @Test(.requirement("TRE-6")) func `the feed shows a friend's review, and where the stream goes on`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (try await app.signUp("ann"), try await app.signUp("ben"))
            let book = try await app.world.given.book("Persuasion")
            #expect(try await app.as(ben).get("/api/v1/me/feed").json["items"]?.elements == [])
            let asked = try await app.as(ann).post("/api/v1/me/friend-requests", ["username": "ben"])
            _ = try await app.as(ben).post("/api/v1/me/friend-requests/\(asked.json["id"]?.text ?? "")/accept")
            let made = try await app.as(ann).put("/api/v1/books/\(book)/review", ["rating": 5, "body": "At last."])

            let feed = try await app.as(ben).get("/api/v1/me/feed")

            #expect(feed.status == .ok)
            #expect(feed.json["stream_cursor"]?.text?.isEmpty == false)
            let items = try #require(feed.json["items"]?.elements)
            #expect(items.count == 1)
            #expect(items.first?["kind"]?.text == "review.posted")
            #expect(made.json["has_own_visibility"] == false && items.first?["review"]?["has_own_visibility"] == .null)
            for member in ["id", "reader", "book", "rating", "body", "visibility", "version", "created_at"] {
                #expect(items.first?["review"]?[member] == made.json[member], "\(member)")
            }
            #expect(try await app.get("/api/v1/me/feed").status == .unauthorized)
        }
    }

    @Test(.requirement("RAT-3", "TRE-6"))
    func `what the feed carries of a review or a thread is enough to like and to answer it`() async throws {
        try await withApp(leaving: [.outbox, .jobs], settings: { $0.limitsRates = false }) { app in
            let given = app.world.given
            let (ann, ben) = (try await given.account("ann"), try await given.account("ben"))
            try await given.friendship(ann, ben)
            let club = try await given.club(by: ann.id, with: [(ben.id, .member)])
            _ = try await given.review(by: ann.id, of: try await given.book(), body: "Good.")
            _ = try await given.review(by: ann.id, of: try await given.book(), rating: 3)
            _ = try await given.thread(in: club, by: ann.id, body: "Hello.")
            let reader = app.as(ben)
            func items() async throws -> [JSONValue] {
                try await reader.get("/api/v1/me/feed").json["items"]?.elements ?? []
            }

            let found = try await items()
            #expect(Set(found.map { $0["kind"]?.text }) == ["review.posted", "book.rated", "thread.opened"])
            for item in found {
                let (review, post) = (item["review"]?["id"]?.text, item["thread"]?["first_post"]?["id"]?.text)
                let path = review.map { "/api/v1/reviews/" + $0 } ?? "/api/v1/posts/" + (post ?? "")
                #expect(try await reader.put(path + "/reactions/like").status == .noContent, "\(item)")
                let thread = item["thread"]?["id"]?.text ?? ""
                let answers = review != nil ? path + "/replies" : "/api/v1/threads/\(thread)/posts"
                let answered = try await reader.post(answers, ["body": .string("Yes, \(path).")])
                #expect(answered.status == .created, "\(answered.text)")
            }
            for item in try await items() {
                let thread = item["thread"]
                let said = thread?["first_post"] ?? item["review"]
                #expect(said?["reactions"] == ["like": 1] && said?["my_reactions"] == ["like"], "\(item)")
                #expect((thread?["reply_count"] ?? item["review"]?["reply_count"]) == 1, "\(item)")
            }
        }
    }

    @Test func `a newcomer pages through what the server says, by cursors, both ways`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (try await app.signUp("ann"), try await app.signUp("ben"))
            // Of one author three fill a feed, and none in the first day.
            app.world.clock.advance(by: .seconds(25 * 3600))
            var authors = [ID<Accounts.Account>(rawValue: Int64(ann.id) ?? 0)]
            for _ in 1..<8 { authors.append(try await app.world.given.reader()) }
            let books = try await app.world.given.books(
                (0..<23).map { Catalog.NewBook(key: "\($0)", title: "Title \($0)") })
            func id(_ reader: TestReader) -> ID<Accounts.Account> { ID(rawValue: Int64(reader.id) ?? 0) }
            for (number, book) in books.enumerated() {
                app.world.clock.advance(by: .microseconds(700))
                try await app.world.given.review(by: authors[number % 8], of: book, body: "Text \(number)")
            }
            var bodies: [String] = []
            var (path, last) = ("/api/v1/me/feed?limit=8", TestAnswer?.none)
            var pages = 0
            while true {
                let page = try await app.as(ben).get(path)
                let items = try #require(page.json["items"]?.elements)
                #expect(items.allSatisfy { $0["why"] == "community" && $0["kind"] == "review.posted" })
                bodies += items.compactMap { $0["review"]?["body"]?.text }
                (last, pages) = (page, pages + 1)
                guard let next = page.json["next_cursor"]?.text else { break }
                path = "/api/v1/me/feed?limit=8&cursor=\(next)"
            }
            #expect(bodies == (3..<23).reversed().map { "Text \($0)" } && pages == 3)
            let cursor = try #require(last?.json["prev_cursor"]?.text)
            let back = try await app.as(ben).get("/api/v1/me/feed?limit=8&cursor=\(cursor)")
            #expect(back.json["items"]?.elements.compactMap { $0["review"]?["body"]?.text } == Array(bodies[8..<16]))
            // A cursor is its reader's.
            #expect(try await app.as(ann).get("/api/v1/me/feed?cursor=\(cursor)").status == .badRequest)
            // Who said some of it sees the others' alone, and a friend sees it as a friend's.
            let own = try await app.as(ann).get("/api/v1/me/feed?limit=100").json["items"]?.elements
            #expect(own?.count == 20 && own?.allSatisfy { $0["reader"]?["id"]?.text != ann.id } == true)
            try await app.world.given.friendship(id(ann), id(ben))
            let friends = try await app.as(ben).get("/api/v1/me/feed?limit=100").json["items"]?.elements
            #expect(friends?.count { $0["why"] == "friend" } == 3)
        }
    }
}
