import Community
import EventLog
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import Web

/// Posts on open sockets: each reader has of them what they may have now.
@Suite(.database)
struct StreamGateTests {
    /// A thread whose posts lie beyond half of the book, and readers who follow it.
    private struct Scene {
        let stream: StreamServer
        let book: ID<Catalog.Work>
        let author: Signed
        let thread: Int64
        var topic: String { "thread:\(thread)" }

        init(_ stream: StreamServer) async throws {
            let given = stream.world.given
            self.stream = stream
            book = try await given.book()
            author = try await given.account()
            thread = try await given.threadRow(by: author.id, on: book).thread
        }

        func post(_ scope: Int, by writer: Signed? = nil) async throws -> PostRow {
            try await stream.world.given.postRow(by: (writer ?? author).id, in: thread, scope: scope)
        }

        /// A reader who is so far in the book (`nil`: who never opened it), following the thread.
        func follower(at position: Int?) async throws -> (reader: Signed, client: WebSocketClient) {
            let reader = try await stream.world.given.account()
            if let position { try await advance(reader, to: position) }
            let client = try await stream.open(reader)
            client.subscribe(topic)
            try await client.hear("subscribed", on: topic)
            return (reader, client)
        }

        func advance(_ reader: Signed, to position: Int) async throws {
            try await stream.world.given.shelved(book, .reading, by: reader.id)
            try await stream.world.given.position(.part(position), in: book, by: reader.id)
        }
    }

    private static func chain(_ client: WebSocketClient) -> [ServerFrame] { client.frames.filter { $0.prev != nil } }

    @Test func `who is not that far has the place of a post and not its text, and the next one whole once they are`()
        async throws
    {
        try await withStream { stream in
            let scene = try await Scene(stream)
            let (near, far) = (try await scene.follower(at: 1_000), try await scene.follower(at: 9_000))
            let stranger = try await scene.follower(at: nil)
            let post = try await scene.post(5_000)
            try await stream.tell(post, "The butler did it.", on: [.thread(scene.thread)])

            let gated = try await near.client.hear("gated")
            #expect(Set(gated.members.keys) == ["type", "topic", "seq", "prev", "cursor", "data"])
            #expect(
                gated.members["data"]
                    == .object([
                        "post": .object([
                            "id": .string("\(post.id)"), "state": "gated", "kind": .string("reply"),
                            "position": .number("5000"),
                        ])
                    ]))
            let event = try await far.client.hear("event")
            #expect(event.seq == gated.seq && event.prev == gated.prev && event.text("kind") == "post.created")
            // The same frame, byte for byte, for all who get this form.
            try await stranger.client.hear("gated")
            let frames = [near.client, stranger.client].map { client in
                client.rawFrames.filter { ServerFrame(payload: $0.payload)?.type == "gated" }.map(\.payload)
            }
            #expect(frames[0] == frames[1])

            try await scene.advance(near.reader, to: 6_000)
            try await stream.tell(try await scene.post(5_500), "The gardener helped.", on: [.thread(scene.thread)])
            try await near.client.hear("event")
            try await eventually { Self.chain(stranger.client).count == 2 }

            #expect(Self.chain(near.client).map(\.type) == ["gated", "event"])
            #expect(Self.chain(stranger.client).map(\.type) == ["gated", "gated"])
            #expect(Self.chain(near.client)[1].prev == gated.seq)
            #expect(!near.client.text.contains("butler") && near.client.text.contains("gardener"))
            #expect(!stranger.client.text.contains("butler") && !stranger.client.text.contains("gardener"))
            for client in [near.client, far.client, stranger.client] { await client.cut(isAbrupt: false) }
        }
    }

    @Test func `a replay gives each form as it would be given live, and of what was edited nothing`() async throws {
        try await withStream { stream in
            let scene = try await Scene(stream)
            let follower = try await scene.follower(at: 5_000)
            let start = try #require(follower.client.frames("subscribed").first?.cursor)
            let posts = [
                try await scene.post(0), try await scene.post(8_000), try await scene.post(0), try await scene.post(0),
            ]
            for (number, post) in posts.enumerated() {
                try await stream.tell(post, "Thought \(number).", on: [.thread(scene.thread)])
            }
            try await eventually { Self.chain(follower.client).count == 4 }
            #expect(Self.chain(follower.client).map(\.type) == ["event", "gated", "event", "event"])
            let live = follower.client.rawFrames.map(\.payload).filter { ServerFrame(payload: $0)?.prev != nil }

            let back = try await stream.open(follower.reader)
            back.subscribe(scene.topic, from: start)
            #expect(try await back.hear("subscribed").number("replay_count") == 4)
            try await eventually { Self.chain(back).count == 4 }
            #expect(back.rawFrames.map(\.payload).filter { ServerFrame(payload: $0)?.prev != nil } == live)

            let after = try await stream.world.given.edited(posts[2])
            try await stream.world.asSuperuser("update post set hidden_at = now() where id = \(posts[3].id)")
            try await stream.tell(after, "Thought better.", on: [.thread(scene.thread)])
            let later = try await stream.open(follower.reader)
            later.subscribe(scene.topic, from: start)
            try await eventually { Self.chain(later).count == 5 }
            #expect(Self.chain(later).map(\.type) == ["event", "gated", "skip", "skip", "event"])
            #expect(!later.text.contains("Thought 2") && !later.text.contains("Thought 3"))
            for client in [follower.client, back, later] { await client.cut(isAbrupt: false) }
        }
    }

    @Test func `of a reply that was gated nobody learns whose it was when it is taken away`() async throws {
        try await withStream { stream in
            let given = stream.world.given
            let (author, writer, eve) = (
                try await given.account(), try await given.account(), try await given.account()
            )
            let (book, reviews) = (try await given.book(), stream.world.community.reviews)
            let review = try await given.review(by: author.id, of: book, body: "He dies.", spoilers: true)
            let reveal = try await stream.app.as(writer).put("/api/v1/reviews/\(review.id)/reveal")
            #expect(reveal.status == .noContent)
            let (client, topic) = (try await stream.open(eve), "book:\(book)")
            client.subscribe(topic)
            try await client.hear("subscribed", on: topic)
            let reply = try await reviews.reply("He did it.", to: review.id, by: writer.id)
            try await eventually { client.text.contains(reply.id.text) }
            #expect(!client.frames("event").contains { $0.text("kind") == "review.replied" })

            try await reviews.remove(reply.id, by: writer.id)

            try await eventually { client.frames("event").last?.text("kind") == "review.reply_removed" }
            #expect(
                client.frames("event").last?.members["data"]
                    == .object([
                        "reply": .object(["id": .string(reply.id.text)]), "book": .object(["id": .string(book.text)]),
                    ]))
            #expect(!client.text.contains(writer.id.text) && !client.text.contains(writer.username))
            await client.cut(isAbrupt: false)
        }
    }

    @Test func `a block in the middle of a thread passes over the one, at once`() async throws {
        try await withStream { stream in
            let scene = try await Scene(stream)
            let given = stream.world.given
            let (writer, follower) = (try await given.account(), try await scene.follower(at: nil))
            func tell(by writer: Signed) async throws {
                let topics = [Topic.thread(scene.thread), .book(scene.book.rawValue)]
                try await stream.tell(try await scene.post(0, by: writer), "Said.", on: topics)
            }
            try await tell(by: writer)
            try await follower.client.hear("event")
            try await stream.world.community.friends.block(writer.username, by: follower.reader.id)
            try await tell(by: writer)
            try await tell(by: scene.author)

            try await eventually { Self.chain(follower.client).count == 3 }
            #expect(Self.chain(follower.client).map(\.type) == ["event", "skip", "event"])
            #expect(follower.client.frames("closed").isEmpty)
            await follower.client.cut(isAbrupt: false)
        }
    }

    @Test func `the thread of an author who blocks its follower ends for that one, at once`() async throws {
        try await withStream { stream in
            let scene = try await Scene(stream)
            let (ended, other) = (try await scene.follower(at: nil), try await scene.follower(at: nil))
            try await stream.world.community.friends.block(ended.reader.username, by: scene.author.id)
            try await stream.tell(try await scene.post(0), "Said.", on: [.thread(scene.thread)])

            #expect(try await ended.client.hear("closed").topic == scene.topic)
            try await other.client.hear("event")
            #expect(Self.chain(ended.client).isEmpty && other.client.frames("closed").isEmpty)
            ended.client.subscribe(scene.topic, id: 5)
            #expect(try await ended.client.hear("error").text("code") == "unknown_topic")
            for client in [ended.client, other.client] { await client.cut(isAbrupt: false) }
        }
    }
}
