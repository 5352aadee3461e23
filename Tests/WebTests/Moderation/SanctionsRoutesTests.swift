import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import Community
@testable import Web

/// What a reader is told of what was done to them.
@Suite(.database)
struct SanctionsRoutesTests {
    private static let mine = "/api/v1/me/sanctions"

    private func sanctions(_ app: TestApp) async throws -> [JSONValue] {
        try await app.get(Self.mine).json["items"]?.elements ?? []
    }

    private func hiding(_ body: String, of eve: Signed) throws -> Moderation.Change {
        Moderation.Change(
            author: eve.id, before: ["hidden": "false"], after: ["hidden": "true"],
            said: try JSON(encoding: ["body": body]))
    }

    @Test(.requirement("DIS-5"))
    func `a reader sees what weighs on them, why, until when, and what they said, and not who decided`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let given = app.world.given
            let (eve, moe) = (try await given.account("eve"), try await given.account("moe", role: .moderator))
            let thread = try await given.thread(on: try await given.book(), by: eve.id, body: "Buy watches.")
            let until = app.world.clock.now() + .seconds(86_400)
            try await given.act(.hide, on: Thing(thread.post), of: eve, by: moe.actor, until: until)
            try await given.act(.lock, on: Thing(thread.id), of: eve, by: .system)
            try await given.act(.pin, on: Thing(thread.id), of: eve, by: moe.actor)
            try await given.act(.warn, on: .account(eve.id), of: eve, by: moe.actor, reason: "stop it")

            let seen = try await sanctions(app.as(eve))
            #expect(seen.compactMap { $0["action"]?.text } == ["account.warn", "thread.lock", "post.hide"])
            #expect(
                seen.compactMap { $0["target"]?.text }
                    == ["reader:eve", "thread:\(thread.id)", "post:\(thread.post)"])
            #expect(seen.map { $0["is_decided_by_machine"] } == [false, true, false])
            #expect(seen[0]["reason"] == "stop it" && seen[0]["said"] == .null && seen[0]["until"] == .null)
            #expect(seen[2]["said"]?["body"] == "Buy watches." && seen[2]["until"]?.text == until.text)
            #expect(seen.allSatisfy { $0["undone_at"] == .null })
            let page = try await app.as(eve).get(Self.mine + "?limit=1")
            #expect(!page.text.contains("moe") && !page.text.contains(moe.id.text))
            #expect(page.json["next_cursor"]?.text != nil)
            #expect(try await sanctions(app.as(moe)).isEmpty)
            // A frozen reader sees them, too.
            try await app.world.community.accounts.freeze("eve", by: World.terminal, reason: "enough")
            #expect(try await app.as(eve).get(Self.mine).status == .ok)
        }
    }

    @Test func `an end is told where a later act brings it, and what was kept goes after its time`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let given = app.world.given
            let eve = try await given.account("eve")
            let thread = try await given.thread(on: try await given.book(), by: eve.id)
            let other = try await given.thread(on: try await given.book(), by: eve.id)
            let clock = app.world.clock
            try await given.act(.hide, on: Thing(thread.post), of: eve, change: try hiding("Buy.", of: eve))
            try await given.act(.hide, on: Thing(other.post), of: eve, change: try hiding("More.", of: eve))
            try await given.act(.freeze, on: .account(eve.id), of: eve)
            try await given.act(.suspend, on: .account(eve.id), of: eve)
            clock.advance(by: .seconds(60))
            let end = clock.now().text
            try await given.act(.unhide, on: Thing(thread.post), of: eve)
            try await given.act(.unsuspend, on: .account(eve.id), of: eve)

            let seen = try await sanctions(app.as(eve))
            #expect(
                seen.compactMap { $0["action"]?.text }
                    == ["account.suspend", "account.freeze", "post.hide", "post.hide"])
            // Who is let in again is still frozen.
            #expect(seen.map { $0["undone_at"]?.text } == [end, nil, nil, end])

            clock.advance(by: Limits.moderation.evidence)
            #expect(try await app.world.community.moderation.eraseEvidence() == 2)
            #expect(try await sanctions(app.as(eve)).allSatisfy { $0["said"] == .null })
        }
    }

    @Test func `a scope that rises and a role that is taken weigh, and not the other way round`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let given = app.world.given
            let eve = try await given.account("eve")
            let post = Thing(try await given.thread(on: try await given.book(), by: eve.id).post)
            func change(_ name: String, _ before: String, _ after: String) -> Moderation.Change {
                Moderation.Change(author: eve.id, before: [name: before], after: [name: after])
            }
            try await given.act(.scope, on: post, of: eve, change: change("scope", "9000", "10000"))
            try await given.act(.scope, on: post, of: eve, change: change("scope", "10000", "9000"))
            try await given.act(.role, on: .account(eve.id), of: eve, change: change("role", "member", "librarian"))
            try await given.act(.role, on: .account(eve.id), of: eve, change: change("role", "librarian", "member"))

            let seen = try await sanctions(app.as(eve))
            #expect(seen.compactMap { $0["action"]?.text } == ["account.role", "post.scope"])
            #expect(seen.map { $0["undone_at"] == .null } == [true, false])
        }
    }

    @Test(.requirement("DIS-5"))
    func `the author is notified of an act, of an act on many once, and of its end`() async throws {
        try await withApp(leaving: [.outbox]) { app in
            let (given, world) = (app.world.given, app.world)
            let eve = try await given.account("eve")
            let book = try await given.book()
            var posts: [Thing] = []
            for _ in 0..<3 { posts.append(Thing(try await given.thread(on: book, by: eve.id).post)) }
            let bulk = try await given.bulk(.hide)
            for post in posts { try await given.act(.hide, on: post, of: eve, bulk: bulk) }
            #expect(try await world.tell() == 0)
            try await given.act(.hide, on: posts[0], of: eve, bulk: bulk)
            try await given.act(
                .unhide, on: posts[0], of: eve, by: .system, reason: "a mistake")
            try await given.act(.pin, on: posts[0], of: eve)
            try await given.act(.warn, on: .account(eve.id), of: eve, by: eve.actor)
            #expect(try await world.tell() == 0)

            let list = try await app.as(eve).get("/api/v1/me/notifications")
            let told = list.json["items"]?.elements ?? []
            #expect(
                told.compactMap { $0["text"]?.text } == [
                    "The server brought your post back: a mistake",
                    "A moderator took 4 of your posts out of sight: it is spam",
                ], "\(list.text)")
            #expect(told.allSatisfy { $0["kind"] == "moderation.acted" && $0["actor_count"] == 0 })
            #expect(told.last?["act"]?["target_count"] == 4 && told.last?["act"]?["action"] == "post.hide")
            #expect(told.last?["act"]?["target"]?.text == "post:\(posts[0].id)")
            #expect(told.first?["act"]?["is_decided_by_machine"] == true)
            #expect(try await world.notificationDifferences() == [])
        }
    }

    @Test func `what is about the account is mailed where mails leave the server`() async throws {
        try await withApp(leaving: [.jobs, .outbox], settings: { $0.deliversMail = true }) { app in
            let (given, world) = (app.world.given, app.world)
            let (eve, bob) = (try await given.account("eve"), try await given.account("bob", isVerified: false))
            let until = world.clock.now() + .seconds(86_400)
            try await given.act(.suspend, on: .account(eve.id), of: eve, reason: "sells watches", until: until)
            try await given.act(.unsuspend, on: .account(eve.id), of: eve, by: .system, reason: "its time is over")
            try await given.act(.warn, on: .account(bob.id), of: bob)
            let post = try await given.thread(on: try await given.book(), by: eve.id).post
            try await given.act(.hide, on: Thing(post), of: eve)
            #expect(try await world.tell() == 0)

            let mails = world.mail.sent(to: eve.email)
            #expect(mails.map(\.subject) == ["Your account is suspended", "You can sign in again"])
            #expect(mails.first?.text.contains("sells watches") == true)
            #expect(mails.first?.text.contains("It ends on \(until.text.prefix(10))") == true)
            #expect(mails.last?.text.contains("The server did this by itself.") == true)
            // Nobody has shown that the other address is theirs.
            #expect(world.mail.sent.count == 2)
        }
    }

    @Test(.requirement("DIS-5"))
    func `the right password of a suspended reader learns why and until when, a wrong one nothing`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let given = app.world.given
            let eve = try await given.account("eve")
            try await app.world.community.accounts.suspend("eve", by: World.terminal, reason: "sells watches")
            let until = app.world.clock.now() + .seconds(3_600)
            func signIn(_ password: String) async throws -> TestAnswer {
                try await app.post("/api/v1/sessions", ["login": "eve", "password": .string(password)])
            }
            let refused = try await signIn(Given.password)
            #expect(refused.status == .forbidden && refused.code == "account_suspended", "\(refused.text)")
            #expect(refused.json["reason"] == "sells watches" && refused.json["until"] == .null)
            let wrong = try await signIn("not the password")
            #expect(wrong.status == .unauthorized && !wrong.text.contains("watches"), "\(wrong.text)")
            #expect(wrong.json["reason"] == nil)

            try await given.act(.suspend, on: .account(eve.id), of: eve, reason: "again", until: until)
            let later = try await signIn(Given.password)
            #expect(later.json["reason"] == "again" && later.json["until"]?.text == until.text)
        }
    }

    @Test func `a title that a moderator changes is kept for its author and not in the record`() async throws {
        try await withApp(leaving: [.outbox]) { app in
            let (given, world) = (app.world.given, app.world)
            let (eve, moe) = (try await given.account("eve"), try await given.account("moe", role: .moderator))
            let post = try await given.thread(on: try await given.book(), by: eve.id, title: "Watches").post
            let edited = try await app.as(moe).patch(
                "/api/v1/posts/\(post)", ["title": "A book", "reason": "no advertisements"])
            #expect(edited.status == .ok, "\(edited.text)")

            let rows = try await world.asSuperuser("select before::text, after::text, author_id from moderation_action")
            #expect(rows == [["{}", #"{"title": "changed"}"#, eve.id.text]])
            let seen = try await sanctions(app.as(eve))
            #expect(seen.first?["action"] == "post.edit" && seen.first?["said"]?["title"] == "Watches")
            #expect(seen.first?["said"]?["new_title"] == "A book")
            #expect(try await world.tell() == 0)
            let told = try await app.as(eve).get("/api/v1/me/notifications").json["items"]?[0]?["text"]
            #expect(told == "A moderator changed the title of your post: no advertisements")
            #expect(try await world.everyDifference() == [])
        }
    }
}
