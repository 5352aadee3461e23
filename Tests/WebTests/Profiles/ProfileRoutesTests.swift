import Community
import HTTPTypes
import TestSupport
import Testing
import Web

@Suite(.database)
struct ProfileRoutesTests {
    @Test(.requirement("PRO-1", "ACC-X")) func `a reader sees and changes the own profile`() async throws {
        try await withApp(leaving: .outbox) { app in
            let ann = try await app.world.given.account("ann", name: "Ann")
            let before = try await app.as(ann).get("/api/v1/me")
            #expect(before.json["username"] == "ann" && before.json["name"] == "Ann" && before.json["bio"] == .null)
            #expect(before.json["picture"] == .null)
            for counter in ["friend_count", "comment_count", "group_count"] { #expect(before.json[counter] == 0) }

            let after = try await app.as(ann).patch("/api/v1/me", ["bio": "Reads.", "username": "Annie"])
            #expect(after.json["bio"] == "Reads." && after.json["username"] == "Annie" && after.json["name"] == "Ann")
            #expect(try await app.as(ann).get("/api/v1/me").json == after.json)
            #expect(try await app.as(ann).patch("/api/v1/me", ["name": nil]).json["name"] == .null)
            #expect(try await app.as(ann).patch("/api/v1/me", ["username": "anne"]).code == "renamed_lately")
            #expect(try await app.get("/api/v1/me").status == .unauthorized)
            #expect(try await app.patch("/api/v1/me", [:]).status == .unauthorized)
        }
    }

    @Test(.requirement("PRO-7")) func `a profile counts friends, what one said, and groups`() async throws {
        try await withApp(leaving: [.outbox, .jobs], settings: { $0.newAccountHours = 0 }) { app in
            let (ann, ben) = (try await app.world.given.account("ann"), try await app.world.given.account("ben"))
            try await app.world.given.friendship(ann, ben)
            let reader = app.as(ann)
            let board = "/api/v1/books/\(try await app.world.given.book())/threads"
            let thread = try await reader.post(board, ["title": "A thread", "body": "Words"])
            let posts = "/api/v1/threads/\(thread.json["thread"]?["id"]?.text ?? "")/posts"
            let post = try await reader.post(posts, ["body": "More words"])
            #expect(post.status == .created, "\(post.text)")
            #expect(try await reader.post("/api/v1/groups", ["name": "Club"]).status == .created)
            func counts(_ path: String) async throws -> [JSONValue?] {
                let page = try await reader.get(path).json
                return ["friend_count", "comment_count", "group_count"].map { page[$0] }
            }
            #expect(try await counts("/api/v1/me") == [1, 2, 1])
            let gone = try await reader.delete("/api/v1/posts/\(post.json["post"]?["id"]?.text ?? "")")
            #expect(gone.status == .noContent)
            #expect(try await app.as(ben).delete("/api/v1/me/friends/ann").status == .noContent)
            #expect(try await counts("/api/v1/me") == [0, 1, 1])
        }
    }

    @Test func `every fault of a profile is named at once, each once`() async throws {
        try await withApp { app in
            let ann = try await app.world.given.account("ann")
            let answer = try await app.as(ann).patch("/api/v1/me", ["username": "a b", "name": "Admin", "bio": 7])
            #expect(answer.status == .unprocessableContent)
            #expect(answer.pointers == ["/bio", "/username", "/name"])
            #expect(try await app.as(ann).patch("/api/v1/me", ["username": 7]).pointers == ["/username"])
            #expect(try await app.as(ann).get("/api/v1/me").json["username"] == "ann")
        }
    }

    @Test func `If-Match keeps a device from changing a profile that it has not seen`() async throws {
        try await withApp(leaving: .outbox) { app in
            let ann = try await app.world.given.account("ann")
            let tag = try #require(try await app.as(ann).get("/api/v1/me").headers[.eTag])
            #expect(
                try await app.as(ann).patch("/api/v1/me", ["bio": "One."], headers: [.ifMatch: tag]).status == .ok)
            let late = try await app.as(ann).patch("/api/v1/me", ["bio": "Two."], headers: [.ifMatch: tag])
            #expect(late.status == .preconditionFailed)
            #expect(try await app.as(ann).get("/api/v1/me").json["bio"] == "One.")
        }
    }

    @Test(.requirement("PRO-2")) func `others see of a profile what they may, and the blocked that there is none`()
        async throws
    {
        try await withApp(leaving: .outbox) { app in
            let ann = try await app.world.given.account("ann", name: "Ann")
            let (friend, ben) = (try await app.world.given.account(), try await app.world.given.account("ben"))
            try await app.world.given.friendship(ann.id, friend.id)
            let path = "/api/v1/readers/ann"
            _ = try await app.as(ann).patch("/api/v1/me", ["bio": "Reads."])

            #expect(try await app.as(ben).get(path).json["bio"] == "Reads.")
            let stranger = try await app.get(path)
            #expect(stranger.status == .ok && stranger.json["name"] == .null && stranger.json["bio"] == .null)
            #expect(stranger.json["friend_count"] == 1)

            _ = try await app.as(ann).patch("/api/v1/me/settings", ["privacy": ["name": "friends", "bio": "public"]])
            #expect(try await app.as(ben).get(path).json["name"] == .null)
            #expect(try await app.as(friend).get(path).json["name"] == "Ann")
            #expect(try await app.get(path).json["bio"] == "Reads.")

            _ = try await app.as(ben).put("/api/v1/me/blocks/ann")
            #expect(try await app.as(ben).get(path).status == .notFound)
            #expect(try await app.as(ann).get("/api/v1/readers/ben").status == .notFound)
            #expect(try await app.get("/api/v1/readers/nobody").status == .notFound)
        }
    }

    @Test(.requirement("PRO-1", "PRO-8", "FAV-2"))
    func `favourites are on the profile, for those who may see them, and lead to their books`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (try await app.world.given.account("ann"), try await app.world.given.account("ben"))
            let book = try await app.world.given.book("Emma")
            _ = try await app.as(ann).put("/api/v1/books/\(book)/favourite", [:])
            let mine = try await app.as(ann).get("/api/v1/me").json["favourites"]
            #expect(mine?[0]?["book"]?["title"] == "Emma")
            let id = try #require(mine?[0]?["book"]?["id"]?.text)
            #expect(try await app.as(ann).get("/api/v1/books/\(id)").json["title"] == "Emma")
            #expect(try await app.as(ann).get("/api/v1/me/bootstrap").json["favourites"] == mine)
            let path = "/api/v1/readers/ann"
            #expect(try await app.as(ben).get(path).json["favourites"]?[0]?["book"]?["title"] == "Emma")
            #expect(try await app.get(path).json["favourites"] == [])
            _ = try await app.as(ann).patch("/api/v1/me/settings", ["privacy": ["favourites": "friends"]])
            #expect(try await app.as(ben).get(path).json["favourites"] == [])
        }
    }

    @Test(.requirement("PRO-3"), .enabled(if: Media.Tools.find() != nil))
    func `a picture is given as a file, seen where the name is, and taken away`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (try await app.world.given.account("ann"), try await app.world.given.account("ben"))
            let sent = try await app.as(ann).send(
                .put, "/api/v1/me/picture?alt=Me", body: try Pictures.halves(100, 100, as: "a.png"),
                headers: [.contentType: "image/png"])
            #expect(sent.status == .created)
            #expect(try await app.as(ann).get("/api/v1/me").json["picture"] == sent.json)
            #expect(try await app.world.outboxKinds() == ["reader.changed"])
            let row = try await app.as(ben).get("/api/v1/readers/ann/favourites").json["reader"]
            #expect(row?["picture"]?["alt"] == "Me" && row?["picture"]?["url"] == sent.json["widths"]?["192"])
            #expect(try await app.as(ben).get("/api/v1/readers/ann").json["picture"] == sent.json)
            #expect(try await app.get("/api/v1/readers/ann").json["picture"] == .null)
            _ = try await app.as(ann).patch("/api/v1/me/settings", ["privacy": ["name": "private"]])
            #expect(try await app.as(ben).get("/api/v1/readers/ann").json["picture"] == .null)
            #expect(try await app.as(ann).delete("/api/v1/me/picture").status == .noContent)
            #expect(try await app.as(ann).get("/api/v1/me").json["picture"] == .null)
        }
    }
}
