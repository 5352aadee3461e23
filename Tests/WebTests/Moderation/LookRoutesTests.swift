import Community
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import Web

/// What moderators look through.
@Suite(.database)
struct LookRoutesTests {
    private static let content = "/api/v1/moderation/content"
    private static let audit = "/api/v1/moderation/audit"

    private func targets(_ answer: TestAnswer) -> [String] {
        answer.json["items"]?.elements.compactMap { $0["target"]?.text } ?? []
    }

    @Test(.requirement("DIS-5"))
    func `what readers said is found by author, time, words and domains, and nothing that members may not see`()
        async throws
    {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let given = app.world.given
            let (eve, ann) = (try await given.account("eve"), try await given.account("ann"))
            let moderator = app.as(try await given.account("moe", role: .moderator))
            let book = try await given.book()
            let old = try await given.thread(on: book, by: eve.id, title: "Old words", body: "Nothing to sell.")
            app.world.clock.advance(by: .seconds(3_600))
            let then = app.world.clock.now()
            let bait = try await given.thread(
                on: book, by: eve.id, body: "Cheap [watches](https://shop.Watches.example/a)!")
            let honest = try await given.thread(
                on: book, by: ann.id, body: "I like watches.example.org, and watchesXexample.")
            let club = try await given.club(by: ann.id, .private)
            _ = try await given.thread(in: club, by: ann.id, body: "Watches for us alone.")
            let review = try await given.review(by: eve.id, of: book, body: "Read it, then buy watches.")
            _ = try await given.review(by: ann.id, of: book, body: "Watches, for friends.", visibility: .friends)

            func find(_ query: String) async throws -> [String] {
                let answer = try await moderator.get(Self.content + "?" + query)
                #expect(answer.status == .ok, "\(query): \(answer.text)")
                return targets(answer)
            }
            let since = "since=" + then.text
            #expect(
                try await find(since) == ["review:\(review.id)", "post:\(honest.post)", "post:\(bait.post)"])
            #expect(
                try await find("author=@EVE") == ["review:\(review.id)", "post:\(bait.post)", "post:\(old.post)"])
            #expect(try await find("author=eve&kind=post&\(since)") == ["post:\(bait.post)"])
            #expect(try await find("\(since)&text=CHEAP%20%5Bwatch") == ["post:\(bait.post)"])
            #expect(try await find("author=eve&text=old%20words") == ["post:\(old.post)"])
            #expect(try await find("\(since)&link_domain=watches.example") == ["post:\(bait.post)"])
            #expect(try await find("\(since)&link_domain=example.org") == ["post:\(honest.post)"])
            #expect(try await find("email_domain=example.org&kind=review") == ["review:\(review.id)"])
            #expect(try await find("email_domain=example.com") == [])

            // Page after page, and back.
            let first = try await moderator.get(Self.content + "?author=eve&limit=2")
            let next = try #require(first.json["next_cursor"]?.text)
            let second = try await moderator.get(Self.content + "?author=eve&limit=2&cursor=" + next)
            #expect(targets(second) == ["post:\(old.post)"])
            let back = try #require(second.json["prev_cursor"]?.text)
            #expect(
                targets(try await moderator.get(Self.content + "?author=eve&limit=2&cursor=" + back)) == targets(first))

            // What is hidden is found and marked; what was deleted is not.
            let hidden = try await moderator.put("/api/v1/posts/\(bait.post)/hide", ["reason": "spam"])
            #expect(hidden.status == .noContent, "\(hidden.text)")
            #expect(try await app.as(eve).delete("/api/v1/posts/\(old.post)").status == .noContent)
            let left = try await moderator.get(Self.content + "?author=eve&kind=post")
            #expect(targets(left) == ["post:\(bait.post)"])
            let item = left.json["items"]?[0]
            #expect(item?["is_hidden"] == true && item?["author"]?["username"] == "eve")
            #expect(item?["quote"] == "A thread Cheap [watches](https://shop.Watches.example/a)!")

            let later = (app.world.clock.now() + .seconds(60)).text
            let long = (app.world.clock.now() - .seconds(40 * 86_400)).text
            for (query, pointer) in [
                ("since=\(later)", "?since"), ("since=yesterday", "?since"), ("text=watches", "?since"),
                ("text=watches&since=\(long)", "?since"), ("author=eve&text=a", "?text"), ("kind=song", "?kind"),
                ("link_domain=watches&author=eve", "?link_domain"), ("email_domain=ann@x.y", "?email_domain"),
            ] {
                let refused = try await moderator.get(Self.content + "?" + query)
                #expect(refused.status == .unprocessableContent, "\(query): \(refused.text)")
                #expect(refused.json["errors"]?[0]?["pointer"]?.text == pointer, "\(query): \(refused.text)")
            }
            #expect(try await moderator.get(Self.content + "?author=nobody").status == .notFound)
        }
    }

    @Test(.requirement("DIS-5"))
    func `the audit names who did what and why, and of private groups only that something was done`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let given = app.world.given
            let (eve, ann) = (try await given.account("eve"), try await given.account("ann"))
            let moderator = app.as(try await given.account("moe", role: .moderator))
            let thread = try await given.thread(on: try await given.book(), by: eve.id, body: "Buy watches.")
            let club = try await given.club(by: ann.id, .private)
            try await given.member(eve.id, of: club)
            let inside = try await given.thread(in: club, by: eve.id, body: "Among us.")
            #expect(
                try await moderator.put("/api/v1/posts/\(thread.post)/hide", ["reason": "spam"]).status == .noContent)
            #expect(
                try await app.as(ann).put("/api/v1/threads/\(inside.id)/lock", ["reason": "a secret reason"]).status
                    == .noContent)
            try await app.world.community.accounts.suspend("eve", by: .terminal("root"), reason: "sells watches")

            func acts(_ query: String = "") async throws -> [JSONValue] {
                let answer = try await moderator.get(Self.audit + query)
                #expect(answer.status == .ok && !answer.text.contains("secret"), "\(answer.text)")
                return answer.json["items"]?.elements ?? []
            }
            let all = try await acts()
            #expect(all.compactMap { $0["action"]?.text } == ["account.suspend", "thread.lock", "post.hide"])
            #expect(all.compactMap { $0["actor"]?.text } == ["cli:root", "ann", "moe"])
            #expect(all.map { $0["target"] } == ["reader:eve", .null, .string("post:\(thread.post)")])
            #expect(all[1]["reason"] == .null && all[1]["before"] == .null)
            #expect(all[2]["reason"] == "spam")
            let filters = [
                ("?actor=moe", ["post.hide"]), ("?actor=cli:root", ["account.suspend"]),
                ("?target=reader:eve", ["account.suspend"]), ("?target=post:\(thread.post)", ["post.hide"]),
                ("?target=thread:\(inside.id)", []), ("?verb=hide", ["post.hide"]), ("?verb=hide&actor=ann", []),
            ]
            for (filter, expected) in filters {
                #expect(try await acts(filter).compactMap { $0["action"]?.text } == expected, "\(filter)")
            }
            #expect(try await moderator.get(Self.audit + "?actor=nobody").status == .notFound)
            #expect(try await moderator.get(Self.audit + "?target=eve").status == .unprocessableContent)
            #expect(try await moderator.get(Self.audit + "?verb=hid").status == .unprocessableContent)
        }
    }

    @Test(.requirement("DIS-5"))
    func `readers are found by state, role, domain and name, with addresses for administrators alone`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let given = app.world.given
            let eve = try await given.account("eve")
            _ = try await given.account("evelyn")
            let moderator = app.as(try await given.account("moe", role: .moderator))
            let admin = app.as(try await given.account("ada", role: .admin))
            try await app.world.community.accounts.freeze("eve", by: .terminal("root"), reason: "cool down")

            func names(_ query: String) async throws -> [String] {
                try await moderator.get("/api/v1/moderation/readers?" + query).json["items"]?.elements.compactMap {
                    $0["reader"]?["username"]?.text
                } ?? []
            }
            #expect(try await names("") == ["ada", "moe", "evelyn", "eve"])
            #expect(try await names("name=EVE") == ["evelyn", "eve"])
            #expect(try await names("state=frozen") == ["eve"])
            #expect(try await names("role=moderator&email_domain=example.org") == ["moe"])
            #expect(try await names("role=member&state=active") == ["evelyn"])
            #expect(try await names("state=waiting") == [])
            #expect(try await names("email_domain=EXAMPLE.org&limit=2") == ["ada", "moe"])
            let one = try await moderator.get("/api/v1/moderation/readers/EVE")
            #expect(
                one.json["state"] == "frozen" && one.json["session_count"] == 1 && one.json["until"] == .null,
                "\(one.text)")
            #expect(one.json["email"] == .null && one.json["email_domain"] == "example.org")
            #expect(!one.text.contains(eve.email))
            #expect(try await admin.get("/api/v1/moderation/readers/eve").json["email"]?.text == eve.email)
            #expect(try await moderator.get("/api/v1/moderation/readers/nobody").status == .notFound)

            let stats = try await moderator.get("/api/v1/moderation/stats")
            #expect(
                stats.json["decided_count"] == 0 && stats.json["median_hours"] == .null
                    && stats.json["waiting_count"] == 0)
            #expect(stats.json["readers"]?.elements.first?["count"] == 3, "\(stats.text)")
        }
    }

    @Test(.requirement("DIS-5")) func `a token that acts as a moderator is made for 30 days at most`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let moe = try await app.world.given.account("moe", role: .moderator)
            func make(_ scopes: [JSONValue], days: JSONValue) async throws -> TestAnswer {
                try await app.as(moe).post(
                    "/api/v1/me/access-tokens", ["name": "cli", "scopes": .array(scopes), "days": days])
            }
            let refused = try await make(["read:moderation", "write:moderation"], days: 31)
            #expect(refused.status == .unprocessableContent && refused.text.contains("/days"), "\(refused.text)")
            let reading = try await make(["read:moderation"], days: 366)
            let token = try #require(reading.json["token"]?.text, "\(reading.text)")
            let stats = "/api/v1/moderation/stats"
            #expect(try await app.with(token: token).get(stats).status == .ok)
            #expect(
                try await app.with(token: token).put("/api/v1/moderation/reports/7/claim").code == "insufficient_scope")
            let acting = try #require(try await make(["write:moderation"], days: 30).json["token"]?.text)
            #expect(try await app.with(token: acting).get(stats).code == "insufficient_scope")
            #expect(try await app.with(token: acting).put("/api/v1/moderation/reports/7/claim").status == .notFound)
            // The role is asked for at each use.
            try await app.world.community.accounts.setRole(
                of: "moe", to: .member, by: .terminal("root"), reason: "went away")
            #expect(try await app.with(token: token).get(stats).code == "not_moderator")
        }
    }
}
