import Community
import EventLog
import NIOCore
import Postgres
import TestSupport
import Testing

@testable import Web

/// The protocol of an event stream: one place for all topics.
struct SourceSessionTests {
    private let secret = SecretKey(from: TestRandom())

    private func session(
        _ topics: [String], scopes: Set<Accounts.Scope>? = nil, _ change: (inout EventStream.Limits) -> Void = { _ in }
    ) -> EventStream.SourceSession {
        var limits = EventStream.Limits()
        change(&limits)
        return EventStream.SourceSession(
            limits: limits, secret: secret, topics: topics, scopes: scopes, from: .now, retryAfter: 700, now: 0)
    }

    /// One that has begun at 0; its answers were read.
    private func begun(
        _ topics: [String], _ change: (inout EventStream.Limits) -> Void = { _ in }
    ) -> EventStream.SourceSession {
        var session = session(topics, change)
        session.opened(.init(position: StreamCursor(epoch: 1, seq: 0), replay: 0, reset: nil), now: 0)
        _ = read(&session)
        _ = session.takeEffects()
        return session
    }

    /// What waits, message by message.
    private func read(_ session: inout EventStream.SourceSession) -> [String] {
        var buffer = ByteBuffer()
        while session.write(into: &buffer) {}
        return String(buffer: buffer).split(separator: "\n\n").map(String.init)
    }

    private func frame(_ message: String) -> ServerFrame? {
        let line = message.split(separator: "\n").first { $0.hasPrefix("data: ") }
        return line.flatMap { ServerFrame(payload: Array($0.utf8.dropFirst(6))) }
    }

    private func id(_ message: String) -> String? {
        message.split(separator: "\n").first { $0.hasPrefix("id: ") }.map { String($0.dropFirst(4)) }
    }

    private func parcels(_ seq: Int64, on names: [EventStream.Name], size: Int = 100) -> [EventStream.Parcel] {
        let event = LoggedEvent(
            seq: seq, id: seq, kind: "test.happened", version: 1,
            places: names.map { .init(topic: $0.topic(of: 1) ?? .reader(2), prev: seq - 1) }, owner: nil,
            subjectKind: nil, subject: nil, at: Timestamp(seconds: 0),
            data: JSON(bytes: Array(#"{"pad":"\#(String(repeating: "x", count: size))"}"#.utf8)))
        var wrapper = EventStream.Wrapper(event, Verdict(), cursor: "c\(seq)")
        return names.compactMap { wrapper.parcel(for: 1, on: $0) }
    }

    @Test func `an event on two topics has its id behind the second, and prev of one's own chain is one's own`() {
        var session = begun(["book:1", "inbox", "book:2"])
        for parcel in parcels(5, on: [.book(1), .inbox, .book(9)]) { session.offer(parcel, now: 0) }
        for parcel in parcels(6, on: [.book(2)]) { session.offer(parcel, now: 0) }
        // The last is not whole before the batch ends.
        #expect(session.queuedEvents == 1)
        session.endBatch(now: 0)
        for parcel in parcels(9, on: [.inbox]) { session.offer(parcel, now: 0) }
        session.endBatch(now: 0)

        let messages = read(&session)
        #expect(messages.map { frame($0)?.topic } == ["book:1", "inbox", "book:2", "inbox"])
        #expect(messages.map { id($0) } == [nil, "c5", "c6", "c9"])
        #expect(messages.map { frame($0)?.prev } == [4, 0, 5, 5])
        #expect((session.queuedBytes, session.queuedEvents) == (0, 0))
    }

    @Test func `the answers of all topics have one id, behind the last, and so has a new beginning`() {
        var session = session(["book:1", "nonsense", "home", "inbox"], scopes: [Accounts.Scope(.read, "boards")])
        #expect(session.takeEffects() == [.open([.book(1), .home], from: .now)])
        session.opened(.init(position: StreamCursor(epoch: 1, seq: 7), replay: 0, reset: .tooFar), now: 0)
        let position = StreamCursor(epoch: 2, seq: 3)
        session.reset(.epoch, to: position)

        let messages = read(&session)
        #expect(messages.first?.hasPrefix("retry: 700\ndata: {\"type\":\"hello\"") == true)
        #expect(
            messages.compactMap { frame($0) }.map { "\($0.type) \($0.topic ?? "") \($0.text("code") ?? "")" } == [
                "hello  ", "error nonsense unknown_topic", "error inbox insufficient_scope", "subscribed book:1 ",
                "reset book:1 ", "subscribed home ", "reset home ", "reset book:1 ", "reset home ",
            ])
        let begun = StreamCursor(epoch: 1, seq: 7).text(signedBy: secret)
        let ids = messages.map { id($0) }
        #expect(ids == [nil, nil, nil, nil, nil, nil, begun, nil, position.text(signedBy: secret)])
        #expect(messages.compactMap { frame($0)?.members["is_recovered"] } == [.boolean(false), .boolean(false)])
    }

    @Test func `a topic that is closed takes with it what waited, and no id of the others`() {
        var session = begun(["conversation:7", "book:1"])
        for parcel in parcels(1, on: [.book(1), .conversation(7)]) { session.offer(parcel, now: 0) }
        for parcel in parcels(2, on: [.conversation(7)]) { session.offer(parcel, now: 0) }
        session.endBatch(now: 0)
        session.closed(.conversation(7))
        session.closed(.conversation(7))
        for parcel in parcels(3, on: [.book(1), .conversation(7)]) { session.offer(parcel, now: 0) }
        session.endBatch(now: 0)

        let messages = read(&session)
        #expect(
            messages.compactMap { frame($0) }.map { "\($0.type) \($0.topic ?? "")" } == [
                "closed conversation:7", "event book:1", "event book:1",
            ])
        // Behind the end, since the first id says that nothing is missing up to there.
        #expect(messages.map { id($0) } == [nil, "c1", "c3"])
        #expect((session.queuedBytes, session.queuedEvents, session.controlBytes) == (0, 0, 0))

        // Before the answer it is as if it had never been.
        var asking = self.session(["conversation:7"])
        asking.closed(.conversation(7))
        #expect(read(&asking).compactMap { frame($0)?.text("code") } == ["unknown_topic"])
        asking.tick(now: 1_000_000, accepted: 0, waiting: 0)
        #expect(!asking.isClosing)
    }

    @Test func `one who takes nothing is bounded and then cut, and one who takes all hears a comment each 15 seconds`()
    {
        var session = begun(["book:1"])
        for seq in 1...600 {
            for parcel in parcels(Int64(seq), on: [.book(1)], size: 1_000) { session.offer(parcel, now: 0) }
        }
        session.endBatch(now: 0)
        #expect(session.queuedBytes > 0 && session.queuedBytes <= session.limits.queueBytes)
        #expect(session.queuedEvents <= session.limits.queueEvents)
        session.tick(now: 1_000, accepted: 5, waiting: 10)
        session.tick(now: 30_000, accepted: 5, waiting: 10)
        #expect(!session.isClosing)
        session.tick(now: 31_000, accepted: 5, waiting: 10)
        #expect(session.isClosing && session.takeEffects() == [.close(.slow)])
        #expect((session.queuedBytes, session.queuedEvents, session.heldBytes) == (0, 0, 0))
        let farewell = read(&session)
        #expect(farewell.count == 1 && frame(farewell[0])?.type == "bye")
        let retry = farewell.first.flatMap { Int($0.dropFirst("retry: ".count).prefix { $0.isNumber }) }
        #expect(retry.map((500...8_000).contains) == true && farewell[0].contains("\"retry_ms\":\(retry ?? 0)"))

        var quiet = begun(["book:1"])
        var comments = 0
        for second in stride(from: Int64(0), through: 60, by: 5) {
            quiet.tick(now: second * 1_000, accepted: 0, waiting: 0)
            comments += read(&quiet).count { $0 == ":" }
        }
        #expect(comments == 4 && !quiet.isClosing)
    }

    @Test func `of a state the latest waits alone, and it has no id`() {
        var session = session(["trending", "book:1"])
        #expect(session.takeEffects() == [.state(.trending), .open([.book(1)], from: .now)])
        let position = StreamCursor(epoch: 1, seq: 7)
        session.opened(
            EventStream.Session.Opening(token: 1, name: .trending, position: position, replay: 0, reset: nil))
        for version: Int64 in [3, 5, 4] {
            session.told(
                WebSocketFrames.text(Array(#"{"type":"state","topic":"trending","version":\#(version)}"#.utf8)),
                of: .trending, version: version)
        }
        let messages = read(&session)
        #expect(messages.compactMap { frame($0) }.map(\.type) == ["hello", "subscribed", "state"])
        #expect(messages.last.flatMap { frame($0)?.number("version") } == 5)
        #expect(messages.allSatisfy { id($0) == nil })
    }
}
