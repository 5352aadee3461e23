import Community
import HTTPTypes
import TestSupport
import Testing
import Web

@Suite(.database, .requirement("FRI-2"))
struct MessagesRoutesTests {
    /// Two friends, Ann and Bob, and the path of their conversation.
    private func friends(in app: TestApp) async throws -> (ann: TestApp, bob: TestApp, path: String) {
        let (ann, bob) = (try await app.world.given.account("ann"), try await app.world.given.account("bob"))
        try await app.world.given.friendship(ann, bob)
        let opened = try await app.as(ann).put("/api/v1/me/conversations/with/bob")
        #expect(opened.status == .created, "\(opened.text)")
        let path = try #require(opened.headers[.location]).replacing(/^https?:\/\/[^\/]*/, with: "")
        return (app.as(ann), app.as(bob), path)
    }

    @Test func `friends write to each other, answer, show a book, and read`() async throws {
        try await withApp(leaving: .outbox) { app in
            let (ann, bob, path) = try await friends(in: app)
            let again = try await bob.put("/api/v1/me/conversations/with/ann")
            #expect(again.status == .ok && path.hasSuffix(again.json["id"]?.text ?? "none"))
            let book = try await app.world.given.book("Emma").text

            let sent = try await ann.post(path + "/messages", ["body": "Read >!this!<", "book_id": .string(book)])
            #expect(sent.status == .created && sent.json["seq"] == 1, "\(sent.text)")
            #expect(sent.json["card"]?["kind"] == "book" && sent.json["card"]?["book"]?["title"] == "Emma")
            let id = try #require(sent.json["id"]?.text)
            #expect(sent.headers[.location]?.hasSuffix("/api/v1/messages/\(id)") == true)
            #expect(sent.headers[.eTag] == "\"message-\(id)-1\"")
            let reply = try await bob.post(path + "/messages", ["body": "I did", "reply_to": .string(id)])
            #expect(reply.json["reply_to"] == ["id": .string(id), "seq": 1])

            #expect(try await bob.get("/api/v1/me/conversations/unread").json == ["unread_count": 1])
            let list = try await bob.get("/api/v1/me/conversations").json["items"]?[0]
            #expect(list?["unread_count"] == 1 && list?["last_message"]?["text"] == "I did")
            #expect(list?["reader"]?["username"] == "ann" && list?["can_write"] == true)
            let read = try await bob.put(path + "/read", ["seq": 2])
            #expect(read.json == ["read_seq": 2, "unread_count": 0])
            #expect(try await ann.get(path).json["their_read_seq"] == 2)

            let page = try await ann.get(path + "/messages?limit=1")
            #expect(page.json["items"]?[0]?["body"] == "I did" && page.headers[.link]?.contains("rel=\"next\"") == true)
            let cursor = try #require(page.json["next_cursor"]?.text)
            let next = try await ann.get(path + "/messages?limit=1&cursor=\(cursor)")
            #expect(next.json["items"]?[0]?["body"] == "Read >!this!<")
            #expect(try await ann.get("/api/v1/me/conversations?cursor=\(cursor)").status == .badRequest)
        }
    }

    @Test func `a message is edited and deleted by who sent it, in the version that they know`() async throws {
        try await withApp(leaving: .outbox) { app in
            let (ann, bob, path) = try await friends(in: app)
            let id = try #require(try await ann.post(path + "/messages", ["body": "One"]).json["id"]?.text)
            let message = "/api/v1/messages/\(id)"
            let tag = "\"message-\(id)-1\""
            let edited = try await ann.patch(message, ["body": "Two"], headers: [.ifMatch: tag])
            #expect(edited.status == .ok && edited.json["version"] == 2 && edited.json["edited_at"] != .null)
            #expect(
                try await ann.patch(message, ["body": "Three"], headers: [.ifMatch: tag]).status == .preconditionFailed)
            #expect(try await bob.patch(message, ["body": "x"]).code == "not_sender")
            #expect(try await bob.delete(message).code == "not_sender")
            #expect(try await bob.get(message, headers: [.ifNoneMatch: "\"message-\(id)-2\""]).status == .notModified)

            #expect(try await ann.delete(message).status == .noContent)
            #expect(try await ann.delete(message).status == .noContent)
            #expect(try await ann.patch(message, ["body": "x"]).code == "message_deleted")
            let seen = try await bob.get(message).json
            #expect(seen["body"] == .null && seen["deleted_at"] != .null && seen["seq"] == 1)
            #expect(try await bob.get("/api/v1/me/conversations/unread").json["unread_count"] == 0)
        }
    }

    @Test func `twenty calls with one key at once send one message`() async throws {
        try await withApp(leaving: .outbox) { app in
            let (ann, bob, path) = try await friends(in: app)
            let answers = try await withThrowingTaskGroup(of: TestAnswer.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        try await ann.post(path + "/messages", ["body": "Once"], headers: [.idempotencyKey: "k"])
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0.status == .created })
            #expect(Set(answers.map(\.text)).count == 1)
            #expect(try await bob.get(path + "/messages").json["items"]?.elements.count == 1)
            #expect(try await bob.get("/api/v1/me/conversations/unread").json["unread_count"] == 1)
            let other = try await ann.post(path + "/messages", ["body": "Twice"], headers: [.idempotencyKey: "k"])
            #expect(other.code == "idempotency_mismatch")
        }
    }

    @Test func `what is no message, place or filing is refused`() async throws {
        try await withApp(leaving: .outbox) { app in
            let (ann, _, path) = try await friends(in: app)
            let wrong: [(JSONValue, [String])] = [
                ([:], ["/body"]), (["body": nil], ["/body"]), (["body": 7], ["/body"]), (["body": ""], ["/body"]),
                (["body": " \n"], ["/body"]), (["body": .string(String(repeating: "a", count: 4001))], ["/body"]),
                (["body": "a", "reply_to": "7"], ["/reply_to"]), (["body": "a", "reply_to": "x"], ["/reply_to"]),
                (["body": "a", "book_id": "7"], ["/book_id"]),
                (["reply_to": 7, "book_id": 7], ["/body", "/reply_to", "/book_id"]),
            ]
            for (body, pointers) in wrong {
                let answer = try await ann.post(path + "/messages", body)
                #expect(answer.status == .unprocessableContent && Set(answer.pointers) == Set(pointers), "\(body)")
            }
            for body in [[:], ["seq": 1], ["seq": -1], ["seq": 0.5], ["seq": "1"]] as [JSONValue] {
                let answer = try await ann.put(path + "/read", body)
                #expect(answer.status == .unprocessableContent && answer.pointers == ["/seq"], "\(body)")
            }
            #expect(try await ann.patch(path, ["is_archived": "yes"]).pointers == ["/is_archived"])
            #expect(try await ann.get("/api/v1/me/conversations?is_archived=maybe").status == .unprocessableContent)
            #expect(
                try await ann.patch("/api/v1/me/settings/messages", ["has_read_receipts": 1]).status
                    == .unprocessableContent
            )
            #expect(try await ann.put("/api/v1/me/conversations/with/ann").status == .unprocessableContent)
            for id in ["0", "-1", "abc", "99999999999999999999", "7"] {
                #expect(try await ann.get("/api/v1/conversations/\(id)").status == .notFound)
                #expect(try await ann.delete("/api/v1/messages/\(id)").status == .notFound)
            }
        }
    }

    @Test func `a conversation is archived, muted and brought back; settings are one's own`() async throws {
        try await withApp(leaving: .outbox) { app in
            let (ann, bob, path) = try await friends(in: app)
            let filed = try await ann.patch(path, ["is_archived": true, "is_muted": nil])
            #expect(filed.json["is_archived"] == true && filed.json["is_muted"] == false)
            #expect(try await ann.get("/api/v1/me/conversations").json["items"]?.elements.isEmpty == true)
            let archived = try await ann.get("/api/v1/me/conversations?is_archived=true")
            #expect(archived.json["items"]?.elements.count == 1)
            #expect(
                try await ann.get("/api/v1/me/conversations?is_archived=false").json["items"]?.elements.isEmpty == true)
            _ = try await bob.post(path + "/messages", ["body": "Hello"])
            #expect(try await ann.get(path).json["is_archived"] == false)

            #expect(try await ann.get("/api/v1/me/settings/messages").json == ["has_read_receipts": true])
            #expect(try await ann.patch("/api/v1/me/settings/messages", [:]).json == ["has_read_receipts": true])
            let off = try await ann.patch("/api/v1/me/settings/messages", ["has_read_receipts": false])
            #expect(off.json == ["has_read_receipts": false])
            #expect(try await bob.get("/api/v1/me/settings/messages").json == ["has_read_receipts": true])
            #expect(try await bob.get(path).json["their_read_seq"] == .null)
        }
    }

    @Test func `who may not see a conversation gets the very answer of one that is not there`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, bob, path) = try await friends(in: app)
            let eve = app.as(try await app.world.given.account("eve"))
            let id = try #require(try await ann.post(path + "/messages", ["body": "One"]).json["id"]?.text)
            #expect(try await bob.put("/api/v1/me/blocks/ann").status == .noContent)
            let headers: HTTPFields = [HTTPField.Name.requestID: "same"]
            let paths = [
                (path, "/api/v1/conversations/7"), (path + "/messages", "/api/v1/conversations/7/messages"),
                ("/api/v1/messages/\(id)", "/api/v1/messages/7"),
            ]
            for caller in [ann, bob, eve] {
                for (there, nowhere) in paths {
                    let hidden = try await caller.get(there, headers: headers)
                    let absent = try await caller.get(nowhere, headers: headers)
                    #expect(hidden.status == .notFound && hidden.code == absent.code)
                    #expect(hidden.json["title"] == absent.json["title"])
                }
                #expect(try await caller.get("/api/v1/me/conversations").json["items"]?.elements.isEmpty == true)
                #expect(try await caller.get("/api/v1/me/conversations/unread").json["unread_count"] == 0)
                #expect(try await caller.get("/api/v1/me/bootstrap").json["unread"]?["message_count"] == 0)
            }
            #expect(try await bob.put("/api/v1/me/conversations/with/ann").status == .notFound)
        }
    }
}
