import Community
import HTTPTypes
import TestSupport
import Testing

@testable import Web

/// Calls that are repeated with their key after what they showed was taken away.
@Suite(.database)
struct IdempotencyAgainTests {
    private static let canary = "canaryinthecoalmine"

    private func key(_ text: String) -> HTTPFields { [.idempotencyKey: text] }

    /// Ann, who wrote a post that gives the end away, and Bob, who has read so far; friends with a conversation.
    private func scene(
        in app: TestApp
    ) async throws -> (ann: Signed, bob: Signed, path: String, post: String, book: ID<Catalog.Work>) {
        let given = app.world.given
        let (ann, bob) = (try await given.account("ann"), try await given.account("bob"))
        try await given.friendship(ann, bob)
        let book = try await given.book()
        let thread = try await given.thread(
            on: book, by: ann.id, title: Self.canary, scope: .finished, body: Self.canary)
        let conversation = try await given.conversation(of: ann, with: bob)
        try await given.message(Self.canary, in: conversation, by: ann)
        #expect(try await app.as(bob).put("/api/v1/posts/\(thread.post)/reveal").status.kind == .successful)
        return (ann, bob, "/api/v1/conversations/\(conversation)", thread.post.text, book)
    }

    private func isKept(in app: TestApp) async throws -> Bool {
        let rows = try await app.world.asSuperuser(
            "select 1 from idempotency_key where encode(body, 'escape') like '%\(Self.canary)%'")
        return !rows.isEmpty
    }

    private func token(_ scopes: [String], of reader: Signed, in app: TestApp) async throws -> TestApp {
        let new = Accounts.NewAccessToken(name: "test", scopes: scopes.compactMap { Accounts.Scope($0) }, days: 1)
        return app.with(token: try await app.world.community.accounts.makeAccessToken(new, for: reader.id).0.text)
    }

    @Test func `what was deleted, and what a block hides, is in no answer to a call that is made again`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (one, other, path, post, _) = try await scene(in: app)
            let (ann, bob) = (app.as(one), app.as(other))
            let card: JSONValue = ["body": "Look", "post_id": .string(post)]
            func calls() async throws -> [TestAnswer] {
                [
                    try await bob.put("/api/v1/me/conversations/with/ann", headers: key("open")),
                    try await bob.patch(path, ["is_muted": true], headers: key("file")),
                    try await bob.post(path + "/messages", card, headers: key("send")),
                ]
            }
            let first = try await calls()
            #expect(first.map(\.status) == [.ok, .ok, .created] && first.allSatisfy { $0.text.contains(Self.canary) })
            let location = try #require(first[2].headers[.location])
            #expect(try await !isKept(in: app))
            let again = try await calls()
            #expect(again.map(\.status) == first.map(\.status) && again[2].body == first[2].body)
            #expect(again.allSatisfy { $0.headers[.idempotencyReplayed] == "true" })
            #expect(again[2].headers[.location] == location && again[2].headers[.eTag] == first[2].headers[.eTag])

            let messages = try await ann.get(path + "/messages").json["items"]?.elements
            let secret = try #require(messages?.last?["id"]?.text)
            #expect(try await ann.delete("/api/v1/messages/\(secret)").status == .noContent)
            #expect(try await ann.delete("/api/v1/posts/\(post)").status == .noContent)
            let bare = try await calls()
            #expect(bare.map(\.status) == first.map(\.status))
            #expect(!bare.contains { $0.text.contains(Self.canary) })
            #expect(bare[2].json["card"] == ["kind": "post", "post": nil] && bare[2].json["body"] == "Look")

            #expect(try await ann.put("/api/v1/me/blocks/bob").status == .noContent)
            for answer in try await calls() {
                #expect(answer.status == .gone && answer.code == "idempotency_gone", "\(answer.text)")
                #expect(answer.headers[.idempotencyReplayed] == "true" && !answer.text.contains(Self.canary))
            }
            #expect(try await bob.put("/api/v1/me/conversations/with/ann").status == .notFound)
            #expect(try await app.world.asSuperuser("select count(*) from message").first?.first == "2")
        }
    }

    @Test func `a card is shown through the gate as it stands when the call is made again`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (_, other, path, post, _) = try await scene(in: app)
            let bob = app.as(other)
            let card: JSONValue = ["body": "Look", "post_id": .string(post)]
            let sent = try await bob.post(path + "/messages", card, headers: key("k"))
            #expect(sent.json["card"]?["post"]?["body"]?.text == Self.canary)
            let message = "/api/v1/messages/\(try #require(sent.json["id"]?.text))"
            let edited = try await bob.patch(message, ["body": "See"], headers: key("k"))
            #expect(edited.json["card"]?["post"]?["body"]?.text == Self.canary)
            #expect(try await bob.delete("/api/v1/posts/\(post)/reveal").status.kind == .successful)

            for again in [
                try await bob.post(path + "/messages", card, headers: key("k")),
                try await bob.patch(message, ["body": "See"], headers: key("k")),
            ] {
                #expect(again.headers[.idempotencyReplayed] == "true" && !again.text.contains(Self.canary))
                #expect(again.json["card"]?["post"]?["state"] == "gated" && again.json["body"] == "See")
            }
        }
    }

    @Test func `a moderator who repeats a change of a post that is gone is told that it was done`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (one, _, _, _, book) = try await scene(in: app)
            let thread = try await app.world.given.thread(on: book, by: one.id, body: Self.canary)
            let mod = app.as(try await app.world.given.account("mia", role: .moderator))
            let path = "/api/v1/posts/\(thread.post)"
            let change: JSONValue = ["title": "Calm", "reason": "tone"]
            let first = try await mod.patch(path, change, headers: key("k"))
            #expect(first.status == .ok && first.text.contains(Self.canary), "\(first.text)")
            let repeated = try await mod.patch(path, change, headers: key("k"))
            #expect(repeated.status == .ok && repeated.json["version"] == first.json["version"])
            #expect(repeated.json["body"]?.text == Self.canary)
            #expect(try await app.as(one).delete(path).status == .noContent)

            let again = try await mod.patch(path, change, headers: key("k"))

            #expect(again.code == "idempotency_gone" && !again.text.contains(Self.canary))
            #expect(try await !isKept(in: app))
        }
    }

    @Test func `one's own words are repeated as they were, whatever became of them`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (_, other, _, _, book) = try await scene(in: app)
            let bob = app.as(other)
            let threads = "/api/v1/books/\(book)/threads"
            let new: JSONValue = ["title": "Mine", "body": "My own words", "scope": "free"]
            let first = try await bob.post(threads, new, headers: key("k"))
            let id = try #require(first.json["post"]?["id"]?.text)
            #expect(try await bob.delete("/api/v1/posts/\(id)").status == .noContent)

            let again = try await bob.post(threads, new, headers: key("k"))

            #expect(again.status == .created && again.body == first.body)
            #expect(again.headers[.idempotencyReplayed] == "true" && again.headers[.eTag] == first.headers[.eTag])
        }
    }

    @Test func `who was removed from a private group is shown nothing of it`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, bob) = (try await app.world.given.account("ann"), try await app.world.given.account("bob"))
            try await app.world.given.friendship(ann, bob)
            let id = try await app.world.given.club(by: ann.id, .private, name: Self.canary)
            let path = "/api/v1/groups/\(id)"
            _ = try await app.world.community.groups.invite("bob", into: id, by: ann.identity)
            let joined = try await app.as(bob).put(path + "/membership", headers: key("k"))
            #expect(joined.status == .created && joined.text.contains(Self.canary), "\(joined.text)")
            let raised: JSONValue = ["role": "moderator"]
            let role = try await app.as(ann).patch(path + "/members/bob", raised, headers: key("k"))
            #expect(role.json["role"] == "moderator")
            let repeated = try await app.as(ann).patch(path + "/members/bob", raised, headers: key("k"))
            #expect(repeated.json == role.json && repeated.headers[.idempotencyReplayed] == "true")
            #expect(try await app.as(ann).call(.delete, path + "/members/bob", [:]).status == .noContent)

            let again = try await app.as(bob).put(path + "/membership", headers: key("k"))

            #expect(again.code == "idempotency_gone" && !again.text.contains(Self.canary))
            #expect(try await app.as(ann).patch(path + "/members/bob", raised, headers: key("k")).status == .gone)
            #expect(try await app.as(ann).get(path).json["member_count"] == 1, "nobody came in again")
        }
    }

    @Test func `requests and loans are shown as they are by then`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, bob) = (try await app.world.given.account("ann"), try await app.world.given.account("bob"))
            let asked = try await app.world.community.friends.ask("ann", by: bob.identity)
            let accept = "/api/v1/me/friend-requests/\(asked.id)/accept"
            let accepted = try await app.as(ann).post(accept, headers: key("k"))
            #expect(accepted.status == .ok && accepted.json["reader"]?["username"] == "bob")
            let copy = try await app.world.given.copy(of: try await app.world.given.book("Emma"), by: ann).id
            let question = "/api/v1/copies/\(copy)/loans"
            let loan = try await app.as(bob).post(question, headers: key("k"))
            let id = try #require(loan.json["id"]?.text)
            #expect(loan.headers[.location]?.hasSuffix("/api/v1/loans/\(id)") == true)
            let agree = "/api/v1/loans/\(id)/accept"
            #expect(try await app.as(ann).post(agree, headers: key("k")).json["state"] == "accepted")
            #expect(try await app.as(ann).post(accept, headers: key("k")).json == accepted.json)
            let later = try await app.as(bob).post(question, headers: key("k"))
            #expect(later.json["id"]?.text == id && later.json["state"] == "accepted")

            #expect(try await app.as(bob).put("/api/v1/me/blocks/ann").status == .noContent)

            for (path, caller) in [(accept, ann), (agree, ann), (question, bob)] {
                let again = try await app.as(caller).post(path, headers: key("k"))
                let name = caller.id == ann.id ? "\"bob\"" : "\"ann\""
                #expect(again.headers[.idempotencyReplayed] == "true" && !again.text.contains(name), "\(again.text)")
            }
        }
    }

    /// What is asked is only what stands: a reader who may do it no more may still read that they did.
    @Test func `a call is done again without leave to do it anew`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let (ann, bob) = (try await given.account("ann"), try await given.account("bob"))
            let copy = try await given.copy(of: try await given.book("Emma"), by: ann).id
            let asked = try await app.world.community.friends.ask("ann", by: bob.identity)
            let accept = "/api/v1/me/friend-requests/\(asked.id)/accept"
            let accepted = try await app.as(ann).post(accept, headers: key("k"))
            let loan = try await app.as(bob).post("/api/v1/copies/\(copy)/loans")
            let path = "/api/v1/loans/\(try #require(loan.json["id"]?.text))"
            for step in ["accept", "hand-over"] {
                #expect(try await app.as(ann).post(path + "/" + step).status == .ok)
            }
            let rows = try await app.world.asSuperuser("select id from checkout")
            let back = "/api/v1/checkouts/\(try #require(rows.first?.first ?? nil))/return"
            let returned = try await app.as(bob).post(back, headers: key("k"))
            #expect(accepted.status == .ok && returned.status == .ok, "\(returned.text)")
            let before = try await app.world.outboxKinds()

            for (call, first, caller) in [(accept, accepted, ann), (back, returned, bob)] {
                try await app.world.asSuperuser("update account set state = 'frozen' where id = \(caller.id)")
                let again = try await app.as(caller).post(call, headers: key("k"))
                #expect(again.status == .ok && again.json == first.json, "\(again.text)")
                #expect(again.headers[.idempotencyReplayed] == "true")
                #expect(try await app.as(caller).post(call).code == "account_frozen")
                try await app.world.asSuperuser("update account set state = 'active' where id = \(caller.id)")
            }
            #expect(try await app.world.outboxKinds() == before)
            // Whom the other blocks is told that it was done, and nothing of them.
            try await app.world.community.friends.block("ann", by: bob.id)
            #expect(try await app.as(ann).post(accept, headers: key("k")).code == "idempotency_gone")
        }
    }

    @Test func `the key of a session is another call's for a token, and that of a token for one of other scopes`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (_, bob, path, _, _) = try await scene(in: app)
            let narrow = try await token(["write:messages"], of: bob, in: app)
            let like = try await token(["write:messages"], of: bob, in: app)
            let wide = try await token(["write:messages", "read:messages"], of: bob, in: app)
            let new: JSONValue = ["body": "Once"]
            #expect(try await app.as(bob).post(path + "/messages", new, headers: key("s")).status == .created)
            #expect(try await narrow.post(path + "/messages", new, headers: key("t")).status == .created)

            for (caller, key) in [(narrow, "s"), (wide, "s"), (wide, "t"), (app.as(bob), "t")] {
                let answer = try await caller.post(path + "/messages", new, headers: self.key(key))
                #expect(answer.status == .unprocessableContent && answer.code == "idempotency_mismatch")
            }
            let again = try await like.post(path + "/messages", new, headers: key("t"))
            #expect(again.status == .created && again.headers[.idempotencyReplayed] == "true")
            #expect(try await app.as(bob).get(path).json["last_seq"] == 3)
        }
    }

    @Test func `a token that does not read gets no words of others from what it writes`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (_, bob, path, post, _) = try await scene(in: app)
            let narrow = try await token(["write:messages"], of: bob, in: app)
            let card: JSONValue = ["body": "Look", "post_id": .string(post)]
            let opened = try await narrow.put("/api/v1/me/conversations/with/ann", headers: key("k"))
            let filed = try await narrow.patch(path, [:], headers: key("k"))
            for answer in [opened, filed] {
                #expect(answer.status == .ok && answer.json["last_message"] == .null, "\(answer.text)")
            }
            let sent = try await narrow.post(path + "/messages", card, headers: key("k"))
            #expect(sent.status == .created && sent.json["card"] == ["kind": "post", "post": nil])
            let message = "/api/v1/messages/\(try #require(sent.json["id"]?.text))"
            let edited = try await narrow.patch(message, ["body": "See"])
            let again = try await narrow.post(path + "/messages", card, headers: key("k"))
            for answer in [opened, filed, sent, edited, again] { #expect(!answer.text.contains(Self.canary)) }

            // What is in messages is one scope, what is on boards another.
            let reading = try await token(["read:messages"], of: bob, in: app)
            for each in [message, path + "/messages"] {
                #expect(try await reading.get(each).text.contains("\"post\":null"), "\(each)")
            }
            let both = try await token(["write:messages", "read:messages", "read:boards"], of: bob, in: app)
            #expect(try await both.get(message).json["card"]?["post"]?["body"]?.text == Self.canary)
            #expect(
                try await both.put("/api/v1/me/conversations/with/ann").json["last_message"]?["text"]?.text == "See")
        }
    }
}
