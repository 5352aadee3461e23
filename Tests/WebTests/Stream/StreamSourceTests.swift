import Community
import EventLog
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import Web

/// The stream as `text/event-stream`, over real connections.
@Suite(.database, .requirement("TRE-6"))
struct StreamSourceTests {
    @Test func `an event stream says what a WebSocket says, and after it from where it may be resumed`() async throws {
        try await withStream { stream in
            let (ann, bob) = (try await stream.world.given.account(), try await stream.world.given.account())
            let (book, other) = (try await stream.book(), try await stream.book())
            let topics = ["inbox", "book:\(book)", "book:\(other)", "thread:404", "nonsense"]
            let source = try await stream.source(ann, topics)
            let socket = try await stream.open(ann)
            for topic in topics { socket.subscribe(topic) }
            for client in topics.prefix(3) {
                try await source.hear("subscribed", on: client)
                try await socket.hear("subscribed", on: client)
            }
            let head = try #require(source.head)
            #expect(source.status == 200 && head["content-type"] == "text/event-stream")
            #expect(head["cache-control"] == "no-store" && head["x-accel-buffering"] == "no")
            #expect(head["connection"] == "close" && head["transfer-encoding"] == "chunked")
            let hello = try #require(source.events.first)
            #expect(hello.frame.type == "hello" && (500...8_000).contains(hello.retry ?? 0))
            for topic in topics.suffix(2) {
                #expect(try await source.hear("error", on: topic).text("code") == "unknown_topic")
            }

            // On both books and in the inbox; one that may not be seen; one on the second book alone.
            try await stream.publish(1, on: [.book(book), .book(other), .inbox(ann.id.rawValue)])
            try await stream.publish(2, on: [.book(book)], owner: bob, level: .private)
            try await stream.publish(3, on: [.book(other)])
            try await eventually { source.events.filter { $0.frame.prev != nil }.count == 5 }
            try await eventually { socket.frames.filter { $0.prev != nil }.count == 5 }
            let events = source.events.filter { $0.frame.prev != nil }
            #expect(events.map(\.frame.type) == ["event", "event", "event", "skip", "event"])
            #expect(events.map { $0.id == nil } == [true, true, false, false, false])
            for event in events.suffix(3) { #expect(event.id == event.frame.cursor) }
            // Word for word, but for the place from which one's own chain began.
            let told = socket.rawFrames.filter { ServerFrame(payload: $0.payload)?.prev != nil }
                .map { String(decoding: $0.payload, as: UTF8.self) }.filter { !$0.contains("\"inbox\"") }
            #expect(events.map(\.data).filter { !$0.contains("\"inbox\"") }.sorted() == told.sorted())
            await source.cut()
            await socket.cut(isAbrupt: false)
            try await eventually { await stream.hub.isEmpty }
        }
    }

    @Test func `cut after any frame, a client comes back with its id and has the log of every topic`() async throws {
        try await withStream { stream in
            let ann = try await stream.world.given.account()
            let (busy, quiet) = (try await stream.book(), try await stream.book())
            let topics = ["book:\(busy)", "book:\(quiet)", "inbox"]
            let first = try await stream.source(ann, topics)
            try await first.hear("subscribed", on: "inbox")
            let cursor = try #require(first.events.last { $0.id != nil }?.id)
            await first.cut()
            // Many on the one, then few on the other, which a replay of topic after topic would give too early or too late.
            for number in 0..<230 { try await stream.publish(number, on: [.book(busy)], padding: 200) }
            for number in 0..<12 {
                try await stream.publish(number, on: number % 3 == 0 ? [.book(busy), .book(quiet)] : [.book(quiet)])
                try await stream.publish(number, on: [.inbox(ann.id.rawValue), .book(busy)])
            }
            let log = try await stream.log(until: 254)
            let whole = try await stream.source(ann, topics, cursor: cursor)
            try await eventually { Self.read(whole.events).hasReached(log, of: ann) }

            let events = whole.events
            let secret = stream.world.services.settings.secret
            for count in 1...events.count {
                var reader = Self.read(events.prefix(count))
                if let id = events[count - 1].id {
                    let place = try StreamCursor(text: id, signedBy: secret).seq
                    #expect(reader.missing(log, of: ann, through: place) == [], "\(id) is ahead, after \(count) frames")
                }
                // Every one of the last, and of the many some.
                guard count > events.count - 40 || count % 50 == 0 else { continue }
                reader.cut()
                let again = try await stream.source(ann, topics, cursor: cursor, last: reader.id)
                try await eventually {
                    var resumed = reader
                    for event in again.events { resumed.receive(event.frame, id: event.id) }
                    return resumed.hasReached(log, of: ann)
                }
                for event in again.events { reader.receive(event.frame, id: event.id) }
                #expect(reader.wrongs == [] && reader.missing(log, of: ann, through: .max) == [])
                #expect(again.frames("reset").isEmpty)
                await again.cut()
            }
            await whole.cut()
        }
    }

    private static func read(_ events: some Sequence<SourceEvent>) -> SourceReader {
        var reader = SourceReader()
        for event in events { reader.receive(event.frame, id: event.id) }
        return reader
    }

    @Test func `what lies ahead comes gated, and home says nothing of what may not be seen, live and in a replay`()
        async throws
    {
        try await withStream { stream in
            let given = stream.world.given
            let (ann, bob, book) = (try await given.account(), try await given.account(), try await given.book())
            try await given.friendship(ann, bob)
            let thread = try await given.threadRow(by: bob.id, on: book).thread
            let topics = ["home", "thread:\(thread)"]
            let live = try await stream.source(ann, topics)
            try await live.hear("subscribed", on: "home")
            let start = try #require(live.events.last { $0.id != nil }?.id)
            let post = try await given.postRow(by: bob.id, in: thread, scope: 5_000)
            try await stream.tell(post, "The butler did it.", on: [.thread(thread)])
            for (number, level) in [Visibility.private, .friends, .private, .public].enumerated() {
                try await stream.publish(number, on: [.reader(bob.id.rawValue)], owner: bob, level: level)
            }
            try await eventually { live.events.filter { $0.frame.prev != nil }.count == 3 }

            let back = try await stream.source(ann, topics, last: start)
            try await eventually { back.events.filter { $0.frame.prev != nil }.count == 3 }
            for client in [live, back] {
                let events = client.events.filter { $0.frame.prev != nil }
                #expect(events.map(\.frame.type) == ["gated", "event", "event"])
                #expect(events[2].frame.prev == events[1].frame.seq && !client.text.contains("butler"))
            }
            #expect(back.frames("subscribed").map { $0.number("replay_count") } == [3, 3])
            // What it does not say is not in the number either, nor in where it begins.
            try await stream.publish(9, on: [.reader(bob.id.rawValue)], owner: bob, level: .private)
            try await stream.publish(10, on: [.thread(thread)])
            try await eventually { live.events.last?.frame.topic == topics[1] }
            let last = try #require(live.events.dropLast().last { $0.id != nil }?.id)
            let quiet = try await stream.source(ann, ["home"], last: last)
            #expect(try await quiet.hear("subscribed").number("replay_count") == 0)
            for client in [live, back, quiet] { await client.cut() }
        }
    }

    @Test func `a topic that is closed ends, the others go on, and a state has no id`() async throws {
        try await withStream { stream in
            let given = stream.world.given
            let (ann, book) = (try await given.account(), try await given.book())
            let thread = try await given.threadRow(by: ann.id, on: book).thread
            try await stream.world.community.ranking.make(.week, at: stream.world.clock.now())
            let client = try await stream.source(ann, ["thread:\(thread)", "trending", "inbox"])
            for topic in ["thread:\(thread)", "inbox"] { try await client.hear("subscribed", on: topic) }
            #expect(try await client.hear("state", on: "trending").number("version") == 1)
            try await stream.close(.thread(thread), to: nil)
            try await client.hear("closed", on: "thread:\(thread)")
            try await stream.publish(1, on: [.thread(thread), .inbox(ann.id.rawValue)])
            try await client.hear("event", on: "inbox")
            #expect(client.frames("event", on: "thread:\(thread)").isEmpty)
            #expect(
                client.events.filter { $0.frame.topic == "trending" || $0.frame.type == "closed" }.allSatisfy {
                    $0.id == nil
                })
            await client.cut()
        }
    }

    @Test func `when the log begins anew all topics do, and the id comes behind the last`() async throws {
        try await withStream(followsLog: false) { stream in
            let ann = try await stream.world.given.account()
            let client = try await stream.source(ann, ["inbox", "home"])
            try await eventually { client.frames("hello").count == 1 }
            #expect(client.frames("subscribed").isEmpty)
            let head = try await EventLog.Reader(stream.world.database).head()
            await stream.hub.begin(at: head)
            try await client.hear("subscribed", on: "home")
            await stream.hub.begin(at: EventLog.Head(epoch: head.epoch + 1, seq: head.seq, oldest: head.oldest))
            try await client.hear("reset", on: "home")
            let resets = client.events.filter { $0.frame.type == "reset" }
            #expect(resets.map(\.frame.topic) == ["inbox", "home"] && resets.map { $0.id != nil } == [false, true])
            #expect(resets.last?.id == resets.last?.frame.cursor)
            await client.cut()
        }
    }

    @Test func `an ended session ends its event streams`() async throws {
        try await withStream { stream in
            let ann = try await stream.world.given.account()
            let client = try await stream.source(ann, ["inbox"])
            try await client.hear("subscribed")
            try await stream.world.community.accounts.end(ann.identity.session, of: ann.id)
            #expect(try await client.hear("bye").text("why") == "auth")
            try await eventually { client.hasEnded && client.isClosed }
            let again = try await stream.source(ann, ["inbox"])
            try await eventually { again.status == 401 }
            for client in [client, again] { await client.cut() }
            try await eventually { await stream.hub.isEmpty }
        }
    }

    @Test func `a server that stops says farewell to event streams, and when to come back`() async throws {
        try await withStream { stream in
            let client = try await stream.source(try await stream.world.given.account(), ["inbox"])
            try await client.hear("subscribed")
            await stream.stop()
            try await client.hear("bye")
            let bye = try #require(client.events.last)
            #expect(bye.frame.text("why") == "drain" && (500...8_000).contains(bye.retry ?? 0))
            #expect(bye.frame.number("retry_ms").map(Int.init) == bye.retry)
            try await eventually { client.hasEnded && client.isClosed }
            await client.cut()
        }
    }

    @Test func `event streams and sockets are counted together, and the eleventh of a reader is refused`() async throws
    {
        try await withStream { stream in
            let ann = try await stream.world.given.account()
            let socket = try await stream.open(ann)
            var clients: [SourceClient] = []
            for _ in 0..<9 {
                clients.append(try await stream.source(ann, ["inbox"]))
                try await clients.last?.hear("subscribed")
            }
            let eleventh = try await stream.source(ann, ["inbox"])
            #expect(try await eleventh.hear("bye").text("why") == "limit")
            try await eventually { eleventh.hasEnded }
            let other = try await stream.source(try await stream.world.given.account(), ["inbox"])
            try await other.hear("subscribed")
            for client in clients + [eleventh, other] { await client.cut() }
            await socket.cut(isAbrupt: false)
            try await eventually { await stream.hub.isEmpty }
        }
    }

    @Test func `an event stream takes a seat, holds no turn of a call, and ends at no deadline`() async throws {
        try await withStream(
            limits: { ($0.commentSeconds, $0.tickSeconds) = (1, 1) },
            http: {
                ($0.streams, $0.inFlight, $0.backlog) = (1, 1, 0)
                $0.requestTime = .seconds(2)
            }
        ) { stream in
            let ann = try await stream.world.given.account()
            let client = try await stream.source(ann, ["inbox"])
            try await client.hear("subscribed")
            #expect(stream.app.site.connections.streamCount == 1)
            let refused = try await stream.source(ann, ["inbox"])
            try await eventually { refused.status == 503 && refused.text.contains("\"busy\"") }
            #expect(try await stream.app.as(ann).get("/api/v1/me").status == .ok)
            try await eventually { client.comments >= 4 }
            try await stream.publish(1, on: [.inbox(ann.id.rawValue)])
            try await client.hear("event")
            for client in [client, refused] { await client.cut() }
            try await eventually { stream.app.site.connections.streamCount == 0 }
            try await eventually { await stream.hub.isEmpty }
        }
    }

    @Test func `one who never reads is ended, and costs the others nothing`() async throws {
        try await withStream(limits: { ($0.stallSeconds, $0.tickSeconds) = (2, 1) }) { stream in
            let given = stream.world.given
            let (ann, topics) = (try await given.account(), ["book:\(try await stream.book())"])
            let quick = try await stream.source(ann, topics)
            try await quick.hear("subscribed")
            let slow = try await stream.source(try await given.account(), topics, reads: false)
            try await eventually { await stream.hub.socketCount == 2 }
            let book = Topic(topics[0])
            for number in 0..<150 { try await stream.publish(number, on: [book], padding: 8_000) }
            try await eventually { quick.tail(10_000).contains("\"n\": 149,") }
            #expect(quick.frames("event").count == 150)
            try await eventually { await stream.hub.socketCount == 1 }
            // The connection too, though what was written never left.
            try await eventually { stream.app.site.connections.streamCount == 1 }
            for client in [quick, slow] { await client.cut() }
        }
    }
}

extension StreamServer {
    func source(
        _ reader: Signed, _ topics: [String], cursor: String? = nil, last: String? = nil, reads: Bool = true
    ) async throws -> SourceClient {
        try await SourceClient.open(
            port: port, token: reader.token, topics: topics, cursor: cursor, last: last, reads: reads)
    }

    /// The log, once so many events were published.
    fileprivate func log(until count: Int) async throws -> [LoggedEvent] {
        let reader = EventLog.Reader(world.database)
        var log: [LoggedEvent] = []
        try await eventually {
            log += try await reader.events(after: log.last?.seq ?? 0, limit: 500)
            return log.count { $0.kind == "test.happened" } >= count
        }
        return log
    }
}

extension SourceReader {
    /// Of each topic what the log has after its beginning, up to there, and the reader has not, or has and the log has not.
    fileprivate func missing(_ log: [LoggedEvent], of reader: Signed, through seq: Int64) -> [String] {
        chains.flatMap { topic, chain in
            let wanted = topic == "inbox" ? Topic.inbox(reader.id.rawValue) : Topic(topic)
            let owed = log.filter { event in
                event.seq > chain.start && event.seq <= seq && event.places.contains { $0.topic == wanted }
            }.map(\.seq)
            let had = chain.seqs.filter { $0 <= seq }
            return had == owed ? [] : ["\(topic): \(had) is not \(owed)"]
        }
    }

    fileprivate func hasReached(_ log: [LoggedEvent], of reader: Signed) -> Bool {
        !chains.isEmpty && missing(log, of: reader, through: .max).isEmpty
    }
}
