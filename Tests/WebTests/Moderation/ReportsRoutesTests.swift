import Community
import HTTPTypes
import TestSupport
import Testing

@testable import Web

@Suite(.database)
struct ReportsRoutesTests {
    /// The cases that there are, the most urgent first.
    private func cases(in world: World) async throws -> [String] {
        try await world.asSuperuser(
            """
            select subject_kind || ' ' || state || ' ' || category || ' ' || reports || '/' || reporters || ' ' || priority
              from moderation_case order by priority desc, id
            """
        ).compactMap { $0[0] }
    }

    private func report(
        _ target: String, _ category: String = "spam", text: String? = nil, by app: TestApp
    ) async throws -> TestAnswer {
        try await app.post(
            "/api/v1/reports",
            ["target": .string(target), "category": .string(category), "text": text.map { .string($0) } ?? .null])
    }

    @Test(.requirement("DIS-5"))
    func `a reader reports what they see, and sees what they reported`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let given = app.world.given
            let (eve, ann) = (try await given.account("eve", name: "Eve"), try await given.account("ann"))
            let book = try await given.book()
            let thread = try await given.thread(on: book, by: eve.id, title: "Watches", body: "Buy them.")
            let review = try await given.review(by: eve.id, of: book, body: "Buy watches.")
            let reader = app.as(ann)
            for (target, category) in [
                ("post:\(thread.post)", "spam"), ("review:\(review.id)", "abuse"), ("reader:eve", "rule"),
            ] {
                let made = try await report(target, category, text: "Again and again.", by: reader)
                #expect(made.status == .created, "\(made.text)")
                #expect(made.json["id"]?.text != nil)
            }
            let mine = try await reader.get("/api/v1/me/reports")
            #expect(
                mine.json["items"]?.elements.compactMap { $0["target"]?.text } == [
                    "reader:eve", "review:\(review.id)", "post:\(thread.post)",
                ])
            #expect(mine.json["items"]?[0]?["state"] == "open")
            #expect(mine.json["items"]?[0]?["text"] == "Again and again.")
            // Nobody else sees them.
            #expect(try await app.as(eve).get("/api/v1/me/reports").json["items"]?.elements.isEmpty == true)
            #expect(
                try await cases(in: app.world) == [
                    "review open abuse 1/0 300", "post open spam 1/0 200", "account open rule 1/0 100",
                ])
            #expect(try await app.world.everyDifference() == [])
        }
    }

    @Test
    func `all reports about one thing are one case, the gravest says what it is, and each counts as it was right`()
        async throws
    {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let given = app.world.given
            let eve = try await given.account("eve")
            let book = try await given.book()
            let thread = try await given.thread(on: book, by: eve.id)
            let target = "post:\(thread.post)"
            let elders = [try await given.elder(), try await given.elder()]
            #expect(try await report(target, "other", by: app.as(elders[0])).status == .created)
            #expect(try await cases(in: app.world) == ["post open other 1/1 150"])
            let twice = try await report(target, "legal", by: app.as(elders[0]))
            #expect(twice.status == .conflict && twice.code == "already_reported", "\(twice.text)")
            #expect(try await report(target, "legal", by: app.as(elders[1])).status == .created)
            #expect(try await report(target, "spam", by: app.as(try await given.account())).status == .created)
            #expect(try await cases(in: app.world) == ["post open legal 3/2 800"])
            // What an author changes and deletes stays as it was reported.
            #expect(try await app.as(eve).delete("/api/v1/posts/\(thread.post)").status == .noContent)
            let said = try await app.world.asSuperuser("select said ->> 'body' from moderation_evidence")
            #expect(said.compactMap { $0[0] } == ["What I think.", "What I think.", "What I think."])
            #expect(try await report(target, by: app.as(try await given.account())).status == .notFound)
            #expect(try await app.world.everyDifference() == [])
        }
    }

    @Test func `who is right is trusted more, and a report after the decision opens the case again`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let given = app.world.given
            let (eve, elder) = (try await given.account("eve"), try await given.elder())
            let book = try await given.book()
            let reader = app.as(elder)
            for expected in ["post open spam 1/1 300", "post open spam 1/1 333"] {
                let thread = try await given.thread(on: book, by: eve.id)
                #expect(try await report("post:\(thread.post)", by: reader).status == .created)
                let found = try await cases(in: app.world)
                #expect(found.contains(expected), "\(found)")
                try await decide(in: app.world)
            }
            #expect(
                try await reader.get("/api/v1/me/reports").json["items"]?.elements.compactMap { $0["state"]?.text }
                    == ["acted", "acted"])
            let again = try await app.world.asSuperuser("select subject_id from moderation_case order by id limit 1")
            let target = "post:\(try #require(again.first?[0]))"
            #expect(try await report(target, "rule", by: reader).status == .created)
            #expect(try await cases(in: app.world).contains("post open rule 1/1 175"))
            #expect(try await app.world.everyDifference() == [])
        }
    }

    /// All open cases are decided: something was done.
    private func decide(in world: World) async throws {
        try await world.asSuperuser(
            """
            update moderation_case set state = 'acted', decided_at = now() where state = 'open';
            update report set state = 'acted', decided_at = now() where state = 'open'
            """)
    }

    @Test func `what is not seen, one's own and what is no thing is refused, and the frozen and unverified may report`()
        async throws
    {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let given = app.world.given
            let (eve, ann) = (try await given.account("eve"), try await given.account("ann"))
            let book = try await given.book()
            let thread = try await given.thread(on: book, by: eve.id)
            let secret = try await given.review(by: eve.id, of: book, visibility: .private)
            let reader = app.as(ann)
            for target in ["review:\(secret.id)", "post:7", "reader:nobody_here", "list:7"] {
                #expect(try await report(target, by: reader).status == .notFound, "\(target)")
            }
            for (target, code) in [
                ("reader:ann", "own"), ("book:\(book)", "unknown"), ("poem:7", "unknown"), ("post7", "bad_format"),
                ("post:", "bad_format"), ("post:x", "bad_format"), ("x", "too_short"),
            ] {
                let refused = try await report(target, by: reader)
                #expect(refused.status == .unprocessableContent, "\(target)")
                #expect(refused.json["errors"]?[0]?["code"]?.text == code, "\(target): \(refused.text)")
            }
            #expect(try await report("reader:eve", "boring", by: reader).status == .unprocessableContent)
            #expect(try await report("reader:eve", text: " \n ", by: reader).status == .unprocessableContent)
            #expect(try await report("reader:eve", by: app).status == .unauthorized)
            let post = "post:\(thread.post)"
            for signed in [
                try await given.account(state: .frozen), try await given.account(isVerified: false),
            ] {
                #expect(try await report(post, by: app.as(signed)).status == .created)
            }
            #expect(try await app.as(eve).put("/api/v1/me/blocks/ann").status == .noContent)
            #expect(try await report(post, by: reader).status == .notFound)
            // Somebody who blocked them is as little there as nobody.
            let (blocked, nobody) = (
                try await report("reader:eve", by: reader), try await report("reader:evi", by: reader)
            )
            #expect(blocked.json["detail"]?.text == nobody.json["detail"]?.text?.replacing("evi", with: "eve"))
        }
    }

    @Test func `a reader reports twenty things a day`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let given = app.world.given
            let (eve, ann) = (try await given.account("eve"), try await given.account("ann"))
            let book = try await given.book()
            let thread = try await given.thread(on: book, by: eve.id)
            let reader = app.as(ann)
            for _ in 0..<Limits.moderation.reportsPerDay {
                let post = try await given.post(in: thread.id, by: eve.id)
                #expect(try await report("post:\(post)", by: reader).status == .created)
            }
            let refused = try await report("post:\(thread.post)", by: reader)
            #expect(refused.status == .tooManyRequests, "\(refused.text)")
            app.world.clock.advance(by: .seconds(86_401))
            #expect(try await report("post:\(thread.post)", by: reader).status == .created)
        }
    }

    @Test func `twenty readers who report at once make one case with twenty reports`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let given = app.world.given
            let eve = try await given.account("eve")
            let thread = try await given.thread(on: try await given.book(), by: eve.id)
            var readers: [TestApp] = []
            for _ in 0..<20 { readers.append(app.as(try await given.account())) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for reader in readers {
                    group.addTask {
                        let made = try await report("post:\(thread.post)", by: reader)
                        #expect(made.status == .created, "\(made.text)")
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await cases(in: app.world) == ["post open spam 20/0 200"])
            #expect(try await app.world.everyDifference() == [])
        }
    }
}
