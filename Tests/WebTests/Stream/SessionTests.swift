import Community
import EventLog
import NIOCore
import Postgres
import TestSupport
import Testing

@testable import Web

/// What waits for one socket is bounded, whatever it waits for, and is given back when the socket is given up.
struct SessionTests {
    private func session(_ change: (inout EventStream.Limits) -> Void = { _ in }) -> EventStream.Session {
        var limits = EventStream.Limits()
        change(&limits)
        var session = EventStream.Session(
            limits: limits, secret: SecretKey(from: TestRandom()), now: 0)
        while session.next() != nil {}
        return session
    }

    private func say(_ text: String, to session: inout EventStream.Session) {
        session.received(ByteBuffer(string: text), now: 0)
    }

    @Test func `a client that asks and does not read is sent away before its answers fill the memory`() {
        var session = session { $0.messageBurst = 1_000_000 }
        var most = 0
        for _ in 0..<100_000 where !session.isClosing {
            say(#"{"type":"rubbish"}"#, to: &session)
            most = max(most, session.controlBytes)
        }

        #expect(session.isClosing && most <= session.limits.controlBytes)
        #expect(session.takeEffects().last == .close(.slow))
        // Only the farewell is left of what waited.
        let left = session.next()
        #expect(left.map { String(buffer: $0.head).contains("\"why\":\"slow\"") } == true)
        #expect(session.next() == nil && session.controlBytes == 0)
    }

    @Test func `those who are sent away together are not told to come back together`() {
        var told: Set<String> = []
        for _ in 0..<20 {
            var session = session { $0.messageBurst = 1_000_000 }
            while !session.isClosing { say(#"{"type":"rubbish"}"#, to: &session) }
            if let bye = session.next() { told.insert(String(buffer: bye.head)) }
        }

        #expect(told.count > 10 && told.allSatisfy { $0.contains("retry_ms") })
    }

    @Test func `what is read makes room again`() {
        var session = session { $0.messageBurst = 1_000_000 }
        for _ in 0..<10_000 {
            say(#"{"type":"rubbish"}"#, to: &session)
            while session.next() != nil {}
        }

        #expect(!session.isClosing && session.controlBytes == 0)
    }

    @Test func `one who stops reading is cut, and nothing of what waited is kept`() {
        var session = session { $0.stallSeconds = 30 }
        let name = EventStream.Name.book(1)
        say(#"{"type":"subscribe","id":1,"topic":"book:1"}"#, to: &session)
        session.opened(
            .init(token: 1, name: name, position: StreamCursor(epoch: 1, seq: 0), replay: 0, reset: nil), now: 0)
        for seq in 1...600 { session.offer(parcels(Int64(seq), on: name), now: 0) }
        #expect(session.queuedBytes > 0 && session.queuedBytes <= session.limits.queueBytes)
        #expect(session.queuedEvents <= session.limits.queueEvents)

        session.tick(now: 1_000, accepted: 5, waiting: 10)
        session.tick(now: 30_000, accepted: 5, waiting: 10)
        #expect(!session.isClosing)
        session.tick(now: 31_000, accepted: 5, waiting: 10)

        #expect(session.isClosing && session.takeEffects().last == .close(.slow))
        #expect((session.queuedBytes, session.queuedEvents) == (0, 0))
        #expect((session.heldBytes, session.heldEvents) == (0, 0))
        session.offer(parcels(601, on: name), now: 31_000)
        #expect(session.next() != nil && session.next() == nil)
    }

    @Test func `a topic that is closed takes with it what waited, and leaves the others alone`() {
        var session = session()
        let (ended, kept) = (EventStream.Name.conversation(7), EventStream.Name.book(1))
        for (token, name) in [(1, ended), (2, kept)] as [(UInt64, EventStream.Name)] {
            say(#"{"type":"subscribe","id":1,"topic":"\#(name.text)"}"#, to: &session)
            session.opened(
                .init(token: token, name: name, position: StreamCursor(epoch: 1, seq: 0), replay: 0, reset: nil),
                now: 0)
            for seq in 1...3 { session.offer(parcels(Int64(seq), on: name), now: 0) }
        }
        // Of an earlier subscription: it says nothing of this one.
        session.closed(ended, token: 9)
        #expect(session.queuedEvents == 6)

        session.closed(ended, token: 1)
        session.offer(parcels(4, on: ended), now: 0)
        session.offer(parcels(4, on: kept), now: 0)

        #expect(session.takeEffects().last == .unsubscribe(ended))
        let frames = frames(of: &session)
        #expect(frames.filter { $0.topic == ended.text }.map(\.type) == ["subscribed", "closed"])
        let others = frames.filter { $0.topic == kept.text }.map(\.type)
        #expect(others == ["subscribed", "event", "event", "event", "event"])
        #expect((session.queuedBytes, session.queuedEvents, session.controlBytes) == (0, 0, 0))
    }

    @Test func `what may not be followed is answered as what does not exist`() {
        var session = session()
        for (token, text) in [(1, "conversation:7"), (2, "nonsense")] as [(UInt64, String)] {
            say(#"{"type":"subscribe","id":4,"topic":"\#(text)"}"#, to: &session)
            if let name = EventStream.Name(text: text) { session.closed(name, token: token) }
        }
        let frames = frames(of: &session)
        #expect(frames.map { $0.text("code") } == ["unknown_topic", "unknown_topic"])
        #expect(frames.map(\.topic) == ["conversation:7", "nonsense"])
        #expect(Set(frames.map { $0.text("detail") }).count == 1)
        #expect(Set(frames.map(\.members.count)).count == 1)
        // There is room again for another.
        say(#"{"type":"unsubscribe","id":5,"topic":"conversation:7"}"#, to: &session)
        #expect(self.frames(of: &session).map { $0.text("code") } == ["not_subscribed"])
    }

    private func frames(of session: inout EventStream.Session) -> [ServerFrame] {
        var frames: [ServerFrame] = []
        while let frame = session.next() {
            var wire = frame.head
            if let tail = frame.tail { wire.writeImmutableBuffer(tail) }
            if let frame = ServerFrame(wire: wire) { frames.append(frame) }
        }
        return frames
    }

    private func parcels(_ seq: Int64, on name: EventStream.Name) -> [EventStream.Parcel] {
        let event = LoggedEvent(
            seq: seq, id: seq, kind: "test.happened", version: 1, places: [.init(topic: .book(1), prev: seq - 1)],
            owner: nil, subjectKind: nil, subject: nil, at: Timestamp(seconds: 0),
            data: JSON(bytes: Array(#"{"pad":"\#(String(repeating: "x", count: 1_000))"}"#.utf8)))
        var wrapper = EventStream.Wrapper(event, Verdict(), cursor: "c")
        return [wrapper.parcel(for: 1, on: name)].compactMap(\.self)
    }

    /// A session that follows `trending`; its answer was read.
    private func follower() -> EventStream.Session {
        var session = session { $0.topics = 2 }
        say(#"{"type":"subscribe","id":1,"topic":"trending","from":"now"}"#, to: &session)
        session.opened(
            .init(token: 1, name: .trending, position: StreamCursor(epoch: 1, seq: 7), replay: 0, reset: nil), now: 0)
        return session
    }

    private func tell(_ version: Int64, to session: inout EventStream.Session) {
        session.told(
            WebSocketFrames.text(Array(#"{"type":"state","version":\#(version)}"#.utf8)), of: .trending,
            version: version)
    }

    /// Reads all that waits.
    private func read(_ session: inout EventStream.Session) -> [ServerFrame] {
        var frames: [ServerFrame] = []
        while let frame = session.next() { frames += [ServerFrame(wire: frame.head)].compactMap { $0 } }
        return frames
    }

    @Test func `of a state one frame waits at most, the latest, and none that is older than what was sent`() {
        var session = follower()
        for version: Int64 in [3, 5, 4] { tell(version, to: &session) }
        #expect(session.queuedEvents == 1)
        #expect(read(&session).map { "\($0.type) \($0.number("version") ?? 0)" } == ["subscribed 0", "state 5"])
        #expect(session.queuedEvents == 0 && session.queuedBytes == 0)
        for version: Int64 in [4, 5] { tell(version, to: &session) }
        #expect(read(&session).isEmpty)
        tell(6, to: &session)
        say(#"{"type":"ping"}"#, to: &session)
        let frames = read(&session)
        #expect(frames.map(\.type) == ["state", "heartbeat"])
        #expect(frames.last?.members["heads"] == .object([:]))
    }

    @Test func `a state that is followed no longer is not told, nor before the answer, and it counts as a topic`() {
        var session = session { $0.topics = 2 }
        say(#"{"type":"subscribe","id":1,"topic":"trending"}"#, to: &session)
        tell(1, to: &session)
        #expect(session.queuedEvents == 0)
        session = follower()
        tell(1, to: &session)
        say(#"{"type":"unsubscribe","id":2,"topic":"trending"}"#, to: &session)
        tell(2, to: &session)
        #expect(read(&session).map(\.type) == ["subscribed", "unsubscribed"])
        #expect(session.queuedEvents == 0 && session.queuedBytes == 0)

        session = follower()
        for topic in ["book:1", "book:2"] { say(#"{"type":"subscribe","id":1,"topic":"\#(topic)"}"#, to: &session) }
        #expect(read(&session).compactMap { $0.text("code") } == ["too_many_topics"])
    }

    @Test func `each topic of a frame counts as a message`() {
        var session = session { $0.messageBurst = 5 }
        say(#"{"type":"subscribe","topics":["book:1","book:2","book:3"],"from":"now"}"#, to: &session)
        #expect(!session.isClosing)
        say(#"{"type":"subscribe","topics":["book:4","book:5","book:6"],"from":"now"}"#, to: &session)
        #expect(session.isClosing && session.takeEffects().last == .close(.limit))
    }

    @Test func `several topics are followed with one frame, each answered by itself`() {
        var session = session { $0.topics = 2 }
        say(#"{"type":"subscribe","id":1,"topics":["home","nowhere","home","book:1","book:2"]}"#, to: &session)
        #expect(
            session.takeEffects() == [
                .subscribe(token: 1, .home, from: .now), .subscribe(token: 2, .book(1), from: .now),
            ])
        let errors = read(&session).filter { $0.type == "error" }
        #expect(errors.map { $0.text("topic") } == ["nowhere", "book:2"])
        #expect(errors.map { $0.text("code") } == ["unknown_topic", "too_many_topics"])
        #expect(errors.allSatisfy { $0.number("id") == 1 })
        let most = (1...101).map { "\"book:\($0)\"" }.joined(separator: ",")
        for topics in ["[]", "[\(most)]", "[1]", "\"home\"", #"["home"],"topic":"home""#] {
            say(#"{"type":"subscribe","topics":\#(topics)}"#, to: &session)
            #expect(read(&session).map { $0.text("code") } == ["bad_frame"], "\(topics.prefix(40))")
        }
    }

    @Test func `of a million subscriptions so many are held as there may be, and each other is refused`() {
        var session = session { $0.messageBurst = 10_000_000 }
        let frames = ProofCount.of(10_000)
        var (held, refused, most) = (0, 0, 0)
        for frame in 0..<frames {
            let topics = (1...100).map { "\"book:\(frame * 100 + $0)\"" }.joined(separator: ",")
            say(#"{"type":"subscribe","topics":[\#(topics)]}"#, to: &session)
            most = max(most, session.controlBytes)
            refused += read(&session).count { $0.text("code") == "too_many_topics" }
            held += session.takeEffects().count
        }
        #expect(!session.isClosing && held == 100 && refused == frames * 100 - 100)
        #expect(most <= session.limits.controlBytes)
    }

    @Test func `after a reset of the log a state is asked for again, and told whatever its version`() {
        var session = follower()
        tell(9, to: &session)
        _ = session.takeEffects()
        session.reset(.epoch, to: StreamCursor(epoch: 2, seq: 0))
        #expect(session.takeEffects() == [.subscribe(token: 1, .trending, from: .now)])
        tell(1, to: &session)
        #expect(read(&session).compactMap { $0.number("version") } == [1])
    }
}

extension EventStream.Session {
    /// As a socket does when it is offered several.
    mutating func offer(_ parcels: [EventStream.Parcel], now: Int64) {
        for parcel in parcels { offer(parcel, now: now) }
        askForPage(now: now)
    }
}
