import Community
import EventLog
import JSONWriting
import Postgres
import TestSupport
import Testing

@testable import Web

/// `asyncapi.json` says of every frame what the server sends.
@Suite struct AsyncAPITests {
    private func check(_ frame: some Encodable, _ name: String) throws {
        let schema = try #require(EventStream.serverFrames.first { $0.componentName == name })
        let value = try JSONValue.parse(try JSONWriter.bytes(frame)).value
        #expect(schema.mismatches(with: value) == [], "\(name)")
    }

    @Test func `the frames of the server have the shapes that it declares`() throws {
        try check(EventStream.Hello(EventStream.Limits()), "HelloFrame")
        try check(
            EventStream.Subscribed(id: nil, topic: "home", cursor: "c", seq: 1, isRecovered: true, replayCount: 0),
            "SubscribedFrame")
        try check(EventStream.Unsubscribed(id: 1, topic: "home"), "UnsubscribedFrame")
        try check(EventStream.Closed(topic: "group:1"), "ClosedFrame")
        try check(EventStream.Reset(topic: "home", why: .tooFar, cursor: "c", seq: 1), "ResetFrame")
        try check(EventStream.Heartbeat(heads: ["home": 1]), "HeartbeatFrame")
        try check(EventStream.Bye(why: EventStream.CloseReason.drain.rawValue, retryMs: 100), "ByeFrame")
        try check(
            EventStream.ErrorFrame(id: nil, topic: nil, code: "bad_frame", detail: "A frame is one JSON object."),
            "ErrorFrame")
    }

    @Test func `an event has in each of its forms the shape that is declared`() throws {
        let event = LoggedEvent(
            seq: 12, id: 99, kind: "post.created", version: 1, places: [.init(topic: .thread(7), prev: 11)], owner: 5,
            subjectKind: "text", subject: 8, at: Timestamp(seconds: 0), data: JSON(bytes: Array("{}".utf8)))
        var wrapper = EventStream.Wrapper(
            event, Verdict(hidden: [3], gated: [2], placeholder: JSON(bytes: Array("{}".utf8))), cursor: "c")
        for (reader, name) in [(1, "EventFrame"), (2, "GatedFrame"), (3, "SkipFrame")] as [(Int64, String)] {
            let schema = try #require(EventStream.serverFrames.first { $0.componentName == name })
            let parcel = wrapper.parcel(for: reader, on: .thread(7))
            let frame = try #require(parcel.flatMap { ServerFrame(wire: $0.buffer) })
            #expect(schema.mismatches(with: .object(frame.members)) == [], "\(name)")
        }
    }

    @Test func `its kinds are those of the stream's README that reach clients`() throws {
        let table = try EventTable()
        let told = table.kinds.filter { table.rows[$0]?.topics != ["control"] }
        #expect(Set(EventStream.toldKinds) == Set(told))
    }

    @Test func `the document names each frame, and every reference leads somewhere`() throws {
        let document = try JSONValue.parse(try AsyncAPI.document(site: SiteSettings())).value
        #expect(document["asyncapi"] == "3.0.0")
        let frames = (EventStream.clientFrames + EventStream.serverFrames).compactMap(\.componentName)
        #expect(Set(frames).count == frames.count)
        for name in frames { #expect(document["components"]?["messages"]?[name]?["payload"] != nil, "\(name)") }
        for reference in document.references {
            let parts = reference.dropFirst(2).split(separator: "/")
            #expect(parts.reduce(Optional(document)) { $0?[String($1)] } != nil, "\(reference) leads nowhere")
        }
    }
}
