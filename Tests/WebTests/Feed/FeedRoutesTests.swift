import Community
import HTTPTypes
import TestSupport
import Testing
import Web

@Suite(.database)
struct FeedRoutesTests {
    @Test(.requirement("TRE-5")) func `the feed shows a friend's review, and where the stream goes on`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (try await app.signUp("ann"), try await app.signUp("ben"))
            let book = try await app.world.given.book("Persuasion")
            #expect(try await app.as(ben).get("/api/v1/feed").json["items"]?.elements == [])
            let asked = try await app.as(ann).post("/api/v1/friend-requests", ["username": "ben"])
            _ = try await app.as(ben).post("/api/v1/friend-requests/\(asked.json["id"]?.text ?? "")/accept")
            let made = try await app.as(ann).put("/api/v1/books/\(book)/review", ["rating": 5, "body": "At last."])

            let feed = try await app.as(ben).get("/api/v1/feed")

            #expect(feed.status == .ok)
            #expect(feed.json["stream_cursor"]?.text?.isEmpty == false)
            let items = try #require(feed.json["items"]?.elements)
            #expect(items.count == 1)
            #expect(items.first?["kind"]?.text == "review.posted")
            #expect(made.json["visibility_is_own"] == false && items.first?["review"]?["visibility_is_own"] == .null)
            for member in ["id", "reader", "book", "rating", "body", "visibility", "version", "created_at"] {
                #expect(items.first?["review"]?[member] == made.json[member], "\(member)")
            }
            #expect(try await app.get("/api/v1/feed").status == .unauthorized)
        }
    }
}
