import Community
import EventLog
import HTTPTypes
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import Web

@Suite(.database)
struct StreamSocketTests {
    @Test func `a handshake that is refused is answered in words`() async throws {
        try await withStream { stream in
            let ann = try await stream.world.given.account()
            let key = "Origin: http://evil.example"
            for (token, headers, status, code) in [
                (String?.none, [String](), 401, "unauthenticated"), ("cpl_wrong", [], 401, "unauthenticated"),
                (ann.token, [key], 403, "origin_not_allowed"),
            ] {
                let client = try await WebSocketClient.open(port: stream.port, token: token, headers: headers)
                try await eventually { client.status != nil && client.text.contains("}") }
                #expect(client.status == status)
                #expect(client.text.contains("\"code\":\"\(code)\""))
                await client.cut(isAbrupt: false)
            }
            let plain = try await stream.app.with(token: ann.token).get("/api/v1/stream")
            #expect(plain.status.code == 426 && plain.code == "upgrade_required")
            let own = try await WebSocketClient.open(
                port: stream.port, token: ann.token, headers: ["Origin: http://127.0.0.1:\(stream.port)"])
            try await eventually { own.status == 101 }
            await own.cut(isAbrupt: false)
        }
    }

    @Test func `a handshake that RFC 6455 does not allow is a bad request`() async throws {
        try await withStream { stream in
            let ann = try await stream.world.given.account()
            let good = "dGhlIHNhbXBsZSBub25jZQ=="
            for (version, protocolVersion, keys) in [
                ("1.0", "13", [good]), ("1.1", "13", ["c2hvcnQ="]), ("1.1", "13", [""]),
                ("1.1", "13", ["not in base64 at all!!=="]),
                ("1.1", "13", [good + "AAAA"]), ("1.1", "13", [good, good]), ("1.1", "12", [good]), ("1.1", "13", []),
            ] {
                let lines =
                    [
                        "GET /api/v1/stream HTTP/\(version)", "Host: 127.0.0.1:\(stream.port)", "Connection: Upgrade",
                        "Upgrade: websocket", "Sec-WebSocket-Version: \(protocolVersion)",
                        "Authorization: Bearer \(ann.token)",
                    ] + keys.map { "Sec-WebSocket-Key: \($0)" }
                let caller = try await RawConnection.open(port: stream.port)
                await caller.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
                try await eventually { caller.text.contains("}") }
                // A version that is not spoken here is told which one is.
                let isOther = protocolVersion != "13" || keys.isEmpty
                #expect(caller.text.contains(" \(isOther ? 426 : 400) "), "\(lines): \(caller.text)")
                #expect(caller.text.contains(isOther ? "\"upgrade_required\"" : "\"bad_handshake\""))
                await caller.close()
            }
        }
    }

    @Test func `who came before the server knew where the log is, is only told where the subscription begins`()
        async throws
    {
        try await withStream(followsLog: false) { stream in
            let (ann, _, id) = try await stream.world.given.correspondents()
            let topic = "conversation:\(id)"
            let client = try await stream.open(ann)
            // Of the kind that is sent away when the log begins anew.
            client.subscribe(topic)
            try await eventually { await !stream.hub.board.socketsOnReadersTopics.isEmpty }

            let head = try await EventLog.Reader(stream.world.database).head()
            await stream.hub.begin(at: head)

            #expect(try await client.hear("subscribed", on: topic).seq == head.seq)
            #expect(client.frames("bye").isEmpty && client.frames("reset").isEmpty)
            await stream.hub.begin(at: head)
            #expect(try await client.hear("bye").text("why") == "drain")
            await client.cut(isAbrupt: false)
        }
    }

    @Test(.requirement("TRE-6"))
    func `a friend's act is on the open socket, and of what may not be seen home says nothing`()
        async throws
    {
        try await withStream { stream in
            let (ann, bob) = (try await stream.world.given.account(), try await stream.world.given.account())
            try await stream.world.given.friendship(ann, bob)
            let client = try await stream.open(ann)
            client.subscribe("home")
            let subscribed = try await client.hear("subscribed", on: "home")
            #expect(subscribed.number("id") == 1 && subscribed.members["is_recovered"] == .boolean(true))

            let topic = [Topic.reader(bob.id.rawValue)]
            try await stream.publish(1, on: topic, owner: bob, level: .friends)
            try await stream.publish(2, on: topic, owner: bob, level: .private)
            try await stream.publish(3, on: topic, owner: bob, level: .public)

            try await eventually { client.frames("event").count == 2 }
            let chain = client.frames.filter { $0.type == "event" || $0.type == "skip" }
            #expect(chain.map(\.type) == ["event", "event"])
            #expect(chain.map(\.prev) == [subscribed.seq, chain[0].seq])
            #expect(chain[0].text("kind") == "test.happened")

            // A replay does not say so either: neither in its number nor in where it begins.
            let again = try await stream.open(ann)
            again.subscribe("home", from: try #require(subscribed.cursor))
            #expect(try await again.hear("subscribed").number("replay_count") == 2)
            try await eventually { again.frames("event").count == 2 }
            try await stream.publish(4, on: topic, owner: bob, level: .private)
            try await stream.publish(5, on: [.inbox(ann.id.rawValue)])
            again.subscribe("inbox", from: try #require(subscribed.cursor))
            // That of the friendship may come first.
            func inboxSeq() -> Int64? {
                again.frames("event").last { $0.topic == "inbox" && $0.text("kind") == "test.happened" }?.seq
            }
            try await eventually { inboxSeq() != nil }
            let quiet = try await stream.open(ann)
            quiet.subscribe("home", from: try #require(chain[1].cursor))
            let reopened = try await quiet.hear("subscribed")
            #expect(reopened.number("replay_count") == 0 && reopened.seq == inboxSeq())
            #expect(again.frames("skip").isEmpty && quiet.frames("skip").isEmpty)
            for client in [client, again, quiet] { await client.cut(isAbrupt: false) }
        }
    }

    @Test(.requirement("TRE-6")) func `on a book's chain, the same for all, what may not be seen is a bare skip`()
        async throws
    {
        try await withStream { stream in
            let (ann, bob) = (try await stream.world.given.account(), try await stream.world.given.account())
            let book = try await stream.book()
            let client = try await stream.open(ann)
            client.subscribe("book:\(book)")
            try await client.hear("subscribed")
            try await stream.publish(1, on: [.book(book)], owner: bob, level: .private)
            try await stream.publish(2, on: [.book(book)], owner: bob, level: .public)

            let event = try await client.hear("event")
            let skip = try #require(client.frames("skip").first)
            #expect(Set(skip.members.keys) == ["type", "topic", "seq", "prev", "cursor"] && event.prev == skip.seq)
            await client.cut(isAbrupt: false)
        }
    }

    @Test(.requirement("TRE-6")) func `a long way back on home, most of it not to be seen, is read to its end`()
        async throws
    {
        try await withStream { stream in
            let (ann, bob) = (try await stream.world.given.account(), try await stream.world.given.account())
            try await stream.world.given.friendship(ann, bob)
            let client = try await stream.open(ann)
            client.subscribe("home")
            let cursor = try #require(try await client.hear("subscribed").cursor)
            let topic = [Topic.reader(bob.id.rawValue)]
            try await stream.publish(0, on: topic, owner: bob, level: .public)
            for number in 1...420 { try await stream.publish(number, on: topic, owner: bob, level: .private) }
            try await stream.publish(421, on: topic, owner: bob, level: .public)
            try await eventually { client.frames("event").count == 2 }

            let back = try await stream.open(ann)
            back.subscribe("home", from: cursor)
            try await eventually { back.frames("event").count == 2 }
            #expect(back.frames("event").map(\.seq) == client.frames("event").map(\.seq))
            for client in [client, back] { await client.cut(isAbrupt: false) }
        }
    }

    @Test(.requirement("TRE-6")) func `a client that comes back with its cursor gets what it missed, once`()
        async throws
    {
        try await withStream { stream in
            let ann = try await stream.world.given.account()
            let book = try await stream.book()
            var client = try await stream.open(ann)
            client.subscribe("book:\(book)")
            let cursor = try #require(try await client.hear("subscribed").cursor)
            await client.cut(isAbrupt: true)
            let witness = try await stream.open(ann)
            witness.subscribe("book:\(book)")
            _ = try await witness.hear("subscribed")
            for number in 0..<450 { try await stream.publish(number, on: [.book(book)]) }
            // Only what the server has handed on is replayed; the rest would come live.
            try await eventually(within: .seconds(60)) { witness.frames("event").count == 450 }
            await witness.cut(isAbrupt: false)

            client = try await stream.open(ann)
            client.subscribe("book:\(book)", from: cursor)
            try await eventually { client.frames("event").count >= 450 }
            #expect(try await client.hear("subscribed").number("replay_count") == 450)
            let events = client.frames("event")
            #expect(events.count == 450)
            #expect(events.dropFirst().map(\.prev) == events.dropLast().map(\.seq))

            // Too far back for one replay; a cursor of another history; and one that was never one.
            for number in 0..<600 { try await stream.publish(number, on: [.book(book)]) }
            try await eventually { client.frames("event").count == 1_050 }
            client.subscribe("book:\(book)", from: cursor)
            #expect(try await client.hear("reset").text("why") == "too_far")
            let other = StreamCursor(epoch: 1, seq: 0).text(signedBy: stream.world.services.settings.secret)
            client.subscribe("inbox", from: other)
            #expect(try await client.hear("reset", on: "inbox").text("why") == "epoch")
            client.subscribe("home", from: "nonsense", id: 9)
            let error = try await client.hear("error")
            #expect(error.text("code") == "bad_cursor" && error.number("id") == 9)
            await client.cut(isAbrupt: false)
        }
    }

    @Test(.requirement("TRE-6")) func `an event published on seeing the answer always arrives`() async throws {
        try await withStream { stream in
            let ann = try await stream.world.given.account()
            let (book, rounds) = (try await stream.book(), ProofCount.of(2_000))
            for round in 0..<rounds {
                let client = try await stream.open(ann)
                client.subscribe("book:\(book)")
                try await client.hear("subscribed")
                try await stream.publish(round, on: [.book(book)])
                try await client.hear("event")
                #expect(client.frames("event").count == 1)
                await client.cut(isAbrupt: round % 2 == 0)
            }
        }
    }

    @Test(.requirement("TRE-6")) func `under cuts at any moment nobody loses an event or has one twice`() async throws {
        try await withStream { stream in
            let world = stream.world
            let (book, count) = (try await stream.book(), ProofCount.of(10_000))
            let readers = try await withThrowingTaskGroup(of: Signed.self) { group in
                for _ in 0..<8 { group.addTask { try await world.given.account() } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let (done, heard) = (Finished(), Heard(readers: readers.count))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, reader) in readers.enumerated() {
                    group.addTask {
                        var topic = FollowedTopic(isOwnChain: false)
                        let random = TestRandom(for: "cuts \(index)")
                        var first: Int64?
                        repeat {
                            let client = try await stream.open(reader)
                            client.subscribe("book:\(book)", from: topic.cursor ?? "now")
                            // Often cut before anything has come.
                            try await Task.sleep(for: .milliseconds(random.number(in: 0...40)))
                            if heard.isBehind(topic.last) {
                                try await eventually { (client.frames.compactMap(\.seq).max() ?? 0) > topic.last }
                            }
                            if done.isSet {
                                try await client.hear("subscribed")
                                try await eventually {
                                    max(topic.last, client.frames.compactMap(\.seq).max() ?? 0) >= done.head
                                }
                            }
                            topic.reopen()
                            for frame in client.frames where frame.topic != nil {
                                _ = topic.receive(frame)
                                if first == nil { first = frame.seq }
                            }
                            heard.note(topic.last, by: index)
                            await client.cut(isAbrupt: random.once(in: 2))
                        } while topic.last < done.head || !done.isSet
                        #expect(topic.wrongs.isEmpty)
                        let head = done.head
                        let start = try #require(first)
                        #expect(
                            topic.seqs == Array((start + 1)..<(head + 1)),
                            "all after the first answer, in order, each once")
                    }
                }
                for writer in 0..<2 {
                    group.addTask {
                        for number in 0..<(count / 2) {
                            try await stream.publish(writer * count + number, on: [.book(book)])
                            // Who is further behind than is replayed begins anew, and that is not what is proved here.
                            if number % 25 == 0 { try await eventually { heard.isNear(number * 2) } }
                        }
                    }
                }
                // Readers end when both writers have.
                group.addTask {
                    try await eventually(within: .seconds(300)) {
                        try await world.community.services.log.head().seq >= count
                    }
                    done.set(head: Int64(count))
                }
                try await group.waitForAll()
            }
        }
    }
}

/// Told once, by the writers to the readers.
private final class Finished: Sendable {
    private let state = Mutex<Int64?>(nil)
    var isSet: Bool { state.withLock { $0 != nil } }
    var head: Int64 { state.withLock { $0 ?? .max } }
    func set(head: Int64) { state.withLock { $0 = head } }
}

/// How far each reader has heard, told to the writers.
private final class Heard: Sendable {
    private static let replayed = Int64(EventStream.Limits().replay)
    private let last: Mutex<[Int64]>
    private let head = Mutex<Int64>(0)

    init(readers: Int) { last = Mutex([Int64](repeating: 0, count: readers)) }

    func note(_ seq: Int64, by reader: Int) { last.withLock { $0[reader] = seq } }

    /// Whether everybody has heard all but the last of about so many: half of what is replayed.
    func isNear(_ written: Int) -> Bool {
        head.withLock { $0 = max($0, Int64(written)) }
        return last.withLock { $0.allSatisfy { $0 >= Int64(written) - Self.replayed / 2 } }
    }

    /// Whether somebody who has heard so far is one of those that writers may wait for.
    func isBehind(_ seq: Int64) -> Bool { head.withLock { seq < $0 - Self.replayed / 4 } }
}

extension Services {
    fileprivate var log: EventLog.Reader { EventLog.Reader(database) }
}
