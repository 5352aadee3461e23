import Community
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import Web

/// A spam wave meets open sockets: one query, one act, one undo.
@Suite(.database)
struct WaveTests {
    @Test(.long, .timeLimit(.minutes(ProofCount.minutes)), .requirement("DIS-5"))
    func
        `a wave is hidden and its accounts shut out by one act each, open sockets hear it at once, and one undo brings it back`()
        async throws
    {
        // In full 100 accounts, 2,000 posts and 500 sockets.
        let (spammers, posts, sockets) = (ProofCount.of(100), 20, ProofCount.of(500))
        try await withStream { stream in
            let (world, given) = (stream.world, stream.world.given)
            let moderator = stream.app.as(try await given.account("moe", role: .moderator))
            let (book, host) = (try await given.book(), try await given.account())
            var threads: [MadeThread] = []
            for _ in 0..<10 { threads.append(try await given.thread(on: book, by: host.id)) }
            for number in 0..<spammers {
                let spammer = try await given.account("spam\(number)")
                try await world.asSuperuser(
                    """
                    update account set email = '\(number)@junk.example', email_folded = '\(number)@junk.example'
                     where id = \(spammer.id)
                    """)
                for post in 0..<posts {
                    _ = try await given.post(
                        in: threads[(number + post) % threads.count].id, by: spammer.id,
                        body: "https://watches.example/\(number)/\(post)")
                }
            }
            var open: [WebSocketClient] = []
            for number in 0..<sockets {
                let client = try await stream.open(try await given.account())
                for topic in ["server", "thread:\(threads[number % threads.count].id)"] {
                    client.subscribe(topic)
                    try await client.hear("subscribed", on: topic)
                }
                open.append(client)
            }
            func act(_ path: String, _ body: JSONValue) async throws -> String {
                let made = try await moderator.post("/api/v1/moderation/acts" + path, body)
                #expect(made.status == .ok, "\(made.text)")
                #expect(try await world.work() == 0)
                let id = try #require(made.json["id"]?.text)
                let done = try await moderator.get("/api/v1/moderation/acts/" + id)
                #expect(
                    done.json["state"] == "done" && done.json["done_count"] == done.json["target_count"], "\(done.text)"
                )
                return id
            }
            func hear(_ kind: String, each count: Int) async throws {
                let clients = open
                try await eventually {
                    clients.allSatisfy { client in
                        client.frames("event").count { $0.text("kind") == kind } >= count
                    }
                }
            }
            let since: JSONValue = .string((world.clock.now() - .seconds(3_600)).text)
            let hidden = try await act(
                "",
                [
                    "verb": "hide", "reason": "a wave",
                    "query": ["link_domain": "watches.example", "kind": "post", "since": since],
                ])
            try await hear("post.deleted", each: spammers * posts / threads.count)
            let suspended = try await act(
                "", ["verb": "suspend", "reason": "a wave", "query": ["email_domain": "junk.example", "since": since]])
            try await hear("readers.hidden", each: 1)
            let counted = try await world.asSuperuser(
                "select count(*) from post where hidden_at is not null union all select count(*) from account where state = 'suspended'"
            )
            #expect(counted.compactMap { $0[0] } == ["\(spammers * posts)", "\(spammers)"])
            // One event tells all of them.
            for client in open {
                let told = client.frames("event").filter { $0.text("kind") == "readers.hidden" }
                #expect(told.count == 1 && told.first?.members["data"]?["readers"]?.elements.count == spammers)
            }
            for id in [suspended, hidden] { _ = try await act("/\(id)/undo", ["reason": "a mistake"]) }
            try await hear("readers.shown", each: 1)
            try await hear("post.restored", each: spammers * posts / threads.count)
            #expect(try await world.asSuperuser("select count(*) from post where hidden_at is not null") == [["0"]])
            #expect(try await world.everyDifference() == [])
            for client in open { await client.cut(isAbrupt: false) }
        }
    }
}
