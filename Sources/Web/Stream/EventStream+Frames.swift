import Community
import EventLog
import JSONWriting
import NIOCore
import Postgres

extension EventStream {
    /// What a client says.
    enum ClientFrame: Sendable, Hashable {
        /// 1...100 topics, each once.
        case subscribe(id: Int64?, topics: [String], from: String)
        case unsubscribe(id: Int64?, topic: String)
        case ping(id: Int64?)
        /// Not understood; `code` and `detail` go back in an `error`.
        case faulty(id: Int64?, code: String, detail: String)

        /// How many messages it counts as: each topic is looked up by itself.
        var weight: Int {
            if case .subscribe(_, let topics, _) = self { topics.count } else { 1 }
        }

        /// Fields that nobody knows are passed over.
        init(_ text: ByteBuffer) {
            guard
                case .object(let members)? = try? JSONValue.parse(Array(text.readableBytesView), refusesFaults: true)
                    .value
            else {
                self = .faulty(id: nil, code: "bad_frame", detail: "A frame is one JSON object.")
                return
            }
            self.init(members)
        }

        private init(_ members: [String: JSONValue]) {
            var id: Int64?
            if case .number(let digits) = members["id"] { id = Int64(digits) }
            guard case .string(let type) = members["type"] else {
                self = .faulty(id: id, code: "bad_frame", detail: "`type` must be a string.")
                return
            }
            switch type {
            case "ping":
                self = .ping(id: id)
            case "unsubscribe":
                guard let topic = Self.topic(members["topic"]) else {
                    self = .faulty(id: id, code: "bad_frame", detail: "`topic` must be a string of at most 100 bytes.")
                    return
                }
                self = .unsubscribe(id: id, topic: topic)
            case "subscribe":
                guard let topics = Self.topics(members) else {
                    self = .faulty(
                        id: id, code: "bad_frame",
                        detail: "Either `topic` must be a string of at most 100 bytes, or `topics` 1 to 100 of them.")
                    return
                }
                switch members["from"] {
                case nil, .null: self = .subscribe(id: id, topics: topics, from: "now")
                case .string(let from): self = .subscribe(id: id, topics: topics, from: from)
                default: self = .faulty(id: id, code: "bad_cursor", detail: "`from` is \"now\" or a cursor.")
                }
            default:
                self = .faulty(id: id, code: "unknown_type", detail: "Known types are subscribe, unsubscribe and ping.")
            }
        }

        /// Topics that one frame subscribes to.
        static let mostTopics = 100

        private static func topic(_ value: JSONValue?) -> String? {
            guard case .string(let topic) = value, topic.utf8.count <= 100 else { return nil }
            return topic
        }

        /// One or several, not both.
        private static func topics(_ members: [String: JSONValue]) -> [String]? {
            guard let several = members["topics"], several != .null else { return topic(members["topic"]).map { [$0] } }
            guard case .array(let values) = several, (1...mostTopics).contains(values.count),
                members["topic"] ?? .null == .null
            else { return nil }
            let topics = values.compactMap(topic)
            guard topics.count == values.count else { return nil }
            return topics.reduce(into: []) { once, topic in if !once.contains(topic) { once.append(topic) } }
        }
    }
}

/// Frames from the server, which are never masked and never cut.
enum WebSocketFrames {
    static func text(_ payload: [UInt8]) -> ByteBuffer {
        var frame = header(payload: payload.count, room: payload.count)
        frame.writeBytes(payload)
        return frame
    }

    /// `value` as one text frame of JSON.
    static func json(_ value: some Encodable) -> ByteBuffer {
        // Our own frames hold nothing that JSON lacks; should one ever, the client gets an empty object and not a broken connection.
        text((try? JSONWriter.bytes(value)) ?? Array("{}".utf8))
    }

    static func control(_ opcode: UInt8, _ payload: ByteBuffer) -> ByteBuffer {
        var frame = ByteBuffer()
        frame.writeInteger(0x80 | opcode)
        frame.writeInteger(UInt8(payload.readableBytes & 0x7F))
        frame.writeImmutableBuffer(payload)
        return frame
    }

    static func ping() -> ByteBuffer { control(0x9, ByteBuffer()) }
    static func pong(_ payload: ByteBuffer) -> ByteBuffer { control(0xA, payload) }

    /// `reason` is cut at 123 bytes of ASCII.
    static func close(_ code: UInt16?, _ reason: String = "") -> ByteBuffer {
        var payload = ByteBuffer()
        if let code {
            payload.writeInteger(code)
            payload.writeBytes(reason.utf8.filter { $0 < 0x80 }.prefix(123))
        }
        return control(0x8, payload)
    }

    /// The header of a whole frame, of text where nothing else is said, with `payload` bytes, in a buffer with space for `room` more.
    static func header(_ opcode: UInt8 = 0x1, payload: Int, room: Int = 0) -> ByteBuffer {
        var header = ByteBuffer()
        header.reserveCapacity(room + 10)
        header.writeInteger(0x80 | opcode)
        switch payload {
        case 0...125: header.writeInteger(UInt8(payload))
        case 126...0xFFFF: header.writeMultipleIntegers(UInt8(126), UInt16(payload))
        default: header.writeMultipleIntegers(UInt8(127), UInt64(payload))
        }
        return header
    }
}
