import Community
import EventLog

// The shapes of all frames: `asyncapi.json` is made from them, and tests hold real frames to them.
extension EventStream {
    /// What a client says, by its `type`.
    static let clientFrames: [Schema] = [
        .object(
            "SubscribeFrame", ["type": .choice(["subscribe"])],
            optional: [
                "topic": .orNull(topic), "topics": .orNull(.array(topic, count: 1...ClientFrame.mostTopics)),
                "id": .orNull(.integer), "from": .orNull(.string),
            ]),
        .object(
            "UnsubscribeFrame", ["type": .choice(["unsubscribe"]), "topic": topic], optional: ["id": .orNull(.integer)]),
        .object("PingFrame", ["type": .choice(["ping"])], optional: ["id": .orNull(.integer)]),
    ]

    /// What the server says, by its `type`.
    static let serverFrames: [Schema] = [
        .object(
            "HelloFrame",
            [
                "type": .choice(["hello"]), "v": .integer, "heartbeat": .integer, "topics": .array(.choice(Name.kinds)),
                "limits": .map(.integer),
            ]),
        .object(
            "SubscribedFrame",
            [
                "type": .choice(["subscribed"]), "id": .orNull(.integer), "topic": topic, "cursor": .string,
                "seq": .integer, "is_recovered": .boolean, "replay_count": .integer,
            ]),
        .object(
            "EventFrame",
            [
                "type": .choice([Form.event.rawValue]), "topic": topic, "seq": .integer, "prev": .integer,
                "cursor": .string, "id": .string, "kind": .choice(toldKinds), "created_at": .time, "data": .map(.any),
            ]),
        .object(
            "GatedFrame",
            [
                "type": .choice([Form.gated.rawValue]), "topic": topic, "seq": .integer, "prev": .integer,
                "cursor": .string, "data": .map(.any),
            ]),
        .object(
            "SkipFrame",
            [
                "type": .choice([Form.skip.rawValue]), "topic": topic, "seq": .integer, "prev": .integer,
                "cursor": .string,
            ]),
        .object(
            "StateFrame", ["type": .choice(["state"]), "topic": topic, "version": .integer, "data": .map(.any)]),
        .object("UnsubscribedFrame", ["type": .choice(["unsubscribed"]), "id": .orNull(.integer), "topic": topic]),
        .object("ClosedFrame", ["type": .choice(["closed"]), "topic": topic]),
        .object(
            "ResetFrame",
            [
                "type": .choice(["reset"]), "topic": topic, "why": .choice(ResetReason.allCases.map(\.rawValue)),
                "cursor": .string, "seq": .integer,
            ]),
        .object("HeartbeatFrame", ["type": .choice(["heartbeat"]), "heads": .map(.integer)]),
        .object(
            "ErrorFrame",
            [
                "type": .choice(["error"]), "id": .orNull(.integer), "topic": .orNull(.string), "code": .string,
                "detail": .string,
            ]),
        .object(
            "ByeFrame",
            ["type": .choice(["bye"]), "why": .choice(CloseReason.allCases.map(\.rawValue)), "retry_ms": .integer]),
    ]

    private static let topic = Schema.string(1...100)

    /// The kinds of events that clients are told: all but those that only servers tell each other.
    static let toldKinds = Set(Community.eventKinds).subtracting(ControlEvent.kinds).sorted()
}
