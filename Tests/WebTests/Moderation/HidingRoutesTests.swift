import Community
import HTTPTypes
import TestSupport
import Testing

@testable import Web

/// What a moderator hides is nowhere but with its author, and comes back whole.
@Suite(.database)
struct HidingRoutesTests {
    @Test(.requirement("DIS-5"))
    func `a hidden review counts nowhere and is read by its reader alone, who may still change and delete it`()
        async throws
    {
        try await withApp(leaving: [.jobs, .outbox], hasPages: true) { app in
            let scene = try await HidingScene(app)
            let (world, path) = (app.world, "/api/v1/books/\(scene.book)/review")
            let review = try await world.given.review(by: scene.ann.id, of: scene.book, body: "zqbody").id
            try await world.given.shelved(scene.book, .read, by: scene.ann.id)
            _ = try await world.community.reviews.reply("zqreply", to: review, by: scene.ben.id)
            let names = ["review": review.text]
            #expect(try await scene.readers(of: "zqbody", names) == HidingScene.everybody)
            let tally = try await world.community.reviews.tally(of: scene.book)
            #expect(tally.n == 1 && tally.reviews == 1)
            #expect(try await world.asSuperuser("select from filling_review").count == 1)

            try await world.clearOutbox()
            try await scene.act(.hide, on: review)
            #expect(try await world.outbox().map(\.kind) == ["review.removed", "review.edited"])
            #expect(try await scene.hearers(of: "review.removed") == [true, true])
            #expect(try await scene.hearers(of: "review.edited") == [true, false])
            #expect(try await scene.readers(of: "zqbody", names) == ["author"])
            #expect(try await scene.readers(of: "zqreply", names) == ["author"])
            #expect(try await world.community.reviews.tally(of: scene.book) == .none)
            #expect(try await world.asSuperuser("select from filling_review").isEmpty)
            let own = try await scene.author.get(path).json
            #expect(own["is_hidden"] == true && own["visibility"] == "public" && own["body"] == "zqbody")
            #expect(try await scene.friend.get("/api/v1/reviews/\(review)").status == .notFound)
            let reacted = try await scene.friend.put("/api/v1/reviews/\(review)/reactions/love")
            #expect(reacted.status == .notFound)

            let history = "/api/v1/reviews/\(review)/history"
            #expect(try await scene.author.get(history).json["items"]?.elements.count == 1)
            #expect(try await scene.friend.get(history).status == .notFound)

            // Its reader says something else, for others; it stays hidden.
            let change: JSONValue = ["rating": 2, "body": "zqother", "visibility": "friends"]
            let changed = try await scene.author.put(path, change)
            #expect(changed.json["is_hidden"] == true && changed.json["visibility"] == "friends", "\(changed.text)")
            #expect(try await scene.readers(of: "zqother", names) == ["author"])
            #expect(try await world.everyDifference() == [])

            try await scene.act(.unhide, on: review)
            #expect(try await scene.hearers(of: "review.edited") == [true, true])
            #expect(try await scene.readers(of: "zqother", names) == ["author", "friend"])
            let back = try await scene.friend.get("/api/v1/reviews/\(review)").json
            #expect(back["is_hidden"] == false && back["visibility"] == "friends" && back["reply_count"] == 1)
            _ = try await scene.author.put(path, ["rating": 2, "body": "zqother", "visibility": "public"])
            #expect(try await world.community.reviews.tally(of: scene.book).n == 1)

            try await scene.act(.hide, on: review)
            #expect(try await scene.author.delete(path).status == .noContent)
            #expect(try await scene.hearers(of: "review.removed") == [true, false])
            await #expect(throws: Failure.notFound("review \(review)")) { try await scene.act(.unhide, on: review) }
            #expect(try await world.everyDifference() == [])
        }
    }

    @Test func `a hidden review follows its reader's settings unseen, and a merge of books leaves it hidden`()
        async throws
    {
        try await withApp(leaving: [.jobs, .outbox], hasPages: true) { app in
            let scene = try await HidingScene(app)
            let (world, path) = (app.world, "/api/v1/books/\(scene.book)/review")
            let review = try await world.given.review(by: scene.ann.id, of: scene.book, body: "zqbody").id
            try await scene.act(.hide, on: review)
            for level in [Visibility.friends, .members] {
                try await world.community.profiles.change([.reviews: level], for: scene.ann.id)
                let own = try await scene.author.get(path).json
                #expect(own["visibility"]?.text == level.description && own["has_own_visibility"] == false)
            }
            #expect(try await scene.friend.get("/api/v1/reviews/\(review)").status == .notFound)
            let other = try await world.given.book("Other")
            try await world.given.review(by: scene.ann.id, of: other, body: "zqother", visibility: .public)
            try await world.community.catalog.merge(
                .book(scene.book), into: .book(other), by: Catalog.Helper(World.terminal))
            let joined = try await scene.author.get("/api/v1/books/\(other)/review").json
            #expect(joined["is_hidden"] == true && joined["visibility"] == "members")
            #expect(try await scene.friend.get("/api/v1/books/\(other)/reviews").json["items"]?.elements == [])
            #expect(try await world.everyDifference() == [])
        }
    }

    @Test func `a hidden reply is not counted and read by its author alone`() async throws {
        try await withApp(leaving: [.jobs, .outbox], hasPages: true) { app in
            let scene = try await HidingScene(app)
            let world = app.world
            let review = try await world.given.review(by: scene.ben.id, of: scene.book, body: "Good.").id
            let (talk, list) = ("/api/v1/reviews/\(review)", "/api/v1/reviews/\(review)/replies")
            let reply = try await world.community.reviews.reply("zqreply", to: review, by: scene.ann.id).id
            let (path, names) = ("/api/v1/review-replies/\(reply)", ["review": review.text, "reply": reply.text])
            _ = try await world.tell()
            #expect(try await scene.readers(of: "zqreply", names) == HidingScene.everybody)
            #expect(try await scene.notices(of: scene.friend) == ["review.reply"])

            try await world.clearOutbox()
            try await scene.act(.hide, on: reply)
            #expect(try await world.outbox().map(\.kind) == ["review.reply_removed"])
            #expect(try await scene.hearers(of: "review.reply_removed") == [true, true])
            #expect(try await scene.readers(of: "zqreply", names) == ["author"])
            #expect(try await scene.friend.get(talk).json["reply_count"] == 0)
            #expect(try await scene.notices(of: scene.friend) == [])
            #expect(try await scene.author.get(path).json["is_hidden"] == true)
            let changed = try await scene.author.patch(path, ["body": "zqother"])
            #expect(changed.json["is_hidden"] == true, "\(changed.text)")
            #expect(try await scene.hearers(of: "review.reply_edited") == [true, false])
            #expect(try await scene.readers(of: "zqother", names) == ["author"])
            // The next one has its number, and is counted alone.
            let next = try await scene.author.post(list, ["body": "Next."])
            #expect(next.json["number"] == 2)
            #expect(try await scene.friend.get(talk).json["reply_count"] == 1)

            try await scene.act(.unhide, on: reply)
            #expect(try await scene.hearers(of: "review.reply_edited") == [true, true])
            #expect(try await scene.readers(of: "zqother", names) == HidingScene.everybody)
            let shown = try await scene.friend.get(list).json["items"]?.elements ?? []
            #expect(shown.map { $0["number"] } == [1, 2] && shown[0]["is_hidden"] == false)
            try await scene.act(.hide, on: reply)
            #expect(try await scene.author.delete(path).status == .noContent)
            #expect(try await scene.friend.get(talk).json["reply_count"] == 1)
            #expect(try await world.everyDifference() == [])
        }
    }

    @Test func `a hidden list is read by its reader alone, and no link opens it`() async throws {
        try await withApp(leaving: [.jobs, .outbox], hasPages: true) { app in
            let scene = try await HidingScene(app)
            let world = app.world
            let made = try await scene.author.post("/api/v1/me/lists", ["title": "zqtitle", "visibility": "public"])
            let list: ID<Library.List> = try #require(ID(text: made.json["id"]?.text ?? ""))
            let path = "/api/v1/lists/\(list)"
            #expect(try await scene.author.put(path + "/books/\(scene.book)", [:]).status == .created)
            let link = try await world.community.library.share(list, by: scene.ann.identity).text
            _ = try await world.community.follows.put(.list(list), by: scene.ben.id)
            let names = ["list": list.text, "token": link]
            #expect(try await scene.readers(of: "zqtitle", names) == HidingScene.everybody)

            try await scene.act(.hide, on: list)
            #expect(try await scene.readers(of: "zqtitle", names) == ["author"])
            for place in [path, path + "/books", "/api/v1/shared/\(link)", "/api/v1/shared/\(link)/books"] {
                #expect(try await scene.friend.get(place).status == .notFound, "\(place)")
            }
            #expect(try await scene.friend.get("/api/v1/me/follows").json["items"]?.elements == [])
            #expect(try await scene.author.get(path).json["visibility"] == "public")
            let changed = try await scene.author.patch(path, ["title": "zqother", "visibility": .null])
            #expect(changed.json["is_hidden"] == true && changed.json["visibility"] == .null, "\(changed.text)")
            #expect(try await scene.readers(of: "zqother", names) == ["author"])

            try await scene.act(.unhide, on: list)
            #expect(try await scene.friend.get(path).json["is_hidden"] == false)
            #expect(try await scene.friend.get("/api/v1/shared/\(link)/books").json["items"]?.elements.count == 1)
            // It follows the settings again: members see it.
            #expect(try await app.get(path).status == .notFound)
            try await scene.act(.hide, on: list)
            #expect(try await scene.author.delete(path).status == .noContent)
            #expect(try await world.everyDifference() == [])
        }
    }
}
