import Community
import HTTPTypes
import JSONWriting
import Postgres
import TestSupport
import Testing
import Web

/// What moderators do to photographs, and what is left of them for that.
@Suite(.database)
struct PhotosModerationTests {
    @Test(.requirement("DIS-5"))
    func `a photograph is reported, looked at by moderators while its case is open, hidden and brought back`()
        async throws
    {
        try await withApp(leaving: [.jobs, .outbox], hasPages: true) { app in
            let scene = try await HidingScene(app)
            let (world, given) = (app.world, app.world.given)
            let photo = try await given.photo(
                of: scene.book, by: scene.ann.id, comment: "canarycomment", alt: "canaryalt", words: "canarywords")
            let file = "/api/v1/photos/\(photo)/320"
            let moderator = app.as(try await given.account(role: .moderator))
            let names = ["photo": photo.text, "width": "320"]
            #expect(try await scene.readers(of: "canarycomment", names) == ["author", "friend"])
            #expect(try await scene.readers(of: "canarywords", names) == ["author"])
            // Who may not see it does not report it either.
            let report: JSONValue = ["target": .string("photo:\(photo)"), "category": "abuse"]
            #expect(try await app.as(scene.eve).post("/api/v1/reports", report).status == .notFound)
            #expect(try await moderator.get(file).status == .notFound)
            let made = try await scene.friend.post("/api/v1/reports", report)
            #expect(made.status == .created, "\(made.text)")
            let queue = try await moderator.get("/api/v1/moderation/reports").json["items"]?[0]
            #expect(queue?["target"]?.text == "photo:\(photo)")
            let about = try await moderator.get("/api/v1/moderation/reports/\(queue?["id"]?.text ?? "")").text
            #expect(about.contains("canarycomment") && about.contains("canaryalt") && !about.contains("canarywords"))
            #expect(about.contains("/api/v1/photos/\(photo)/1280"))
            // The file that it names; a program with a token needs leave to moderate for that.
            #expect(try await moderator.get(file).status == .ok)
            #expect(try await app.as(scene.eve).get(file).status == .notFound)

            try await scene.act(.hide, on: photo)
            #expect(try await scene.readers(of: "canarycomment", names) == ["author"])
            #expect(try await scene.friend.get(file).status == .notFound)
            let own = try await scene.author.get("/api/v1/photos/\(photo)").json
            #expect(own["is_hidden"] == true && own["visibility"] == .null && own["comment"] == "canarycomment")
            // Its reader gives it another level, and it stays hidden.
            let changed = try await scene.author.patch("/api/v1/photos/\(photo)", ["visibility": "public"])
            #expect(changed.json["is_hidden"] == true && changed.json["visibility"] == "public")
            #expect(try await scene.readers(of: "canarycomment", names) == ["author"])
            try await scene.act(.unhide, on: photo)
            #expect(try await scene.readers(of: "canarycomment", names) == HidingScene.everybody)
            try await scene.act(.hide, on: photo)

            // Its reader deletes it: the file is kept for those who decide, and shown to nobody.
            let files = try storedFiles(of: world).count
            #expect(try await world.delete(photo, by: scene.ann.id))
            #expect(try await world.work() == 0)
            #expect(try await scene.author.get("/api/v1/photos/\(photo)").status == .notFound)
            #expect(try await moderator.get(file).status == .notFound)
            #expect(try storedFiles(of: world).count == files)
            #expect(try await world.asSuperuser("select photos, photo_bytes from media_tally") == [["0", "0"]])
            #expect(try await world.everyDifference() == [])
            world.clock.advance(by: Limits.moderation.evidence + .seconds(7_200))
            _ = try await world.community.media.sweep()
            #expect(try await world.asSuperuser("select from picture").isEmpty)
            #expect(try storedFiles(of: world).isEmpty)
            #expect(try await world.everyDifference() == [])
        }
    }

    @Test(.requirement("DIS-5"))
    func `a moderator deletes a photograph for good, finds others by their words, and nothing is left`() async throws {
        try await withApp(leaving: [.jobs, .outbox], hasPages: true) { app in
            let scene = try await HidingScene(app)
            let (world, given) = (app.world, app.world.given)
            let photo = try await given.photo(
                of: scene.book, by: scene.ann.id, comment: "buy canarypills now", visibility: .members)
            _ = try await given.photo(
                of: scene.book, by: scene.ann.id, comment: "canarypills of mine", visibility: .friends)
            let moderator = app.as(try await given.account(role: .moderator))
            let since = (world.clock.now() - .seconds(86_400)).text
            let found = try await moderator.get("/api/v1/moderation/content?text=canarypills&since=\(since)").json
            let targets = found["items"]?.elements.compactMap { $0["target"]?.text } ?? []
            #expect(targets == ["photo:\(photo)"], "\(found)")
            let order = Moderation.Order(.delete, by: .terminal("test"), reason: "spam")
            _ = try await world.community.moderation.act(order, on: .thing(Thing(photo)))
            #expect(try await world.work() == 0)
            #expect(try await world.asSuperuser("select count(*) from photo") == [["1"]])
            #expect(try storedFiles(of: world).count == 3)
            #expect(try await world.everyDifference() == [])
        }
    }

    @Test(.enabled(if: Pictures.canBeConverted))
    func `a photograph that is hidden keeps its former image for as long as evidence is kept`() async throws {
        try await withApp(leaving: [.jobs, .outbox], hasPages: true) { app in
            let scene = try await HidingScene(app)
            let world = app.world
            let made = try await scene.author.photograph(scene.book, try Pictures.halves(200, 100, as: "a.jpg"))
            let photo = try #require(made.json["id"]?.text.flatMap { ID<Photos.Photo>(text: $0) })
            try await scene.act(.hide, on: photo)
            let replaced = try await scene.author.send(
                .put, "/api/v1/photos/\(photo)/image", body: try Pictures.halves(300, 100, as: "a.jpg"),
                headers: [.contentType: "image/jpeg"])
            #expect(replaced.json["is_hidden"] == true, "\(replaced.text)")
            #expect(try await world.asSuperuser("select count(*), count(hidden_at) from picture") == [["2", "1"]])
            #expect(try await world.asSuperuser("select photos from media_tally") == [["1"]])
            #expect(try await world.everyDifference() == [])
        }
    }
}
