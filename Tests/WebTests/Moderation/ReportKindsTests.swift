import Community
import HTTPTypes
import TestSupport
import Testing

@testable import Web

/// Reports on each kind of things, and what is kept of them.
@Suite(.database)
struct ReportKindsTests {
    private func report(_ target: String, _ messages: [String]? = nil, by app: TestApp) async throws -> TestAnswer {
        var body: [String: JSONValue] = ["target": .string(target), "category": "abuse"]
        if let messages { body["messages"] = .array(messages.map { .string($0) }) }
        return try await app.post("/api/v1/reports", .object(body))
    }

    /// What is kept, oldest first: kind, author and what one said.
    private func evidence(in world: World) async throws -> [[String?]] {
        try await world.asSuperuser(
            """
            select evidence.kind, account.username, evidence.said ->> coalesce(case kind when 'group' then 'name' end, 'body')
              from moderation_evidence evidence left join account on account.id = evidence.author_id order by evidence.id
            """)
    }

    @Test(.requirement("DIS-5"))
    func `replies, groups and pictures are reported by their names, and the queue names them so`() async throws {
        try await withApp(leaving: [.jobs, .outbox], hasPages: true) { app in
            let (world, given) = (app.world, app.world.given)
            let (eve, ann) = (try await given.account("eve"), try await given.account("ann"))
            let review = try await given.review(by: ann.id, of: try await given.book(), body: "Good.").id
            let reply = try await world.community.reviews.reply("Bad.", to: review, by: eve.id).id
            let club = try await given.club(by: eve.id, name: "Club")
            let secret = try await given.club(by: eve.id, .private, name: "Secret", with: [(ann.id, .member)])
            try await world.asSuperuser(
                """
                insert into picture (id, kind, owner_id, width, height, size, created_at)
                values (7, 'profile', \(eve.id), 9, 9, 9, now());
                insert into account_picture values (\(eve.id), 7);
                insert into media_tally values (\(eve.id), 9, 1);
                """)
            let targets = ["review_reply:\(reply)", "group:\(club)", "group:\(secret)", "picture:Eve"]
            for target in targets {
                let made = try await report(target, by: app.as(ann))
                #expect(made.status == .created, "\(target): \(made.text)")
                #expect(try await report(target, by: app.as(eve)).pointers == ["/target"])
            }
            let other = app.as(try await given.account())
            #expect(try await report("group:\(secret)", by: other).status == .notFound)
            #expect(try await report("picture:ann", by: other).status == .notFound)
            #expect(try await report("picture:nobody_here", by: other).status == .notFound)
            let named = ["review_reply:\(reply)", "group:\(club)", "group:\(secret)", "picture:eve"]
            let mine = try await app.as(ann).get("/api/v1/me/reports").json["items"]?.elements ?? []
            #expect(mine.compactMap { $0["target"]?.text } == named.reversed())
            let moderator = app.as(try await given.account(role: .moderator))
            let queue = try await moderator.get("/api/v1/moderation/reports").json["items"]?.elements ?? []
            #expect(Set(queue.compactMap { $0["target"]?.text }) == Set(named))
            #expect(
                try await evidence(in: world) == [
                    ["review_reply", "eve", "Bad."], ["group", "eve", "Club"], ["group", "eve", "Secret"],
                    ["picture", "eve", nil],
                ])
            // Who leads the club answers for it; a private one is known by its evidence alone.
            #expect(try await moderator.get("/api/v1/groups/\(secret)").status == .notFound)
            try await world.asSuperuser("delete from picture; delete from media_tally")
            #expect(try await world.everyDifference() == [])
        }
    }

    @Test(.requirement("DIS-5"))
    func `a message is reported by one of its two, with at most five around it, and no more of it is read`()
        async throws
    {
        try await withApp(leaving: [.jobs, .outbox], hasPages: true) { app in
            let (world, given) = (app.world, app.world.given)
            let (ann, eve, conversation) = try await given.correspondents()
            var sent: [Messages.Message] = []
            for (place, sender) in [ann, eve, eve, ann, eve, eve, eve, eve].enumerated() {
                sent.append(try await given.message("zqword\(place)", in: conversation, by: sender))
            }
            let (_, third, other) = try await given.correspondents()
            let foreign = try await given.message("Elsewhere", in: other, by: third)
            let ids = sent.map(\.id.text)
            let target = "message:\(ids[2])"
            #expect(try await report(target, by: app.as(third)).status == .notFound)
            #expect(try await report("message:\(ids[0])", by: app.as(ann)).pointers == ["/target"])
            for (messages, code) in [
                (Array(ids[3...]) + [ids[0]], "too_long"), ([foreign.id.text], "unknown"), (["7"], "unknown"),
                (["x"], "bad_format"),
            ] {
                let refused = try await report(target, messages, by: app.as(ann))
                #expect(refused.json["errors"]?[0]?["code"]?.text == code, "\(refused.text)")
                #expect(refused.pointers.first?.hasPrefix("/messages") == true)
            }
            let review = try await given.review(by: eve.id, of: try await given.book())
            #expect(try await report("review:\(review.id)", [ids[0]], by: app.as(ann)).pointers == ["/messages"])
            #expect(try await app.as(eve).delete("/api/v1/messages/\(ids[4])").status == .noContent)
            #expect(try await report(target, [ids[4]], by: app.as(ann)).pointers == ["/messages"])
            let deleted = try await report("message:\(ids[4])", by: app.as(ann))
            #expect(deleted.status == .notFound, "\(deleted.text)")

            let made = try await report(target, [ids[3], ids[1], ids[2]], by: app.as(ann))
            #expect(made.status == .created, "\(made.text)")
            #expect(
                try await evidence(in: world) == [
                    ["message", eve.username, "zqword1"], ["message", eve.username, "zqword2"],
                    ["message", ann.username, "zqword3"],
                ])
            // The sender deletes it: what was reported stays. The rest of the conversation is nowhere.
            #expect(try await app.as(eve).delete("/api/v1/messages/\(ids[2])").status == .noContent)
            let moderator = app.as(try await given.account(role: .moderator))
            let found = try await moderator.get("/api/v1/moderation/reports").json["items"]?[0]
            #expect(found?["target"]?.text == target)
            let file = try await moderator.get("/api/v1/moderation/reports/\(found?["id"]?.text ?? "")").text
            #expect(file.contains("zqword2") && file.contains("zqword3") && !file.contains("zqword5"))
            let names = ["conversation": conversation.text, "message": ids[2], "username": eve.username]
            for sight in try await CanaryWalk().look(with: names, as: moderator)
            where !sight.path.contains("moderation") {
                #expect(!sight.text.contains("zqword"), "\(sight.path)")
            }
            // With the account of its author the case ends: what that said goes, what others said at its time.
            try await world.community.accounts.close(eve.id)
            #expect(try await evidence(in: world) == [["message", ann.username, "zqword3"]])
            world.clock.advance(by: Limits.moderation.evidence + .seconds(1))
            #expect(try await world.community.moderation.eraseEvidence() == 1)
            #expect(try await world.everyDifference() == [])
        }
    }
}
