import Community
import HTTPTypes
import TestSupport
import Testing

@testable import Web

/// What an access token of a moderator may do, and that each act names it.
@Suite(.database)
struct ModeratorTokensTests {
    private static func token(_ app: TestApp, _ scopes: [JSONValue]) async throws -> (id: String, app: TestApp) {
        let made = try await app.post(
            "/api/v1/me/access-tokens", ["name": "app", "scopes": .array(scopes), "days": 7])
        let id = try #require(made.json["access_token"]?["id"]?.text, "\(made.text)")
        return (id, app.with(token: try #require(made.json["token"]?.text)))
    }

    @Test(.requirement("DIS-5"))
    func `a token without write moderation acts as its owner would without the role`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let given = app.world.given
            let moe = app.as(try await given.account("moe", role: .moderator))
            let eve = try await given.account("eve")
            let book = try await given.book()
            let thread = try await given.thread(on: book, by: eve.id)
            let reply = try await given.post(in: thread.id, by: eve.id)
            let plain = try await Self.token(moe, ["read:boards", "write:boards", "write:ranking"]).app
            let (post, threadPath) = ("/api/v1/posts/\(reply)", "/api/v1/threads/\(thread.id)")
            let because: JSONValue = ["reason": "it is spam"]
            let refused = [
                try await plain.put(post + "/hide", because), try await plain.delete(post + "/hide"),
                try await plain.put(threadPath + "/lock", because), try await plain.put(threadPath + "/pin", because),
                try await plain.put(post + "/scope", ["scope": ["upto": 3], "reason": "it is spam"]),
                try await plain.put("/api/v1/books/\(book)/moderators/eve", because),
                try await plain.put(
                    "/api/v1/books/\(book)/ranking-hold", ["reason": "a wave", "until": "2030-01-01T00:00:00Z"]),
            ]
            #expect(refused.map(\.code) == Array(repeating: "insufficient_scope", count: refused.count))
            let title: JSONValue = ["title": "Calmer", "reason": "it shouts"]
            #expect(try await plain.patch("/api/v1/posts/\(thread.post)", title).code == "not_author")
            #expect(try await plain.get("/api/v1/books/\(book)/moderators").status == .ok)
            // The mark of a moderator settles at once, that of a member waits for a second one.
            #expect(try await plain.put(post + "/spoils", ["position": 500]).code == "not_there_yet")
            let recorded = try await app.world.asSuperuser("select count(*) from moderation_action")
            #expect(recorded == [["0"]])
            #expect(try await app.world.everyDifference() == [])
        }
    }

    @Test(.requirement("DIS-5"))
    func `every act with a token names it`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let given = app.world.given
            let moe = app.as(try await given.account("moe", role: .moderator))
            let eve = try await given.account("eve")
            let book = try await given.book()
            let thread = try await given.thread(on: book, by: eve.id)
            let reply = try await given.post(in: thread.id, by: eve.id)
            let made = try await app.as(try await given.elder()).post(
                "/api/v1/reports", ["target": .string("post:\(reply)"), "category": "spam"])
            #expect(made.status == .created, "\(made.text)")
            let queue = "/api/v1/moderation/reports"
            let about = try #require(try await moe.get(queue).json["items"]?[0]?["id"]?.text)
            let (id, token) = try await Self.token(
                moe, ["read:moderation", "write:moderation", "read:boards", "write:boards"])
            let because: JSONValue = ["reason": "it is spam"]
            let answers = [
                try await token.put("/api/v1/threads/\(thread.id)/lock", because),
                try await token.patch("/api/v1/posts/\(thread.post)", ["title": "Calmer", "reason": "it shouts"]),
                try await token.put("/api/v1/posts/\(reply)/scope", ["scope": ["upto": 9000], "reason": "the end"]),
                try await token.put("/api/v1/posts/\(reply)/hide", because),
                try await token.put("/api/v1/books/\(book)/moderators/eve", because),
                try await token.post("\(queue)/\(about)/notes", ["text": "seen"]),
                try await token.post(
                    "\(queue)/\(about)/decision", ["outcome": "acted", "version": 1, "reason": "it is spam"]),
            ]
            #expect(answers.allSatisfy { $0.status.code < 300 }, "\(answers.map(\.text))")
            let recorded = try await app.world.asSuperuser(
                "select action, coalesce(token_id::text, 'none') from moderation_action order by id")
            let acts = [
                "thread.lock", "post.edit", "post.scope", "post.hide", "account.appoint", "report.note",
                "report.resolve",
            ]
            #expect(recorded == acts.map { [$0, id] })
            #expect(try await app.world.everyDifference() == [])
        }
    }
}
