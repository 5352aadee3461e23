import EventLog
import NIOCore
import Postgres
import TestSupport
import Testing

@testable import Web

/// One event in its three forms.
@Suite
struct WrapperTests {
    private let event = LoggedEvent(
        seq: 12, id: 99, kind: "post.created", version: 1,
        places: [
            .init(topic: .book(4), prev: 10), .init(topic: .thread(7), prev: 11), .init(topic: .reader(5), prev: 3),
        ],
        owner: 5, subjectKind: "text", subject: 8, at: Timestamp(seconds: 0),
        data: JSON(bytes: Array(#"{"post": {"id": "6", "body": "The butler did it."}}"#.utf8)))
    private let placeholder = JSON(
        bytes: Array(#"{"post":{"id":"6","state":"gated","kind":"reply","position":5000}}"#.utf8))

    /// 3 and 4 get the placeholder, 8 to 10 are passed over, everybody else gets it whole.
    private var verdict: Verdict { Verdict(hidden: [8, 9, 10], gated: [3, 4], placeholder: placeholder) }

    private func payload(_ buffer: ByteBuffer) -> String {
        let bytes = Array(buffer.readableBytesView)
        return String(decoding: bytes.dropFirst(bytes[1] == 126 ? 4 : 2), as: UTF8.self)
    }

    private func buffer(
        _ wrapper: inout EventStream.Wrapper, for reader: Int64, on name: EventStream.Name
    ) throws -> ByteBuffer {
        let parcel = wrapper.parcel(for: reader, on: name)
        return try #require(parcel).buffer
    }

    /// Where a buffer's bytes lie: buffers that share them were written once.
    private func place(_ buffer: ByteBuffer) -> UInt {
        buffer.withUnsafeReadableBytes { UInt(bitPattern: $0.baseAddress) }
    }

    @Test func `each form says what it may and no more`() throws {
        var wrapper = EventStream.Wrapper(event, verdict, cursor: "c")
        let forms = try [1, 3, 9].map { payload(try buffer(&wrapper, for: $0, on: .thread(7))) }
        #expect(
            forms == [
                #"{"type":"event","topic":"thread:7","seq":12,"prev":11,"cursor":"c","id":"99","kind":"post.created","#
                    + #""created_at":"\#(event.at.text)","data":{"post": {"id": "6", "body": "The butler did it."}}}"#,
                #"{"type":"gated","topic":"thread:7","seq":12,"prev":11,"cursor":"c","#
                    + #""data":{"post":{"id":"6","state":"gated","kind":"reply","position":5000}}}"#,
                #"{"type":"skip","topic":"thread:7","seq":12,"prev":11,"cursor":"c"}"#,
            ])
        // Another topic has its own chain.
        let other = payload(try buffer(&wrapper, for: 9, on: .book(4)))
        #expect(other == #"{"type":"skip","topic":"book:4","seq":12,"prev":10,"cursor":"c"}"#)
    }

    @Test func `a form is encoded once for each topic, however many get it`() throws {
        var wrapper = EventStream.Wrapper(event, verdict, cursor: "c")
        var places: Set<UInt> = []
        var buffers: [ByteBuffer] = []
        for name in [EventStream.Name.book(4), .thread(7)] {
            for readers in [[1, 2, 1], [3, 4, 3], [8, 9, 10]] as [[Int64]] {
                let shared = try readers.map { try buffer(&wrapper, for: $0, on: name) }
                #expect(Set(shared.map(place)).count == 1)
                places.formUnion(shared.map(place))
                // Kept, so that no two lie in the same place one after the other.
                buffers += shared
            }
        }
        #expect(places.count == 6 && buffers.count == 18)
    }

    @Test func `a chain of one's own has what its reader sees whole, and nothing else`() throws {
        var wrapper = EventStream.Wrapper(event, verdict, cursor: "c")
        for name in [EventStream.Name.home, .inbox] {
            let others = [3, 9].map { wrapper.parcel(for: $0, on: name) == nil }
            #expect(others == [true, true])
            let buffers = try [1, 2].map { try buffer(&wrapper, for: $0, on: name) }
            #expect(place(buffers[0]) == place(buffers[1]))
            // What follows `prev` is the same as on any other chain.
            let (rest, whole) = (String(buffer: buffers[0]), payload(try buffer(&wrapper, for: 1, on: .thread(7))))
            #expect(rest.hasPrefix(#""cursor":"c","id":"99""#) && whole.hasSuffix(rest))
        }
    }

    @Test func `live and from the log a form is the same frame, no matter who else gets which`() throws {
        var live = EventStream.Wrapper(event, verdict, cursor: "c")
        // A replay asks for one reader: each of them stood elsewhere in the verdict before.
        let whole = Verdict(hidden: [1])
        let gated = Verdict(hidden: [2], gated: [1], placeholder: placeholder)
        for (verdict, reader, before) in [(whole, 9, 1), (gated, 1, 4), (gated, 2, 9)] as [(Verdict, Int64, Int64)] {
            var replay = EventStream.Wrapper(event, verdict, cursor: "c")
            let frames = (
                try buffer(&replay, for: reader, on: .book(4)), try buffer(&live, for: before, on: .book(4))
            )
            #expect(frames.0 == frames.1)
        }
    }

    @Test func `a reader from whom it is hidden is not gated, and without a placeholder it is hidden from the gated`() {
        #expect(Verdict(hidden: [1], gated: [1, 2], placeholder: placeholder).gated == [2])
        #expect(Verdict(hidden: [1], gated: [1], placeholder: placeholder).placeholder == nil)
        #expect(Verdict(gated: [2]) == Verdict(hidden: [2]))
    }
}

/// What may be followed, and what is told between servers of it.
struct StreamNameTests {
    @Test(arguments: ["home", "inbox", "book:42", "thread:1", "conversation:9223372036854775807", "group:7"])
    func `a name reads back as it was written, and stands on the topic of that name`(text: String) throws {
        let name = try #require(EventStream.Name(text: text))
        #expect(name.text == text)
        #expect(EventStream.Name.kinds.contains(String(text.prefix { $0 != ":" })))
        guard !name.isOwnChain else { return }
        #expect(name.topic(of: 3)?.name == text)
    }

    @Test(arguments: [
        "", "Home", "home:1", "book", "book:", "book:0", "book:01", "book:-1", "book:x", "book:9223372036854775808",
        "book:1:2", "thread", "threads:1", "reader:1", "inbox:1", "control", "conversation: 1", "group:1 ", ":1",
    ])
    func `anything else is no name`(text: String) {
        #expect(EventStream.Name(text: text) == nil)
    }

    private func closing(_ data: String) -> EventStream.ControlEvent? {
        EventStream.ControlEvent(
            LoggedEvent(
                seq: 1, id: 1, kind: "topic.closed", version: 1, places: [.init(topic: .control, prev: 0)], owner: nil,
                subjectKind: nil, subject: nil, at: Timestamp(seconds: 0), data: JSON(bytes: Array(data.utf8))))
    }

    @Test func `a topic is closed to some or to all`() {
        #expect(
            closing(#"{"topic": "conversation:7", "readers": ["1", "2"]}"#)
                == .topicClosed(.conversation(7), readers: [1, 2]))
        #expect(closing(#"{"topic": "thread:7"}"#) == .topicClosed(.thread(7), readers: nil))
        for data in [#"{"topic": "home"}"#, #"{"topic": 7}"#, #"{"topic": "thread:7", "readers": "1"}"#] {
            #expect(closing(data) == .unreadable(kind: "topic.closed"), "\(data)")
        }
    }
}
