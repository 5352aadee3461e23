import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import Community
@testable import Web

/// What open sockets hear of moderation at once.
@Suite(.database)
struct ModerationStreamTests {
    private func told(_ client: WebSocketClient, _ kind: String) -> [ServerFrame] {
        client.frames("event").filter { $0.text("kind") == kind }
    }

    @Test(.requirement("DIS-5"))
    func `everybody hears of readers who are seen no more, and of those who are seen again`() async throws {
        try await withStream { stream in
            let (world, given) = (stream.world, stream.world.given)
            let (ann, eve) = (try await given.account(), try await given.account("eve"))
            let client = try await stream.open(ann)
            client.subscribe("server")
            try await client.hear("subscribed", on: "server")
            let accounts = world.community.accounts
            func hears(_ hidden: Int, _ shown: Int) async throws {
                try await eventually {
                    self.told(client, "readers.hidden").count == hidden
                        && self.told(client, "readers.shown").count == shown
                }
            }

            try await accounts.limit("eve", by: World.terminal, reason: "spam")
            try await hears(1, 0)
            // Nobody saw anything but her friends already.
            try await accounts.suspend("eve", by: World.terminal, reason: "spam")
            try await accounts.unsuspend("eve", by: World.terminal, reason: "spam")
            try await accounts.restore("eve", by: World.terminal, reason: "spam")
            try await hears(1, 1)
            // A frozen reader is seen.
            try await accounts.freeze("eve", by: World.terminal, reason: "spam")
            try await accounts.restore("eve", by: World.terminal, reason: "spam")
            try await accounts.leave(eve.id)
            try await hears(2, 1)
            _ = try await stream.app.post(
                "/api/v1/sessions", ["login": "eve", "password": .string(Given.password)])
            try await hears(2, 2)
            try await accounts.close(eve.id)
            try await hears(3, 2)
            for frame in client.frames("event") {
                #expect(frame.members["data"]?["readers"] == .array([.string(eve.id.text)]))
            }
            await client.cut(isAbrupt: false)
        }
    }

    @Test(.requirement("DIS-5"))
    func `moderators hear of cases, until their role ends`() async throws {
        try await withStream { stream in
            let (world, given) = (stream.world, stream.world.given)
            let (ann, eve) = (try await given.account(), try await given.account("eve"))
            let moe = try await given.account("moe", role: .moderator)
            let plain = try await stream.open(ann)
            plain.subscribe("moderation")
            #expect(try await plain.hear("error").text("code") == "unknown_topic")
            let client = try await stream.open(moe)
            client.subscribe("moderation")
            try await client.hear("subscribed", on: "moderation")

            let post = try await given.thread(on: try await given.book(), by: eve.id).post
            func report(_ reader: Signed) async throws {
                let made = try await stream.app.as(reader).post(
                    "/api/v1/reports", ["target": .string("post:\(post)"), "category": "spam"])
                #expect(made.status == .created, "\(made.text)")
            }
            try await report(ann)
            try await report(try await given.account())
            try await eventually { client.frames("event").count == 2 }
            #expect(client.frames("event").map { $0.text("kind") } == ["report.opened", "report.changed"])
            let about = try #require(client.frames("event")[1].members["data"]?["case"])
            #expect(about["category"] == "spam" && about["state"] == "open" && about["version"] == 2)
            let path = "/api/v1/moderation/reports/\(about["id"]?.text ?? "")"
            let moderator = stream.app.as(moe)
            #expect(try await moderator.put(path + "/claim").status == .ok)
            #expect(try await moderator.post(path + "/notes", ["text": "looks like spam"]).status == .ok)
            let decided = try await moderator.post(
                path + "/decision", ["outcome": "acted", "version": 3, "reason": "it is spam"])
            #expect(decided.status == .ok, "\(decided.text)")
            try await eventually { client.frames("event").count == 4 }
            #expect(client.frames("event").last?.members["data"]?["case"]?["state"] == "acted")

            try await world.asSuperuser("update account set role = 'member' where id = \(moe.id)")
            try await given.act(.role, on: .account(moe.id), of: moe)
            #expect(try await client.hear("closed").topic == "moderation")
            try await report(ann)
            client.subscribe("server")
            try await client.hear("subscribed", on: "server")
            #expect(client.frames("event").count == 4)
            client.subscribe("moderation")
            #expect(try await client.hear("error").text("code") == "unknown_topic")
            for client in [plain, client] { await client.cut(isAbrupt: false) }
        }
    }

    @Test func `the end of an account closes the cases about it, and moderators hear of that`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let given = app.world.given
            let eve = try await given.account("eve")
            let made = try await app.as(try await given.account()).post(
                "/api/v1/reports", ["target": "reader:eve", "category": "abuse"])
            #expect(made.status == .created, "\(made.text)")
            try await app.world.community.accounts.close(eve.id)

            let told = try await app.world.outbox().filter { $0.topics == "{moderation}" }
            #expect(told.map(\.kind) == ["report.opened", "report.changed"])
            #expect(told.last?.data.contains("\"state\": \"acted\"") == true)
            #expect(try await app.world.everyDifference() == [])
        }
    }
}
