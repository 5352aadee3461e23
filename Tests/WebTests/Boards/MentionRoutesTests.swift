import Community
import HTTPTypes
import TestSupport
import Testing
import Web

/// `@username` in what readers write leads to the page of the reader who is there when it is written.
@Suite(.database)
struct MentionRoutesTests {
    private static let words = "@Ben, `@ben` and @nobody_here: [@ben](https://x.example)"
    private static let shown = """
        <p><a href="/@ben" class="mention">@Ben</a>, <code>@ben</code> and @nobody_here: \
        <a href="https://x.example" rel="nofollow ugc noopener">@ben</a></p>
        """

    @Test(.requirement("DIS-2", "RAT-3", "FRI-2"))
    func `who is there is linked in posts, reviews, replies and messages, and who is not stays a word`() async throws {
        try await withApp(leaving: [.outbox, .jobs], settings: { $0.limitsRates = false }) { app in
            let given = app.world.given
            let (reader, ben) = (try await given.account("ann"), try await given.account("ben"))
            try await given.friendship(reader, ben)
            let ann = app.as(reader)
            let book = try await given.book()
            let body: JSONValue = ["body": .string(Self.words)]

            let opened = try await ann.post(
                "/api/v1/books/\(book)/threads", ["title": "One", "body": .string(Self.words), "scope": "free"])
            #expect(opened.json["post"]?["html"]?.text == Self.shown, "\(opened.text)")
            let thread = opened.json["thread"]?["id"]?.text ?? ""
            let replied = try await ann.post("/api/v1/threads/\(thread)/posts", ["body": "Who?", "scope": "free"])
            let post = "/api/v1/posts/" + (replied.json["post"]?["id"]?.text ?? "")
            #expect(try await ann.patch(post, body).json["html"]?.text == Self.shown)
            #expect(try await app.get(post).json["html"]?.text == Self.shown)

            let review = try await ann.put("/api/v1/books/\(book)/review", body)
            #expect(review.json["html"]?.text == Self.shown, "\(review.text)")
            // What is there stays as it is rendered, whatever else changes of it.
            let rated = try await ann.put("/api/v1/books/\(book)/review", ["rating": 4])
            #expect(rated.json["html"]?.text == Self.shown && rated.json["version"] == 2, "\(rated.text)")
            #expect(try await ann.put("/api/v1/books/\(book)/review", body).json == rated.json)
            let path = "/api/v1/reviews/" + (review.json["id"]?.text ?? "")
            #expect(try await app.get(path).json["html"]?.text == Self.shown)
            #expect(try await ann.post(path + "/replies", body).json["html"]?.text == Self.shown)

            let talk = try await given.conversation(of: reader, with: ben)
            let sent = try await ann.post("/api/v1/conversations/\(talk)/messages", body)
            #expect(sent.json["html"]?.text == Self.shown, "\(sent.text)")
            // Events tell the same.
            let told = try await app.world.outbox().map(\.data).filter { $0.contains("@Ben") }
            #expect(told.count >= 5)
            for data in told { #expect(data.contains("/@ben") && !data.contains("/@nobody_here"), "\(data)") }
        }
    }

    @Test func `a name is a word where its reader has blocked the writer, is suspended or has left`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (given, community) = (app.world.given, app.world.community)
            let ann = try await given.account("ann")
            try await community.friends.block("ann", by: try await given.account("ben").id)
            _ = try await given.account("cem")
            try await community.accounts.suspend("cem", by: World.terminal, reason: "test")
            try await community.accounts.close(try await given.account("dot").id)
            let thread = try await given.thread(on: try await given.book(), by: ann.id)
            let reply = try await app.as(ann).post(
                "/api/v1/threads/\(thread.id)/posts", ["body": "@ann @ben @cem @dot", "scope": "free"])
            let html = "<p><a href=\"/@ann\" class=\"mention\">@ann</a> @ben @cem @dot</p>"
            #expect(reply.json["post"]?["html"]?.text == html, "\(reply.text)")
        }
    }
}
