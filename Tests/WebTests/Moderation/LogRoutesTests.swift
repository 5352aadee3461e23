import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import Community
@testable import Web

/// What everybody, and a group's members, are told of acts.
@Suite(.database)
struct LogRoutesTests {
    private static let log = "/api/v1/moderation/log"

    private func lines(_ app: TestApp, _ path: String = log) async throws -> [JSONValue] {
        try await app.get(path).json["items"]?.elements ?? []
    }

    @Test(.requirement("DIS-5"))
    func `everybody reads what moderators did, and neither whose it was nor why`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let given = app.world.given
            let (eve, moe) = (
                try await given.account("eve_name", name: "Eve"), try await given.account("moe_name", role: .moderator)
            )
            let ada = try await given.account("ada_name", role: .admin)
            let post = Thing(try await given.thread(on: try await given.book(), by: eve.id).post)
            let until = app.world.clock.now() + .seconds(86_400)
            let said = Moderation.Change(
                author: eve.id, before: [:], after: [:], said: try JSON(encoding: ["body": "canary of text"]))
            try await given.act(
                .hide, on: post, of: eve, by: moe.actor, reason: "canary of reason", until: until,
                public: "advertisements",
                change: said)
            try await given.act(.suspend, on: .account(eve.id), of: eve, by: ada.actor)
            try await given.act(.lock, on: post, of: eve)
            try await given.act(.role, on: .account(eve.id), of: eve)
            try await given.act(.unhide, on: post, of: eve, by: .system)

            for reader in [app, app.as(moe)] {
                let answer = try await reader.get(Self.log)
                #expect(answer.status == .ok)
                let lines = answer.json["items"]?.elements ?? []
                #expect(lines.compactMap { $0["by"]?.text } == ["server", "admin", "admin", "moderator"])
                #expect(lines.compactMap { $0["kind"]?.text } == ["post", "post", "reader", "post"])
                #expect(lines[2]["action"] == "account.suspend" && lines[2]["undone_at"] == .null)
                #expect(lines[3]["public"] == "advertisements" && lines[3]["until"]?.text == until.text)
                #expect(lines[3]["undone_at"] != .null && lines[3]["target_count"] == 1)
                for word in ["canary", "it is spam", "eve_name", "Eve", "moe_name", eve.id.text, moe.id.text, "role"] {
                    #expect(!answer.text.contains(word), "\(word)")
                }
            }
            // Nothing of those who have left.
            try await app.world.community.accounts.close(eve.id)
            #expect(try await lines(app).isEmpty)
        }
    }

    @Test func `a decision on a report stands there where the moderator says something to everybody`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let given = app.world.given
            let (eve, moe) = (try await given.account("eve"), app.as(try await given.account("moe", role: .moderator)))
            let queue = "/api/v1/moderation/reports"
            for said in [nil, "books are for readers"] as [String?] {
                let post = try await given.thread(on: try await given.book(), by: eve.id).post
                let made = try await app.as(try await given.account()).post(
                    "/api/v1/reports",
                    ["target": .string("post:\(post)"), "category": "spam", "text": "canary of report"])
                #expect(made.status == .created, "\(made.text)")
                let about = try #require(try await moe.get(queue).json["items"]?[0]?["id"]?.text)
                let decided = try await moe.post(
                    "\(queue)/\(about)/decision",
                    [
                        "outcome": "acted", "version": 1, "reason": "canary of reason",
                        "public": said.map { .string($0) } ?? .null,
                    ])
                #expect(decided.status == .ok, "\(decided.text)")
            }
            let answer = try await app.get(Self.log)
            #expect(answer.json["items"]?.elements.count == 1 && !answer.text.contains("canary"))
            #expect(answer.json["items"]?[0]?["action"] == "report.resolve")
            #expect(answer.json["items"]?[0]?["public"] == "books are for readers")
        }
    }

    @Test(.requirement("DIS-5"))
    func `what is done in a private group stands in the log of its members alone`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let given = app.world.given
            let (ann, bob) = (try await given.account(), try await given.account())
            let stranger = try await given.account()
            var threads: [(group: ID<Groups.Group>, thread: Thing)] = []
            for visibility in [Groups.Openness.private, .public] {
                let group = try await given.club(by: ann.id, visibility)
                threads.append((group, Thing(try await given.thread(in: group, by: ann.id).id)))
            }
            let bulk = try await given.bulk(.lock)
            for (_, thread) in threads { try await given.act(.lock, on: thread, of: ann, by: bob.actor, bulk: bulk) }
            try await given.act(.pin, on: threads[0].thread, of: ann, by: ann.actor)

            #expect(try await lines(app).compactMap { $0["action"]?.text } == ["thread.lock"])
            func path(_ place: Int) -> String { "/api/v1/groups/\(threads[place].group)/moderation/log" }
            let secret = try await lines(app.as(ann), path(0))
            #expect(secret.compactMap { $0["action"]?.text } == ["thread.pin", "thread.lock"])
            #expect(secret.compactMap { $0["by"]?.text } == ["group", "group"])
            #expect(try await lines(app.as(ann), path(1)).count == 1)
            #expect(try await app.as(stranger).get(path(0)).status == .notFound)
            #expect(try await app.as(stranger).get(path(1)).code == "not_a_member")
            #expect(try await app.get(path(1)).status == .unauthorized)
        }
    }

    @Test func `an act on many things is one line`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let (given, world) = (app.world.given, app.world)
            let eve = try await given.account("eve")
            let book = try await given.book()
            var targets: [Reference] = []
            let others = [try await given.account(), try await given.account()]
            for other in others { targets.append(.thing(Thing(try await given.thread(on: book, by: other.id).post))) }
            for _ in 0..<3 { targets.append(.thing(Thing(try await given.thread(on: book, by: eve.id).post))) }
            // One of them is so already: it is not counted.
            let again = try await given.thread(on: book, by: eve.id).post
            let order = Moderation.Order(.hide, by: World.terminal, reason: "spam")
            try await world.asSuperuser("update post set hidden_at = now() where id = \(again)")
            let act = try await world.community.moderation.act(order, on: .named(targets + [.thing(Thing(again))]))
            #expect(try await world.work() == 0)
            try await given.act(.warn, on: .account(eve.id), of: eve)
            let lines = try await lines(app)
            #expect(lines.compactMap { $0["target_count"] } == [1, 5])
            #expect(lines.last?["id"]?.text == act.id?.text)
            let first = try await app.get(Self.log + "?limit=1")
            let cursor = try #require(first.json["next_cursor"]?.text)
            #expect(try await self.lines(app, Self.log + "?limit=1&cursor=" + cursor).first?["action"] == "post.hide")
            // As long as one of those whose things it hid has an account, the log tells it.
            try await world.community.accounts.close(eve.id)
            #expect(try await self.lines(app).compactMap { $0["action"]?.text } == ["post.hide"])
            for other in others { try await world.community.accounts.close(other.id) }
            #expect(try await self.lines(app).isEmpty)
        }
    }
}
