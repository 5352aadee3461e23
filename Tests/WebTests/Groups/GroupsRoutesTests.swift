import Community
import HTTPTypes
import TestSupport
import Testing
import Web

@Suite(.database, .requirement("DIS-3"))
struct GroupsRoutesTests {
    /// A call as `account`, past its first day.
    private func grown(_ name: String, in app: TestApp) async throws -> (Signed, TestApp) {
        let account = try await app.world.given.account(name)
        try await app.world.asSuperuser(
            "update account set created_at = created_at - interval '9 days' where id = \(account.id)")
        return (account, app.as(account))
    }

    @Test(.requirement("DIS-4")) func `a group is made, found, joined, talked in and closed`() async throws {
        try await withApp(leaving: .outbox) { app in
            let ((_, ann), (_, bob)) = (try await grown("ann", in: app), try await grown("bob", in: app))
            let book = try await app.world.given.book("Emma").text
            let new = app.as(try await app.world.given.account("new"))
            let early = try await new.post("/api/v1/groups", ["name": "Early readers"])
            #expect(early.status == .forbidden && early.code == "account_new", "\(early.text)")
            let made = try await ann.post(
                "/api/v1/groups", ["name": "Slow readers", "description": "We *wait*", "book_id": .string(book)])
            #expect(made.status == .created, "\(made.text)")
            let id = try #require(made.json["id"]?.text)
            let path = "/api/v1/groups/\(id)"
            #expect(made.headers[.location]?.hasSuffix(path) == true)
            #expect(made.json["role"] == "owner" && made.json["book"]?["title"] == "Emma")
            #expect(made.json["html"] == "<p>We <em>wait</em></p>")

            #expect(try await bob.get("/api/v1/groups?q=slow").json["items"]?[0]?["id"]?.text == id)
            #expect(try await bob.get("/api/v1/groups?sort=members").json["items"]?.elements.count == 1)
            let joined = try await bob.put(path + "/membership")
            #expect(joined.status == .created && joined.json["member_count"] == 2 && joined.json["role"] == "member")
            #expect(try await bob.get("/api/v1/me/groups").json["items"]?[0]?["name"] == "Slow readers")
            #expect(try await ann.get("/api/v1/readers/bob/groups").json["items"]?.elements.count == 1)
            #expect(try await ann.get("/api/v1/readers/bob").json["group_count"] == 1)
            let members = try await bob.get(path + "/members?limit=1")
            #expect(members.json["items"]?[0]?["reader"]?["username"] == "ann")
            let cursor = try #require(members.json["next_cursor"]?.text)
            let next = try await bob.get(path + "/members?limit=1&cursor=\(cursor)")
            #expect(next.json["items"]?[0]?["role"] == "member")

            let opened = try await bob.post(path + "/threads", ["title": "Hello", "body": "All of you"])
            #expect(opened.status == .created && opened.json["scope_reason"] == "no_book", "\(opened.text)")
            #expect(opened.json["thread"]?["group_id"]?.text == id && opened.json["thread"]?["book_id"] == .null)
            let thread = try #require(opened.json["thread"]?["id"]?.text)
            #expect(try await ann.post("/api/v1/threads/\(thread)/posts", ["body": "Hi"]).status == .created)
            let board = try await ann.get(path + "/threads?sort=hot")
            #expect(board.json["items"]?[0]?["reply_count"] == 1 && board.json["stream_cursor"] != nil)
            #expect(try await ann.put("/api/v1/threads/\(thread)/pin").status == .noContent)
            #expect(try await bob.get(path + "/threads").json["pinned"]?[0]?["id"]?.text == thread)
            #expect(try await bob.put("/api/v1/threads/\(thread)/pin").code == "not_moderator")

            let tag = try #require(try await ann.get(path).headers[.eTag])
            let changed = try await ann.patch(path, ["description": nil, "book_id": nil], headers: [.ifMatch: tag])
            #expect(
                changed.json["description"] == .null && changed.json["book"] == .null && changed.json["version"] == 2)
            #expect(try await ann.patch(path, ["name": "x"], headers: [.ifMatch: tag]).status == .preconditionFailed)
            #expect(try await bob.delete(path).code == "role_too_low")
            #expect(try await ann.delete(path).status == .noContent)
            for caller in [ann, bob] { #expect(try await caller.get(path).status == .notFound) }
            #expect(try await bob.get("/api/v1/threads/\(thread)").status == .notFound)
            #expect(try await app.world.everyDifference() == [])
        }
    }

    @Test func `requests and invitations over HTTP`() async throws {
        try await withApp(leaving: .outbox) { app in
            let ((one, ann), (other, bob)) = (try await grown("ann", in: app), try await grown("bob", in: app))
            let id = try await app.world.given.club(by: one.id, joining: .request)
            let path = "/api/v1/groups/\(id)"
            let asked = try await bob.put(path + "/membership")
            #expect(asked.status == .accepted && asked.json["has_requested"] == true, "\(asked.text)")
            #expect(try await ann.get(path + "/requests").json["items"]?[0]?["reader"]?["username"] == "bob")
            #expect(try await bob.get(path + "/requests").code == "not_a_member")
            #expect(try await ann.post(path + "/requests/bob/decline").status == .noContent)
            #expect(try await ann.post(path + "/requests/bob/accept").status == .notFound)
            #expect(try await ann.put(path + "/invitations/bob").code == "not_friends")
            for answer in ["accept", "decline"] {
                #expect(try await bob.post(path + "/invitation/" + answer).status == .notFound, "\(answer)")
            }
            try await app.world.given.friendship(one, other)
            #expect(try await ann.put(path + "/invitations/bob").status == .noContent)
            let waiting = try await bob.get("/api/v1/me/group-invitations").json["items"]?[0]
            #expect(waiting?["group"]?["is_invited"] == true && waiting?["inviter"]?["username"] == "ann")
            #expect(try await bob.post(path + "/invitation/decline").status == .noContent)
            #expect(try await bob.post(path + "/invitation/decline").status == .notFound)
            #expect(try await bob.get("/api/v1/me/group-invitations").json["items"]?.elements == [])
            #expect(try await bob.post(path + "/invitation/accept").status == .notFound)
            #expect(try await ann.put(path + "/invitations/bob").status == .noContent)
            for _ in 0..<2 {
                let accepted = try await bob.post(path + "/invitation/accept")
                #expect(accepted.status == .ok && accepted.json["role"] == "member", "\(accepted.text)")
            }
            #expect(try await bob.put(path + "/membership").status == .ok)
            #expect(try await ann.patch(path + "/members/bob", ["role": "moderator"]).json["role"] == "moderator")
            #expect(try await ann.delete(path + "/members/ann").status == .unprocessableContent)
            for _ in 0..<2 { #expect(try await ann.put(path + "/bans/bob").status == .noContent) }
            #expect(try await ann.put(path + "/bans/ann").status == .unprocessableContent)
            #expect(try await ann.put(path + "/bans/nobody").status == .notFound)
            #expect(try await bob.put(path + "/membership").code == "banned")
            let bans = try await ann.get(path + "/bans")
            #expect(
                bans.json["items"]?[0]?["reader"]?["username"] == "bob" && bans.json["items"]?[0]?["banned_at"] != nil)
            for method in ["get", "put", "delete"] {
                let answer =
                    switch method {
                    case "get": try await bob.get(path + "/bans")
                    case "put": try await bob.put(path + "/bans/ann")
                    default: try await bob.delete(path + "/bans/bob")
                    }
                #expect(answer.code == "not_a_member", "\(method)")
            }
            for _ in 0..<2 { #expect(try await ann.delete(path + "/bans/bob").status == .noContent) }
            #expect(try await ann.delete(path + "/bans/nobody").status == .notFound)
            #expect(try await ann.get(path + "/bans").json["items"]?.elements.isEmpty == true)
            #expect(try await bob.put(path + "/membership").status == .accepted)
            #expect(try await app.world.everyDifference() == [])
        }
    }

    @Test func `what is no group, no order and no role is refused`() async throws {
        try await withApp(leaving: .outbox) { app in
            let (one, ann) = try await grown("ann", in: app)
            let wrong: [(JSONValue, [String])] = [
                ([:], ["/name"]), (["name": ""], ["/name"]), (["name": " "], ["/name"]), (["name": 7], ["/name"]),
                (["name": .string(String(repeating: "a", count: 81))], ["/name"]), (["name": "a\nb"], ["/name"]),
                (["name": "a", "description": " "], ["/description"]),
                (["name": "a", "joining": "never"], ["/joining"]),
                (["name": "a", "visibility": "friends"], ["/visibility"]),
                (["name": "a", "book_id": "7"], ["/book_id"]),
            ]
            for (body, pointers) in wrong {
                let answer = try await ann.post("/api/v1/groups", body)
                #expect(
                    answer.status == .unprocessableContent && answer.pointers == pointers, "\(body): \(answer.text)")
            }
            let path = "/api/v1/groups/\(try await app.world.given.club(by: one.id))"
            for body in [["name": nil], ["joining": nil], ["joining": 1]] as [JSONValue] {
                #expect(try await ann.patch(path, body).status == .unprocessableContent, "\(body)")
            }
            for query in ["?sort=best", "?q=", "?q=a&sort=newest"] {
                #expect(try await ann.get("/api/v1/groups" + query).status == .unprocessableContent, "\(query)")
            }
            #expect(try await ann.patch(path + "/members/ann", ["role": "king"]).pointers == ["/role"])
            #expect(try await ann.patch(path + "/members/nobody", ["role": "member"]).status == .notFound)
            #expect(try await ann.patch(path + "/members/ann", ["role": "member"]).code == "last_owner")
            let spoils: JSONValue = ["title": "t", "body": "b", "scope": "finished"]
            #expect(try await ann.post(path + "/threads", spoils).pointers == ["/scope"])
            let unknown: JSONValue = ["title": "t", "body": "b", "book_id": "7"]
            #expect(try await ann.post(path + "/threads", unknown).pointers == ["/book_id"])
        }
    }
}
