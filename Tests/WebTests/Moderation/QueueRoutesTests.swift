import Community
import HTTPTypes
import TestSupport
import Testing

@testable import Web

@Suite(.database)
struct QueueRoutesTests {
    private static let queue = "/api/v1/moderation/reports"

    /// A post of Eve's that two readers reported, its case as a moderator sees it.
    private struct Scene {
        let app: TestApp
        let eve: Signed, moderator: TestApp, other: TestApp
        let post: ID<Boards.Post>
        let reporters: [TestApp]
        let path: String

        init(_ app: TestApp) async throws {
            let given = app.world.given
            self.app = app
            eve = try await given.account("eve")
            moderator = app.as(try await given.account("moe", role: .moderator))
            other = app.as(try await given.account("max", role: .moderator))
            post = try await given.thread(on: try await given.book(), by: eve.id, body: "Buy watches.").post
            reporters = [app.as(try await given.elder()), app.as(try await given.account())]
            for (reporter, text) in zip(reporters, ["Look at it.", "Again."]) {
                let made = try await reporter.post(
                    "/api/v1/reports",
                    ["target": .string("post:\(post)"), "category": "spam", "text": .string(text)])
                #expect(made.status == .created, "\(made.text)")
            }
            let list = try await moderator.get(QueueRoutesTests.queue)
            path = QueueRoutesTests.queue + "/" + (try #require(list.json["items"]?[0]?["id"]?.text, "\(list.text)"))
        }

        func version(sourceLocation: SourceLocation = #_sourceLocation) async throws -> JSONValue {
            try #require(try await moderator.get(path).json["case"]?["version"], sourceLocation: sourceLocation)
        }

        func decide(_ outcome: String, version: JSONValue, by who: TestApp) async throws -> TestAnswer {
            try await who.post(
                path + "/decision", ["outcome": .string(outcome), "version": version, "reason": "it is spam"])
        }
    }

    @Test(.requirement("DIS-5"))
    func `a moderator finds the case, reads what was said, claims it, decides it, and its reporters hear of it`()
        async throws
    {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let scene = try await Scene(app)
            // The author deletes it: what was reported stays.
            #expect(try await app.as(scene.eve).delete("/api/v1/posts/\(scene.post)").status == .noContent)
            let file = try await scene.moderator.get(scene.path)
            #expect(file.json["case"]?["target"]?.text == "post:\(scene.post)")
            #expect(file.json["case"]?["author"]?["username"] == "eve")
            #expect(file.json["reports"]?.elements.compactMap { $0["text"]?.text } == ["Again.", "Look at it."])
            #expect(file.json["reports"]?.elements.map { $0["trust"] } == [.null, 0.5])
            #expect(file.json["evidence"]?[0]?["said"]?["body"] == "Buy watches.")
            let claimed = try await scene.moderator.put(scene.path + "/claim")
            #expect(claimed.status == .ok && claimed.json["claimed_by"] == "moe", "\(claimed.text)")
            let noted = try await scene.moderator.post(scene.path + "/notes", ["text": "third time"])
            #expect(noted.status == .ok, "\(noted.text)")
            let decided = try await scene.decide("acted", version: try await scene.version(), by: scene.moderator)
            #expect(decided.status == .ok && decided.json["state"] == "acted", "\(decided.text)")
            #expect(decided.json["claimed_by"] == .null)
            for reporter in scene.reporters {
                let mine = try await reporter.get("/api/v1/me/reports").json["items"]?[0]
                #expect(mine?["state"] == "acted" && mine?["decided_at"] != .null)
            }
            let acts = try await scene.moderator.get(scene.path).json["acts"]
            #expect(acts?.elements.compactMap { $0["action"]?.text } == ["report.resolve", "report.note"])
            #expect(try await scene.moderator.get(Self.queue).json["items"]?.elements.isEmpty == true)
            let done = try await scene.moderator.get(Self.queue + "?state=decided&category=spam&limit=1")
            #expect(done.json["items"]?.elements.count == 1)
            #expect(try await app.world.everyDifference() == [])
        }
    }

    @Test func `of two moderators with one case one wins, and the other learns who was first`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let scene = try await Scene(app)
            #expect(try await scene.moderator.put(scene.path + "/claim").status == .ok)
            let version = try await scene.version()
            for refused in [
                try await scene.other.put(scene.path + "/claim"),
                try await scene.decide("dismissed", version: version, by: scene.other),
            ] {
                #expect(refused.status == .conflict && refused.code == "claimed", "\(refused.text)")
                #expect(refused.json["detail"]?.text?.contains("moe looks at this case") == true)
            }
            // What is not theirs they do not let go of.
            #expect(try await scene.other.delete(scene.path + "/claim").json["claimed_by"] == "moe")
            app.world.clock.advance(by: .seconds(1_801))
            #expect(try await scene.other.put(scene.path + "/claim").json["claimed_by"] == "max")
            #expect(try await scene.other.delete(scene.path + "/claim").json["claimed_by"] == .null)
            let stale = try await scene.decide("dismissed", version: version, by: scene.moderator)
            #expect(stale.status == .conflict && stale.code == "changed", "\(stale.text)")
            let current = try await scene.version()
            let answers = try await withThrowingTaskGroup(of: TestAnswer.self) { group in
                for (who, outcome) in [(scene.moderator, "acted"), (scene.other, "dismissed")] {
                    group.addTask { try await scene.decide(outcome, version: current, by: who) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.map(\.status.code).sorted() == [200, 409], "\(answers.map(\.text))")
            #expect(answers.compactMap(\.code) == ["decided"])
            #expect(try await app.world.everyDifference() == [])
        }
    }

    @Test func `the claim of a lower role gives way, that of a higher one does not`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let scene = try await Scene(app)
            let chief = app.as(try await app.world.given.account("chief", role: .admin))
            #expect(try await scene.moderator.put(scene.path + "/claim").status == .ok)
            #expect(try await chief.put(scene.path + "/claim").json["claimed_by"] == "chief")
            #expect(try await scene.moderator.put(scene.path + "/claim").code == "claimed")
            let version = try await scene.version()
            #expect(try await scene.decide("acted", version: version, by: scene.moderator).code == "claimed")
            #expect(try await scene.decide("acted", version: version, by: chief).status == .ok)
        }
    }

    @Test func `a decision is taken back, and its reports wait again`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let scene = try await Scene(app)
            let early = try await scene.moderator.post(
                scene.path + "/reopen", ["version": try await scene.version(), "reason": "too soon"])
            #expect(early.status == .conflict && early.code == "open", "\(early.text)")
            #expect(
                try await scene.decide("dismissed", version: try await scene.version(), by: scene.moderator).status
                    == .ok)
            let again = try await scene.moderator.post(
                scene.path + "/reopen", ["version": try await scene.version(), "reason": "a mistake"])
            #expect(again.status == .ok && again.json["state"] == "open", "\(again.text)")
            #expect(again.json["report_count"] == 2 && again.json["reporter_count"] == 1)
            #expect(try await scene.reporters[0].get("/api/v1/me/reports").json["items"]?[0]?["state"] == "open")
            #expect(try await app.world.everyDifference() == [])
        }
    }

    @Test(.requirement("DIS-5"))
    func `each reporter is notified of the decision, and not of what was done`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let scene = try await Scene(app)
            func told(_ reporter: TestApp) async throws -> [JSONValue] {
                try await reporter.get("/api/v1/me/notifications").json["items"]?.elements ?? []
            }
            let decided = try await scene.decide("acted", version: try await scene.version(), by: scene.moderator)
            #expect(decided.status == .ok, "\(decided.text)")
            #expect(try await app.world.tell() == 0)
            for reporter in scene.reporters {
                let list = try await told(reporter)
                #expect(list.count == 1 && list.first?["kind"] == "report.decided")
                #expect(list.first?["text"] == "Moderators looked at your report and did something")
                #expect(list.first?["report"]?["target"]?.text == "post:\(scene.post)")
                #expect(list.first?["report"]?["state"] == "acted" && list.first?["act"] == .null)
                #expect(list.first.map { !"\($0)".contains("moe") && !"\($0)".contains("spam") } == true)
            }
            #expect(try await told(app.as(scene.eve)).isEmpty)
            #expect(try await told(scene.moderator).isEmpty)

            // Taken back, it says nothing; decided again, it is another.
            let version = try await scene.version()
            let again = try await scene.moderator.post(
                scene.path + "/reopen", ["version": version, "reason": "a mistake"])
            #expect(again.status == .ok, "\(again.text)")
            #expect(try await told(scene.reporters[0]).isEmpty)
            let second = try await scene.decide("dismissed", version: try await scene.version(), by: scene.moderator)
            #expect(second.status == .ok, "\(second.text)")
            #expect(try await app.world.tell() == 0)
            let list = try await told(scene.reporters[0])
            #expect(list.compactMap { $0["report"]?["state"]?.text } == ["dismissed"])
            #expect(try await app.world.notificationDifferences() == [])
        }
    }

    @Test func `nobody decides about themselves, an equal or a superior, and others see no queue`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let scene = try await Scene(app)
            for (reader, path) in [(scene.reporters[0], Self.queue), (app.as(scene.eve), scene.path)] {
                let refused = try await reader.get(path)
                #expect(refused.status == .forbidden && refused.code == "not_moderator", "\(refused.text)")
            }
            for name in ["moe", "max"] {
                #expect(
                    try await scene.reporters[0].post(
                        "/api/v1/reports", ["target": .string("reader:" + name), "category": "abuse"]
                    ).status == .created)
            }
            let cases = try #require(
                try await scene.moderator.get(Self.queue + "?category=abuse").json["items"]?.elements)
            #expect(cases.count == 2)
            for about in cases {
                let refused = try await scene.moderator.post(
                    Self.queue + "/" + (about["id"]?.text ?? "") + "/decision",
                    ["outcome": "dismissed", "version": about["version"] ?? 1, "reason": "not me"])
                #expect(refused.status == .forbidden && refused.code == "role_too_low", "\(refused.text)")
            }
            for (body, field) in [
                (["outcome": "maybe", "version": 1, "reason": "r"], "/outcome"),
                (["outcome": "acted", "version": 1, "reason": "  "], "/reason"),
                (["outcome": "acted", "reason": "r"], "/version"),
                (["outcome": "acted", "version": 1, "reason": "r", "public": " "], "/public"),
                (
                    [
                        "outcome": "acted", "version": 1, "reason": "r",
                        "public": .string(String(repeating: "a", count: 501)),
                    ], "/public"
                ),
            ] as [(JSONValue, String)] {
                let refused = try await scene.moderator.post(scene.path + "/decision", body)
                #expect(refused.status == .unprocessableContent, "\(refused.text)")
                #expect(refused.json["errors"]?[0]?["pointer"]?.text == field, "\(refused.text)")
            }
        }
    }

    @Test func `evidence is erased half a year after the decision, and with its author's account`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let scene = try await Scene(app)
            let world = app.world
            func kept() async throws -> String? {
                try await world.asSuperuser("select count(*) from moderation_evidence").first?[0]
            }
            #expect(
                try await scene.decide("acted", version: try await scene.version(), by: scene.moderator).status == .ok)
            world.clock.advance(by: .seconds(179 * 86_400))
            #expect(try await world.community.moderation.eraseEvidence() == 0)
            world.clock.advance(by: .seconds(2 * 86_400))
            #expect(try await world.community.moderation.eraseEvidence() == 2)
            #expect(try await kept() == "0")
        }
    }
}
