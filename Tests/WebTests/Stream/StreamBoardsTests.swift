import Community
import Postgres
import TestSupport
import Testing

@testable import Web

/// Boards as they are written, on open sockets.
@Suite(.database)
struct StreamBoardsTests {
    @Test func `of what is written, edited and deleted ahead of a reader no word is sent, live or in a replay`()
        async throws
    {
        try await withStream { stream in
            let (world, given) = (stream.world, stream.world.given)
            let store = world.community.boards
            let book = try await given.book()
            let readers = [try await given.account(), try await given.account()]
            for (reader, position) in zip(readers, [1_000, 9_000]) {
                try await given.shelved(book, .reading, by: reader.id)
                try await given.position(.part(position), in: book, by: reader.id)
            }
            let author = try await given.account()
            let half = try #require(Gate.Scope(position: 5_000))
            var clients: [WebSocketClient] = []
            for reader in readers { clients.append(try await stream.open(reader)) }
            let (near, far) = (clients[0], clients[1])

            for client in clients {
                client.subscribe("book:\(book)")
                try await client.hear("subscribed")
            }
            let opened = try await store.open(
                Boards.NewThread(title: "The butler", body: "The butler did it.", scope: .scope(half)), on: book,
                by: author.id)
            #expect(try await far.hear("event").text("kind") == "thread.opened")
            let placeholder = try await near.hear("gated").members["data"]
            #expect(placeholder == Self.placeholder(opened.post.id.text, "discussion"))

            let topic = "thread:\(opened.thread.id)"
            for client in clients {
                client.subscribe(topic, id: 2)
                try await client.hear("subscribed", on: topic)
            }
            let start = try #require(near.frames("subscribed", on: topic).first?.cursor)
            func chain(_ client: WebSocketClient) -> [String] {
                client.frames.filter { $0.topic == topic && $0.prev != nil }.map(\.type)
            }
            let reply = try await store.reply(
                Boards.NewPost(body: "The gardener helped.", scope: .scope(half)), in: opened.thread.id, by: author.id)
            _ = try await store.edit(reply.post.id, Boards.Change(body: "The gardener knew."), by: author.id)
            try await eventually { chain(near).count == 2 && chain(far).count == 2 }
            // The first text may have been another's place before it was asked for.
            #expect(chain(near).last == "gated" && chain(far).last == "event")
            #expect(!chain(near).contains("event"))

            try await given.position(.part(6_000), in: book, by: readers[0].id)
            _ = try await store.reply(
                Boards.NewPost(body: "And so it ends.", scope: .scope(half)), in: opened.thread.id, by: author.id)
            try await eventually { chain(near).count == 3 }
            #expect(chain(near).last == "event" && near.text.contains("And so it ends."))
            try await store.delete(reply.post.id, by: author.id)
            for client in clients {
                try await eventually { client.frames("event", on: topic).last?.text("kind") == "post.deleted" }
            }

            for reader in readers {
                let back = try await stream.open(reader)
                back.subscribe(topic, from: start)
                try await eventually { chain(back).count == 4 }
                #expect(chain(back) == ["skip", "skip", "event", "event"])
                #expect(!back.text.contains("gardener"))
                await back.cut(isAbrupt: false)
            }
            #expect(!near.text.contains("butler") && !near.text.contains("gardener"))
            for client in clients { await client.cut(isAbrupt: false) }
        }
    }

    private static func placeholder(_ id: String, _ kind: String) -> JSONValue {
        .object([
            "post": .object([
                "id": .string(id), "state": "gated", "kind": .string(kind), "position": .number("5000"),
            ])
        ])
    }
}
