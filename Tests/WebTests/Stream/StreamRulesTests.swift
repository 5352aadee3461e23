import Community
import EventLog
import NIOCore
import Postgres
import TestSupport
import Testing

@testable import Web

/// What ends a stream, and what changes while one is open.
@Suite(.database)
struct StreamRulesTests {
    @Test(.requirement("ACC-6")) func `an ended session's socket closes, and nothing committed later reaches it`()
        async throws
    {
        try await withStream { stream in
            let ann = try await stream.world.given.account()
            let book = try await stream.book()
            let client = try await stream.open(ann)
            client.subscribe("book:\(book)")
            try await client.hear("subscribed")

            try await stream.world.community.accounts.end(ann.identity.session, of: ann.id)
            try await stream.publish(1, on: [.book(book)])

            #expect(try await client.hear("bye").text("why") == "auth")
            try await eventually { client.closeCode == 4001 }
            #expect(client.frames("event").isEmpty)
            let again = try await WebSocketClient.open(port: stream.port, token: ann.token)
            try await eventually { again.status == 401 }
            await again.cut(isAbrupt: false)
            await client.cut(isAbrupt: false)
        }
    }

    @Test(.requirement("ACC-6")) func `a session that ended before its socket was known closes the socket at once`()
        async throws
    {
        struct Ended: EventStream.SessionGate {
            func living(sessions: [Int64]) async throws -> Set<Int64> { [] }
        }
        try await withStream(gate: Ended()) { stream in
            let client = try await stream.open(try await stream.world.given.account())
            #expect(try await client.hear("bye").text("why") == "auth")
            try await eventually { client.closeCode == 4001 }
            await client.cut(isAbrupt: false)
        }
    }

    @Test(arguments: [
        "session.ended", "account.ended", "friendship.changed", "block.changed", "mute.changed", "follow.changed",
        "role.changed",
    ])
    func `a control event that cannot be read is known as such`(kind: String) throws {
        for data in [#"{"session": true}"#, "[]", #"{"readers": ["x"]}"#] {
            let event = LoggedEvent(
                seq: 1, id: 1, kind: kind, version: 2, places: [.init(topic: .control, prev: 0)], owner: nil,
                subjectKind: nil, subject: nil, at: Timestamp(seconds: 0), data: JSON(bytes: Array(data.utf8)))
            #expect(EventStream.ControlEvent(event) == .unreadable(kind: kind))
        }
    }

    @Test func `opening streams is limited by address and by account, accepted or not`() async throws {
        try await withStream(
            limits: { $0.sockets = 1_000 }, site: { ($0.limitsRates, $0.trustedProxies) = (true, ["127.0.0.1"]) }
        ) {
            stream in
            let ann = try await stream.world.given.account()
            let quota = try #require(RateLimiter.policies[.stream]?.quota)
            func open(from address: String) async throws -> WebSocketClient {
                let client = try await WebSocketClient.open(
                    port: stream.port, token: ann.token, headers: ["X-Forwarded-For: \(address)"])
                try await eventually { client.status != nil }
                return client
            }
            // Taken in an hour from now: nothing flows back meanwhile.
            let later = ContinuousClock.now.advanced(by: .seconds(3600))
            // An address has used its own up, refused or not; another address of the same account has not.
            for _ in 0..<quota {
                _ = stream.app.site.rates.take(.stream, by: .address(ClientAddress([198, 51, 100, 7])), now: later)
            }
            var clients = [try await open(from: "198.51.100.7"), try await open(from: "198.51.100.8")]
            #expect(clients.map(\.status) == [429, 101])
            for _ in 0..<quota { _ = stream.app.site.rates.take(.stream, by: .account(ann.id), now: later) }
            clients.append(try await open(from: "198.51.100.9"))
            #expect(clients[2].status == 429)
            for client in clients { await client.cut(isAbrupt: false) }
        }
    }

    @Test(arguments: [0xA, 0x0] as [UInt8])
    func `pongs and fragments count as messages`(opcode: UInt8) async throws {
        try await withStream(limits: { ($0.messageBurst, $0.fragments) = (20, 1_000) }) { stream in
            let client = try await stream.open(try await stream.world.given.account())
            if opcode == 0 { client.send(WebSocketClient.frame(1, [32], isFinal: false)) }
            for _ in 0..<40 { client.send(WebSocketClient.frame(opcode, [], isFinal: opcode != 0)) }
            #expect(try await client.hear("bye").text("why") == "limit")
            try await eventually { client.closeCode == 4029 }
            await client.cut(isAbrupt: false)
        }
    }

    @Test(.requirement("TRE-6")) func `home follows friendships as they begin and end`() async throws {
        try await withStream { stream in
            let (ann, bob) = (try await stream.world.given.account(), try await stream.world.given.account())
            let client = try await stream.open(ann)
            client.subscribe("home")
            try await client.hear("subscribed")
            func publish(_ number: Int) async throws {
                try await stream.publish(number, on: [.reader(bob.id.rawValue)], owner: bob, level: .public)
            }

            try await publish(1)
            try await stream.world.given.friendship(ann, bob)
            try await publish(2)
            try await eventually { client.frames("event").count == 1 }
            try await stream.world.community.friends.remove(bob.id, of: ann.id)
            try await publish(3)
            try await stream.publish(4, on: [.inbox(ann.id.rawValue)])
            client.subscribe("inbox", from: try #require(client.frames("event").first?.cursor))
            try await client.hear("event", on: "inbox")

            #expect(client.frames("event", on: "home").map { $0.members["data"]?["n"] } == [.number("2")])
            await client.cut(isAbrupt: false)
        }
    }

    @Test func `the eleventh socket and the hundred-and-first topic are refused`() async throws {
        try await withStream(limits: { $0.topics = 3 }) { stream in
            let ann = try await stream.world.given.account()
            var clients: [WebSocketClient] = []
            for _ in 0..<10 { clients.append(try await stream.open(ann)) }
            let eleventh = try await stream.open(ann)
            #expect(try await eleventh.hear("bye").text("why") == "limit")
            try await eventually { eleventh.closeCode == 4029 }

            for id in 1...4 { clients[0].subscribe("book:\(try await stream.book())", id: id) }
            let error = try await clients[0].hear("error")
            #expect(error.text("code") == "too_many_topics" && error.number("id") == 4)
            for client in clients + [eleventh] { await client.cut(isAbrupt: false) }
            try await eventually { await stream.hub.isEmpty }
        }
    }

    @Test(.requirement("TRE-6")) func `one frame follows several topics, and each of them is answered`() async throws {
        try await withStream { stream in
            let client = try await stream.open(try await stream.world.given.account())
            let book = try await stream.book()
            client.say(#"{"type":"subscribe","id":7,"topics":["inbox","book:\#(book)","thread:404"]}"#)
            let answered = [
                try await client.hear("subscribed", on: "inbox"),
                try await client.hear("subscribed", on: "book:\(book)"),
            ]
            let refused = try await client.hear("error", on: "thread:404")
            #expect((answered + [refused]).map { $0.number("id") } == [7, 7, 7])
            #expect(refused.text("code") == "unknown_topic")
            await client.cut(isAbrupt: false)
            try await eventually { await stream.hub.isEmpty }
        }
    }

    @Test func `who talks too much is sent away`() async throws {
        try await withStream(limits: { $0.messageBurst = 20 }) { stream in
            let client = try await stream.open(try await stream.world.given.account())
            for _ in 0..<40 { client.say(#"{"type":"ping"}"#) }
            #expect(try await client.hear("bye").text("why") == "limit")
            try await eventually { client.closeCode == 4029 }
            await client.cut(isAbrupt: false)
        }
    }

    @Test func `one who stops reading is closed and costs the others nothing`() async throws {
        try await withStream(limits: { ($0.stallSeconds, $0.tickSeconds) = (2, 1) }) { stream in
            let given = stream.world.given
            let book = try await stream.book()
            let slow = try await stream.open(try await given.account())
            let quick = try await stream.open(try await given.account())
            for client in [slow, quick] {
                client.subscribe("book:\(book)")
                try await client.hear("subscribed")
            }
            let cursor = try #require(slow.frames("subscribed").first?.cursor)
            try await slow.stopReading()
            for number in 0..<400 { try await stream.publish(number, on: [.book(book)], padding: 8_000) }

            try await eventually(within: .seconds(60)) { quick.frames("event").count == 400 }
            try await eventually { await stream.hub.socketCount == 1 }
            try await slow.resumeReading()
            try await eventually { slow.isClosed }
            let had = slow.frames("event")
            #expect(had.count < 400)

            let back = try await stream.open(try await given.account())
            back.subscribe("book:\(book)", from: had.last?.cursor ?? cursor)
            try await eventually(within: .seconds(60)) { back.frames("event").count == 400 - had.count }
            for client in [quick, back] { await client.cut(isAbrupt: false) }
        }
    }

    @Test(.requirement("TRE-6")) func `one who has vanished without a word is given up, and one who answers stays`()
        async throws
    {
        try await withStream(
            limits: {
                ($0.heartbeat, $0.tickSeconds) = (1, 1)
                ($0.messagesPerSecond, $0.messageBurst) = (100_000, 100_000)
            }
        ) { stream in
            let gone = try await stream.open(try await stream.world.given.account())
            let there = try await stream.open(try await stream.world.given.account())
            try await eventually {
                there.send(WebSocketClient.frame(0xA, []))
                return gone.isClosed
            }
            // Two pings without an answer, and nobody to say farewell to.
            #expect(gone.rawFrames.count { $0.opcode == 9 } == 2)
            #expect(gone.frames("bye").isEmpty && gone.closeCode == nil)
            #expect(!there.isClosed)
            try await eventually { await stream.hub.socketCount == 1 }
            await there.cut(isAbrupt: false)
            try await eventually { await stream.hub.isEmpty }
        }
    }

    @Test(.requirement("TRE-6")) func `a handshake that does not end is ended`() async throws {
        try await withStream(
            http: {
                $0.headTime = .milliseconds(300)
                $0.tick = .milliseconds(20)
            }
        ) { stream in
            let ann = try await stream.world.given.account()
            for accept in ["Upgrade: websocket", "Accept: text/event-stream"] {
                let slow = try await RawConnection.open(port: stream.port)
                await slow.send(
                    """
                    GET /api/v1/stream?topics=inbox HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(ann.token)\r
                    \(accept)\r\nSec-WebSocket-
                    """)
                try await eventually { slow.isClosed }
                #expect(slow.statuses == [408])
                await slow.close()
            }
            #expect(await stream.hub.isEmpty && stream.app.site.connections.streamCount == 0)
        }
    }

    @Test func `a server that stops says farewell`() async throws {
        try await withStream { stream in
            let client = try await stream.open(try await stream.world.given.account())
            await stream.stop()
            let bye = try await client.hear("bye")
            #expect(bye.text("why") == "drain")
            #expect((500...8_000).contains(bye.number("retry_ms") ?? 0))
            try await eventually { client.closeCode == 1012 }
            await client.cut(isAbrupt: false)
        }
    }

    @Test(arguments: ProtocolFault.all)
    private func `a client that breaks RFC 6455 is refused with the right code`(_ fault: ProtocolFault) async throws {
        try await withStream { stream in
            let client = try await stream.open(try await stream.world.given.account())
            for frame in fault.frames { client.send(frame) }
            try await eventually("\(fault.name): \(client.closeCode ?? -1)") { client.closeCode == fault.code }
            await client.cut(isAbrupt: false)
            try await eventually { await stream.hub.isEmpty }
        }
    }
}

/// Frames that must end a connection, and how.
struct ProtocolFault: Sendable, CustomTestStringConvertible {
    let name: String
    let frames: [[UInt8]]
    let code: Int
    var testDescription: String { name }

    private static func frame(_ opcode: UInt8, _ payload: [UInt8] = [], isFinal: Bool = true, first: UInt8? = nil)
        -> [UInt8]
    {
        WebSocketClient.frame(opcode, payload, isFinal: isFinal, first: first)
    }

    static let all: [ProtocolFault] = [
        .init(name: "unmasked", frames: [WebSocketClient.frame(1, Array("{}".utf8), isMasked: false)], code: 1002),
        .init(name: "reserved bit 1", frames: [frame(1, first: 0xC1)], code: 1002),
        .init(name: "reserved bit 3", frames: [frame(9, first: 0x99)], code: 1002),
        .init(name: "opcode 3", frames: [frame(3)], code: 1002),
        .init(name: "opcode 11", frames: [frame(11)], code: 1002),
        .init(name: "overlong UTF-8", frames: [frame(1, [0xC0, 0xAF])], code: 1007),
        .init(name: "a surrogate in UTF-8", frames: [frame(1, [0xED, 0xA0, 0x80])], code: 1007),
        .init(name: "UTF-8 cut off at the end", frames: [frame(1, [0xE2, 0x82])], code: 1007),
        .init(
            name: "UTF-8 wrong across fragments", frames: [frame(1, [0xE2], isFinal: false), frame(0, [0x28])],
            code: 1007),
        .init(name: "a long ping", frames: [frame(9, Array(repeating: 0, count: 126))], code: 1002),
        .init(name: "a ping in fragments", frames: [frame(9, isFinal: false)], code: 1002),
        .init(name: "a lone continuation", frames: [frame(0)], code: 1002),
        .init(name: "a message inside another", frames: [frame(1, [123], isFinal: false), frame(1)], code: 1002),
        .init(name: "a frame over 16 KiB", frames: [frame(1, Array(repeating: 32, count: 16_385))], code: 1009),
        .init(
            name: "a message over 64 KiB",
            frames: [frame(1, [32], isFinal: false)]
                + (0..<5).map { _ in frame(0, Array(repeating: 32, count: 16_000), isFinal: false) },
            code: 1009),
        .init(
            name: "17 fragments",
            frames: [frame(1, [32], isFinal: false)] + (0..<16).map { _ in frame(0, [32], isFinal: false) },
            code: 1009),
        .init(name: "binary", frames: [frame(2, [1])], code: 1003),
        .init(name: "a close with a code that nobody may send", frames: [frame(8, [0x03, 0xED])], code: 1002),
        .init(name: "a close of one byte", frames: [frame(8, [3])], code: 1002),
        .init(name: "a close with a reason that is no text", frames: [frame(8, [0x03, 0xE8, 0xFF])], code: 1007),
        .init(name: "a proper close is answered with its code", frames: [frame(8, [0x03, 0xE8])], code: 1000),
        .init(name: "a close without a code", frames: [frame(8)], code: 0),
    ]
}
