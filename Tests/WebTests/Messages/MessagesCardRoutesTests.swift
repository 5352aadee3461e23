import Community
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import Web

/// Posts as cards over HTTP and on open sockets: the reader's own gate, wherever a card is.
@Suite(.database, .requirement("FRI-2"))
struct MessagesCardRoutesTests {
    private static let canary = "canaryinthecoalmine"

    /// Ann, who finished a book, and Bob, who did not; a conversation, and a post of somebody's that gives the end away.
    private func scene(in app: TestApp) async throws -> (ann: TestApp, bob: TestApp, path: String, post: String) {
        let given = app.world.given
        let (ann, bob) = (try await given.account("ann"), try await given.account("bob"))
        try await given.friendship(ann, bob)
        let book = try await given.book()
        try await given.shelved(book, .read, by: ann.id)
        let thread = try await given.thread(
            on: book, by: try await given.reader(), title: Self.canary, scope: .finished, body: Self.canary)
        let conversation = try await given.conversation(of: ann, with: bob)
        return (app.as(ann), app.as(bob), "/api/v1/conversations/\(conversation)", thread.post.text)
    }

    @Test func `no word of a card that lies ahead is in any answer, and all of it once it opens`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, bob, path, post) = try await scene(in: app)
            let sent = try await ann.post(path + "/messages", ["body": "Look", "post_id": .string(post)])
            #expect(sent.status == .created, "\(sent.text)")
            #expect(sent.json["card"]?["kind"] == "post" && sent.json["card"]?["post"]?["body"]?.text == Self.canary)
            #expect(sent.json["html"] == "<p>Look</p>")
            let message = "/api/v1/messages/\(try #require(sent.json["id"]?.text))"
            let card: JSONValue = [
                "kind": "post",
                "post": ["id": .string(post), "state": "gated", "kind": "discussion", "position": 10_000],
            ]
            for each in [message, path, path + "/messages", "/api/v1/me/conversations", "/api/v1/me/bootstrap"] {
                let answer = try await bob.get(each)
                #expect(answer.status == .ok && !answer.text.contains(Self.canary), "\(each)")
            }
            let gated = try await bob.get(message)
            #expect(gated.json["card"] == card)
            #expect(try await bob.get(path + "/messages").json["items"]?[0]?["card"] == card)
            let tag = try #require(gated.headers[.eTag])
            #expect(try await bob.get(message, headers: [.ifNoneMatch: tag]).status == .notModified)

            #expect(try await bob.put("/api/v1/posts/\(post)/reveal").status.kind == .successful)

            let open = try await bob.get(message, headers: [.ifNoneMatch: tag])
            #expect(open.status == .ok && open.json["card"]?["post"]?["body"]?.text == Self.canary)
            #expect(open.json["card"]?["post"]?["html"]?.text == "<p>\(Self.canary)</p>")
            // The tag is good for an edit, whatever the card shows.
            let own = try #require(try await ann.get(message).headers[.eTag])
            let edited = try await ann.patch(message, ["body": "See"], headers: [.ifMatch: own])
            #expect(edited.status == .ok && edited.json["card"]?["post"]?["body"]?.text == Self.canary)
            #expect(
                try await ann.patch(message, ["body": "x"], headers: [.ifMatch: own]).status == .preconditionFailed)
            try await app.world.asSuperuser("update post set hidden_at = now() where id = \(post)")
            #expect(try await bob.get(message).json["card"] == ["kind": "post", "post": nil])
        }
    }

    @Test func `what lies ahead of the sender, is not there, or comes beside a book is refused`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, bob, path, post) = try await scene(in: app)
            let gated = try await bob.post(path + "/messages", ["body": "x", "post_id": .string(post)])
            #expect(gated.status == .forbidden && gated.code == "post_gated" && !gated.text.contains(Self.canary))
            #expect(try await ann.post(path + "/messages", ["body": "x", "post_id": "7"]).status == .notFound)
            let book = try await app.world.given.book().text
            let both = try await ann.post(
                path + "/messages", ["body": "x", "post_id": .string(post), "book_id": .string(book)])
            #expect(both.status == .unprocessableContent && both.pointers == ["/post_id"])
            #expect(both.text.contains("mismatch"))
            let wrong = try await ann.post(path + "/messages", ["body": "x", "post_id": 7])
            #expect(wrong.status == .unprocessableContent && wrong.pointers == ["/post_id"])
            #expect(try await bob.get(path).json["last_seq"] == 0)
        }
    }

    @Test func `events name the post and say nothing of it, no matter who hears them`() async throws {
        try await withStream { stream in
            let world = stream.world
            let (ann, bob, id) = try await world.given.correspondents()
            let book = try await world.given.book()
            try await world.given.shelved(book, .read, by: ann.id)
            let thread = try await world.given.thread(
                on: book, by: try await world.given.reader(), title: Self.canary, scope: .finished, body: Self.canary)
            let client = try await stream.open(bob)
            client.subscribe("inbox")
            try await client.hear("subscribed", on: "inbox")

            func kinds() -> [String?] { client.frames("event").map { $0.text("kind") } }

            let sent = try await world.given.message("*Look*", in: id, by: ann, post: thread.post)
            try await eventually { kinds() == ["message.sent"] }
            _ = try await world.community.messages.edit(sent.id, to: "**See**", by: ann.identity)

            try await eventually { kinds() == ["message.sent", "message.edited"] }
            #expect(!client.text.contains(Self.canary))
            let htmls = ["<p><em>Look</em></p>", "<p><strong>See</strong></p>"]
            for (frame, html) in zip(client.frames("event"), htmls) {
                let message = frame.members["data"]?["message"]
                #expect(message?["card"] == ["kind": "post", "id": .string(thread.post.text)])
                #expect(message?["html"]?.text == html)
            }
            await client.cut(isAbrupt: false)
        }
    }
}
