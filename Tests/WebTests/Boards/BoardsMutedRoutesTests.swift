import Community
import TestSupport
import Testing
import Web

/// What readers say whom the caller has muted: all of it is there, and marked.
@Suite(.database)
struct BoardsMutedRoutesTests {
    @Test
    func `what a muted reader says is marked for who muted them, for nobody else, and no more once they are not muted`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let (ann, bob, cid) = (
                try await given.account("ann"), try await given.account("bob"), try await given.account("cid")
            )
            let book = try await given.book()
            let loud = try await given.thread(on: book, by: bob.id)
            let calm = try await given.thread(on: book, by: cid.id)
            let reply = try await given.post(in: calm.id, by: bob.id, answering: calm.post)
            let ahead = try await given.post(in: calm.id, by: bob.id, scope: .finished)
            let (mine, theirs) = (app.as(ann), app.as(cid))
            /// The items of a list that are marked, by id.
            func marked(_ path: String, for caller: TestApp) async throws -> [String] {
                let answer = try await caller.get("/api/v1" + path)
                let items = answer.json["items"]?.elements ?? []
                #expect(items.allSatisfy { $0["state"] == "gated" || $0["is_muted"] != nil }, "\(path)")
                return items.filter { $0["is_muted"] == true }.compactMap { $0["id"]?.text }
            }
            let lists = [
                ("/books/\(book)/threads", [loud.id.text]), ("/threads/\(calm.id)/posts", [reply.text]),
                ("/posts/\(calm.post)/replies", [reply.text]),
                ("/readers/bob/posts", [reply.text, loud.post.text]),
            ]
            for (path, _) in lists { #expect(try await marked(path, for: mine) == []) }

            try await app.world.community.friends.mute("bob", by: ann.id)

            for (path, expected) in lists {
                #expect(try await marked(path, for: mine) == expected, "\(path)")
                #expect(try await marked(path, for: theirs) == [], "\(path)")
                #expect(try await marked(path, for: app.as(bob)) == [], "\(path)")
                #expect(try await marked(path, for: app.with(token: nil)) == [], "\(path)")
            }
            let opened = try await mine.get("/api/v1/threads/\(loud.id)").json
            #expect(opened["is_muted"] == true && opened["first_post"]?["is_muted"] == true)
            let post = try await mine.get("/api/v1/posts/\(reply)").json
            #expect(post["is_muted"] == true && post["body"] == "A reply.")
            let gated: JSONValue = ["id": .string(ahead.text), "state": "gated", "kind": "reply", "position": 10_000]
            #expect(try await mine.get("/api/v1/posts/\(ahead)").json == gated)

            try await app.world.community.friends.unmute("bob", by: ann.id)
            for (path, _) in lists { #expect(try await marked(path, for: mine) == []) }
        }
    }
}
