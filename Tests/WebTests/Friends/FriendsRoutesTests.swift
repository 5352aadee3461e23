import Community
import HTTPTypes
import TestSupport
import Testing
import Web

@Suite(.database)
struct FriendsRoutesTests {
    @Test(.requirement("FRI-1", "FRI-X")) func `one asks, the other accepts, both see each other among their friends`()
        async throws
    {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let (ann, bob) = (try await app.signUp("ann"), try await app.signUp("bob"))

            let asked = try await app.as(ann).post("/api/v1/me/friend-requests", ["username": "bob"])
            #expect(asked.status == .created)
            let id = try #require(asked.json["id"]?.text)
            let again = try await app.as(ann).post("/api/v1/me/friend-requests", ["username": "BOB"])
            #expect(again.json["id"]?.text == id)

            let incoming = try await app.as(bob).get("/api/v1/me/friend-requests")
            #expect(incoming.json["items"]?[0]?["reader"]?["username"] == "ann")
            let outgoing = try await app.as(ann).get("/api/v1/me/friend-requests?is_incoming=false")
            #expect(outgoing.json["items"]?[0]?["id"]?.text == id)

            #expect(try await app.as(ann).post("/api/v1/me/friend-requests/\(id)/accept").status == .notFound)
            #expect(try await app.as(bob).post("/api/v1/me/friend-requests/\(id)/accept").status == .ok)
            #expect(try await app.as(bob).post("/api/v1/me/friend-requests/\(id)/accept").status == .ok)

            #expect(try await app.as(ann).get("/api/v1/me/friends").json["items"]?[0]?["reader"]?["id"]?.text == bob.id)
            #expect(try await app.as(ann).get("/api/v1/me").json["friend_count"] == 1)
            #expect(try await app.as(ann).get("/api/v1/readers/bob").json["relation"] == "friends")

            // Again, and of any name: it says nothing about them.
            for name in ["Ann", "ann", "nobody"] {
                #expect(try await app.as(bob).delete("/api/v1/me/friends/\(name)").status == .noContent)
            }
            #expect(try await app.as(ann).get("/api/v1/me/friends").json["items"]?.elements.isEmpty == true)
        }
    }

    @Test func `a request is declined or taken back once`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let (ann, bob, cid) = (
                try await app.signUp("ann"), try await app.signUp("bob"), try await app.signUp("cid")
            )
            func ask(_ name: String) async throws -> String {
                try #require(
                    try await app.as(ann).post("/api/v1/me/friend-requests", ["username": .string(name)]).json["id"]?
                        .text)
            }
            let declined = try await ask("bob")
            #expect(try await app.as(cid).post("/api/v1/me/friend-requests/\(declined)/decline").status == .notFound)
            #expect(try await app.as(bob).post("/api/v1/me/friend-requests/\(declined)/decline").status == .noContent)
            #expect(try await app.as(bob).post("/api/v1/me/friend-requests/\(declined)/decline").status == .notFound)
            let again = try await app.as(ann).post("/api/v1/me/friend-requests", ["username": "bob"])
            #expect(again.status == .created)
            #expect(again.json["state"] == "pending")
            #expect(again.json["id"]?.text == declined)

            let withdrawn = try await ask("cid")
            func shown(_ name: String, to reader: TestReader) async throws -> [String?] {
                let page = try await app.as(reader).get("/api/v1/readers/\(name)").json
                return [page["relation"]?.text, page["friend_request_id"]?.text]
            }
            // Who was declined is not told, and who declined is not asked again.
            #expect(try await shown("bob", to: ann) == ["requested", declined])
            #expect(try await shown("ann", to: bob) == ["none", nil])
            #expect(try await shown("cid", to: ann) == ["requested", withdrawn])
            #expect(try await shown("ann", to: cid) == ["asked", withdrawn])
            #expect(try await app.get("/api/v1/readers/cid").json["friend_request_id"] == .null)
            #expect(try await app.as(cid).delete("/api/v1/me/friend-requests/\(withdrawn)").status == .notFound)
            #expect(try await app.as(ann).delete("/api/v1/me/friend-requests/\(withdrawn)").status == .noContent)
            #expect(try await app.as(cid).post("/api/v1/me/friend-requests/\(withdrawn)/accept").status == .notFound)
        }
    }

    @Test func `the blocked and the blocker do not exist for each other`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let (ann, bob) = (try await app.signUp("ann"), try await app.signUp("bob"))
            #expect(try await app.as(ann).put("/api/v1/me/blocks/bob").status == .noContent)
            #expect(try await app.as(ann).put("/api/v1/me/blocks/Bob").status == .noContent)
            for (own, other) in [(ann, "bob"), (bob, "ann")] {
                let nobody = try await app.as(own).post("/api/v1/me/friend-requests", ["username": "nobody"])
                let blocked = try await app.as(own).post("/api/v1/me/friend-requests", ["username": .string(other)])
                #expect(blocked.status == .notFound)
                #expect(blocked.json["detail"] == nobody.json["detail"])
                #expect(try await app.as(own).get("/api/v1/readers/\(other)").status == .notFound)
            }
            #expect(try await app.as(ann).get("/api/v1/me/blocks").json["items"]?[0]?["reader"]?["username"] == "bob")
            #expect(try await app.as(bob).delete("/api/v1/me/blocks/ann").status == .noContent)
            #expect(try await app.as(bob).get("/api/v1/readers/ann").status == .notFound)
            #expect(try await app.as(ann).delete("/api/v1/me/blocks/bob").status == .noContent)
            #expect(try await app.as(bob).get("/api/v1/readers/ann").status == .ok)
            #expect(try await app.as(ann).put("/api/v1/me/blocks/ann").status == .unprocessableContent)
            #expect(try await app.as(ann).put("/api/v1/me/blocks/nobody").status == .notFound)
        }
    }

    @Test func `what is no request is refused`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let ann = try await app.signUp("ann")
            let wrong: [(JSONValue, String)] = [
                ([:], "/username"), (["username": 7], "/username"), (["username": nil], "/username"),
                (["username": ""], "/username"),
                (["username": .string(String(repeating: "a", count: 31))], "/username"),
                (["username": "ann"], "/username"),
            ]
            for (body, pointer) in wrong {
                let answer = try await app.as(ann).post("/api/v1/me/friend-requests", body)
                #expect(answer.status == .unprocessableContent)
                #expect(answer.pointers == [pointer])
            }
            for path in ["0", "-1", "abc", "99999999999999999999", "%00"] {
                #expect(try await app.as(ann).post("/api/v1/me/friend-requests/\(path)/accept").status == .notFound)
            }
            #expect(
                try await app.as(ann).get("/api/v1/me/friend-requests?is_incoming=up").status == .unprocessableContent)
            #expect(try await app.as(ann).get("/api/v1/me/friends?limit=101").status == .unprocessableContent)
            #expect(try await app.as(ann).get("/api/v1/me/friends?cursor=abc").status == .badRequest)
        }
    }

    @Test func `every route of friends asks who is there`() async throws {
        try await withApp { app in
            let calls: [(HTTPRequest.Method, String)] = [
                (.post, "me/friend-requests"), (.get, "me/friend-requests"), (.post, "me/friend-requests/1/accept"),
                (.post, "me/friend-requests/1/decline"), (.delete, "me/friend-requests/1"), (.get, "me/friends"),
                (.delete, "me/friends/ann"),
                (.put, "me/blocks/ann"), (.delete, "me/blocks/ann"), (.get, "me/blocks"),
            ]
            for (method, path) in calls {
                let answer = try await app.call(method, "/api/v1/" + path)
                #expect(answer.status == .unauthorized, "\(method) \(path)")
            }
        }
    }

    @Test func `friends are paged by cursors that fit their list only`() async throws {
        try await withApp(leaving: [.jobs, .outbox], settings: { $0.limitsRates = false }) { app in
            let ann = try await app.signUp("ann")
            for number in 0..<5 {
                let friend = try await app.signUp("friend\(number)")
                _ = try await app.as(friend).post("/api/v1/me/friend-requests", ["username": "ann"])
                _ = try await app.as(ann).post("/api/v1/me/friend-requests", ["username": .string(friend.username)])
            }
            var names: [String] = []
            var cursor: String? = ""
            while let place = cursor {
                let page = try await app.as(ann).get("/api/v1/me/friends?limit=2&cursor=\(place)")
                names += page.json["items"]?.elements.compactMap { $0["reader"]?["username"]?.text } ?? []
                cursor = page.json["next_cursor"]?.text
                if let cursor {
                    #expect(try await app.as(ann).get("/api/v1/me/blocks?cursor=\(cursor)").status == .badRequest)
                }
            }
            #expect(Set(names) == Set((0..<5).map { "friend\($0)" }))
            #expect(names.count == 5)
        }
    }

    @Test func `an unverified reader asks nobody, but blocks and answers`() async throws {
        try await withApp(leaving: [.jobs, .outbox], settings: { $0.isLoopback = false }) { app in
            let ann = try await app.signUp("ann")
            let bob = try await app.world.given.account("bob")
            let refused = try await app.as(ann).post("/api/v1/me/friend-requests", ["username": "bob"])
            #expect(refused.status == .forbidden)
            #expect(refused.code == "email_unverified")
            let asked = try await app.with(token: bob.token).post("/api/v1/me/friend-requests", ["username": "ann"])
            let id = try #require(asked.json["id"]?.text)
            #expect(try await app.as(ann).post("/api/v1/me/friend-requests/\(id)/accept").status == .ok)
            #expect(try await app.as(ann).put("/api/v1/me/blocks/bob").status == .noContent)
        }
    }
}
