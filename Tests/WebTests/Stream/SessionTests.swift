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
        #expect(session.takeEffects().last == .close(4008, "slow"))
        // Only the farewell is left of what waited.
        let left = session.next()
        #expect(left.map { String(buffer: $0.head).contains("\"why\":\"slow\"") } == true)
        #expect(session.next() == nil && session.controlBytes == 0)
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
        for seq in 1...600 { session.offer([parcel(Int64(seq), on: name)], now: 0) }
        #expect(session.queuedBytes > 0 && session.queuedBytes <= session.limits.queueBytes)
        #expect(session.queuedEvents <= session.limits.queueEvents)

        session.tick(now: 1_000, accepted: 5, waiting: 10)
        session.tick(now: 30_000, accepted: 5, waiting: 10)
        #expect(!session.isClosing)
        session.tick(now: 31_000, accepted: 5, waiting: 10)

        #expect(session.isClosing && session.takeEffects().last == .close(4008, "slow"))
        #expect((session.queuedBytes, session.queuedEvents) == (0, 0))
        #expect((session.heldBytes, session.heldEvents) == (0, 0))
        session.offer([parcel(601, on: name)], now: 31_000)
        #expect(session.next() != nil && session.next() == nil)
    }

    private func parcel(_ seq: Int64, on name: EventStream.Name) -> EventStream.Parcel {
        let event = LoggedEvent(
            seq: seq, id: seq, kind: "test.happened", version: 1, places: [.init(topic: .book(1), prev: seq - 1)],
            owner: nil, subjectKind: nil, subject: nil, at: Timestamp(seconds: 0),
            data: JSON(bytes: Array(#"{"pad":"\#(String(repeating: "x", count: 1_000))"}"#.utf8)))
        let shared = EventStream.SharedEvent(event, cursor: "c")
        return EventStream.Parcel(
            topic: name, event: shared, isVisible: true,
            whole: shared.whole(topic: name, prev: seq - 1, isVisible: true))
    }
}
