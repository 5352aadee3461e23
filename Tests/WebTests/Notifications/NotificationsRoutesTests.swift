import Community
import HTTPTypes
import TestSupport
import Testing
import Web

@Suite(.database)
struct NotificationsRoutesTests {
    @Test func `what others did is listed, seen, read and taken away`() async throws {
        try await withApp(leaving: .outbox) { app in
            let world = app.world
            let (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            let thread = try await world.given.thread(
                on: try await world.given.book("Emma"), by: ann.id, title: "Of matches")
            let reply = try await world.community.boards.reply(
                Boards.NewPost(body: "I *agree*", scope: .scope(.free)), in: thread.id, by: bob.id
            ).post
            _ = try await world.given.friendRequest(from: bob, to: ann)
            try await world.tell()
            let client = app.as(ann)

            let list = try await client.get("/api/v1/me/notifications?limit=1")
            #expect(list.status == .ok && list.json["items"]?[0]?["kind"] == "friend.requested", "\(list.text)")
            #expect(list.headers[.link]?.contains("rel=\"next\"") == true)
            let cursor = try #require(list.json["next_cursor"]?.text)
            let next = try await client.get("/api/v1/me/notifications?limit=1&cursor=\(cursor)").json["items"]?[0]
            #expect(next?["text"] == "bob replied to your post" && next?["excerpt"] == "I agree")
            #expect(next?["actors"]?[0]?["username"] == "bob" && next?["actor_count"] == 1)
            #expect(next?["book"]?["title"] == "Emma")
            #expect(next?["thread"] == ["id": .string(thread.id.text), "state": "shown", "title": "Of matches"])
            let post: JSONValue = [
                "id": .string(reply.id.text), "state": "shown", "thread_id": .string(thread.id.text), "number": 2,
            ]
            #expect(next?["post"] == post && next?["is_read"] == false && next?["is_seen"] == false)
            #expect(
                try await client.get("/api/v1/me/notifications?kind=post.reply&cursor=\(cursor)").status == .badRequest)
            #expect(try await client.get("/api/v1/me/notifications?kind=other").status == .unprocessableContent)
            #expect(try await client.get("/api/v1/me/bootstrap").json["unread"]?["notification_count"] == 2)

            #expect(try await client.put("/api/v1/me/notifications/seen").status == .noContent)
            let id = try #require(next?["id"]?.text)
            #expect(try await client.put("/api/v1/me/notifications/\(id)/read").json == ["unread_count": 1])
            let unread = try await client.get("/api/v1/me/notifications?is_unread=true").json["items"]
            #expect(unread?[0]?["kind"] == "friend.requested" && unread?[0]?["is_seen"] == true && unread?[1] == nil)
            let top = try #require(unread?[0]?["id"]?.text)
            #expect(
                try await client.put("/api/v1/me/notifications/read", ["through": .string(top)]).json == [
                    "unread_count": 0
                ])
            let wrong = try await client.put("/api/v1/me/notifications/read", ["through": 1])
            #expect(wrong.status == .unprocessableContent)
            #expect(try await client.delete("/api/v1/me/notifications/\(id)").status == .noContent)
            #expect(try await client.delete("/api/v1/me/notifications/\(id)").status == .notFound)
            #expect(try await app.as(bob).put("/api/v1/me/notifications/\(top)/read").status == .notFound)
        }
    }

    @Test func `a gated post is {id, gated, kind, position} and nothing of it is said`() async throws {
        try await withApp(leaving: .outbox) { app in
            let world = app.world
            let (ann, bob) = (try await world.given.account(), try await world.given.account())
            let thread = try await world.given.thread(
                on: try await world.given.book(), by: bob.id, title: "The butler", scope: .finished, body: "It was him")
            let reply = try await world.community.boards.reply(
                Boards.NewPost(body: "@\(ann.username) the butler"), in: thread.id, by: bob.id
            ).post
            try await world.tell()

            let list = try await app.as(ann).get("/api/v1/me/notifications")

            let item = list.json["items"]?[0]
            let gated: JSONValue = [
                "id": .string(reply.id.text), "state": "gated", "kind": "reply", "position": 10_000,
            ]
            #expect(item?["post"] == gated && item?["excerpt"] == .null, "\(list.text)")
            #expect(item?["thread"]?["state"] == "gated" && !list.text.contains("butler"))
        }
    }

    @Test func `of reviews and groups it says which, and nothing else of what is gated`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let world = app.world
            let (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            let book = try await world.given.book("Emma")
            let review = try await world.given.review(by: ann.id, of: book, body: "Good.").id
            _ = try await world.community.reviews.reply("First.", to: review, by: bob.id)
            let reply = try await world.community.reviews.reply("The butler.", to: review, by: ann.id).id
            try await world.given.friendship(ann, bob)
            let club = try await world.given.club(by: ann.id, .private)
            try await world.tell()
            try await world.community.groups.invite("bob", into: club, by: ann.identity)
            try await world.tell()
            let client = app.as(bob)

            let list = try await client.get("/api/v1/me/notifications")
            func item(_ kind: String) -> JSONValue? {
                guard case .array(let items)? = list.json["items"] else { return nil }
                return items.first { $0["kind"] == .string(kind) }
            }
            let (invited, talk) = (item("group.invited"), item("review.talk"))
            #expect(invited?["kind"] == "group.invited" && invited?["review"] == .null, "\(list.text)")
            #expect(invited?["group"] == ["id": .string(club.text), "name": "Club"])
            #expect(talk?["kind"] == "review.talk" && talk?["excerpt"] == "The butler." && talk?["group"] == .null)
            #expect(
                talk?["review"] == ["id": .string(review.text), "state": "shown"] && talk?["book"]?["title"] == "Emma")
            #expect(
                talk?["reply"] == [
                    "id": .string(reply.text), "state": "shown", "review_id": .string(review.text), "number": 2,
                ])

            try await world.given.review(by: ann.id, of: book, body: "Good.", spoilers: true)
            let gated = try await client.get("/api/v1/me/notifications?kind=review.talk")
            func place(_ id: String, _ kind: String) -> JSONValue {
                ["id": .string(id), "state": "gated", "kind": .string(kind), "position": 10_000]
            }
            let item = gated.json["items"]?[0]
            #expect(item?["review"] == place(review.text, "review") && item?["excerpt"] == .null, "\(gated.text)")
            #expect(item?["reply"] == place(reply.text, "review_reply") && !gated.text.contains("butler"))
        }
    }

    @Test func `what a newer server told is there, of no kind, and is read as others are`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let world = app.world
            let (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            _ = try await world.given.friendRequest(from: bob, to: ann)
            try await world.tell()
            try await world.asSuperuser("update notification set kind = 'comet.seen'")
            let client = app.as(ann)

            let list = try await client.get("/api/v1/me/notifications")

            let item = list.json["items"]?[0]
            #expect(list.status == .ok && item?["kind"] == .null && item?["actors"] == [], "\(list.text)")
            #expect(item?["actor_count"] == 0 && item?["is_read"] == false && !list.text.contains("bob"))
            #expect(try await client.get("/api/v1/me/bootstrap").json["unread"]?["notification_count"] == 1)
            let id = try #require(item?["id"]?.text)
            #expect(try await client.put("/api/v1/me/notifications/\(id)/read").json == ["unread_count": 0])
        }
    }

    @Test func `settings are changed kind by kind`() async throws {
        try await withApp { app in
            let client = app.as(try await app.world.given.account())
            let path = "/api/v1/me/settings/notifications"
            let before = try await client.get(path).json
            #expect(before["post.reply"] == ["is_in_inbox": true, "is_mailed": true])
            #expect(before["thread.reply"] == ["is_in_inbox": true, "is_mailed": false])
            let changed = try await client.patch(path, ["post.reply": ["is_mailed": false], "thread.reply": .null])
            #expect(changed.json["post.reply"] == ["is_in_inbox": true, "is_mailed": false], "\(changed.text)")
            #expect(try await client.get(path).json == changed.json)
            let wrong = try await client.patch(path, ["post.reply": ["is_mailed": 1], "board.thread": true])
            #expect(wrong.status == .unprocessableContent)
            #expect(wrong.text.contains("/post.reply/is_mailed") && wrong.text.contains("/board.thread"))
        }
    }
}
