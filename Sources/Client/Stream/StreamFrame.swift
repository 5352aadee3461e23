import FoundationEssentials

/// What the server says on the stream.
enum StreamFrame: Sendable {
    case hello
    case subscribed(topic: String, cursor: String, seq: Int64)
    case event(StreamEvent, prev: Int64)
    /// An event that lies ahead of this reader stood here: the chain goes on.
    case gated(StreamPlaceholder, prev: Int64)
    /// Something that this reader may not see stood here: the chain goes on.
    case skip(topic: String, seq: Int64, prev: Int64, cursor: String)
    /// The topic is this reader's no longer.
    case closed(topic: String)
    case reset(topic: String, why: String, cursor: String, seq: Int64)
    case heartbeat(heads: [String: Int64])
    case bye(why: String, retry: Duration?)
    /// `id` is that of the frame that was refused.
    case error(id: Int?, code: String, detail: String)
    /// A frame of a newer server.
    case unknown

    /// Throws `ClientError.badAnswer`.
    static func read(_ message: [UInt8]) throws -> StreamFrame {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        do {
            return try StreamFrame(decoder.decode(Wire.self, from: Data(message)))
        } catch {
            throw ClientError.badAnswer("the stream sent what is no frame: \(error)")
        }
    }

    private struct Wire: Decodable {
        let type: String
        let topic: String?
        let seq: Int64?
        let prev: Int64?
        let cursor: String?
        let id: JSONValue?
        let kind: String?
        let createdAt: String?
        let data: JSONValue?
        let why: String?
        /// Milliseconds.
        let retryMs: Double?
        let heads: [String: Int64]?
        let code: String?
        let detail: String?
    }

    private init(_ wire: Wire) throws {
        func need<Value>(_ value: Value?) throws -> Value {
            guard let value else { throw ClientError.badAnswer("a frame of type \(wire.type) lacks a member") }
            return value
        }
        switch wire.type {
        case "hello": self = .hello
        case "subscribed":
            self = .subscribed(topic: try need(wire.topic), cursor: try need(wire.cursor), seq: wire.seq ?? 0)
        case "event":
            let event = StreamEvent(
                topic: try need(wire.topic), seq: try need(wire.seq), cursor: try need(wire.cursor),
                id: wire.id?.string,
                kind: try need(wire.kind), createdAt: wire.createdAt ?? "", data: wire.data ?? .null)
            self = .event(event, prev: try need(wire.prev))
        case "gated":
            let placeholder = StreamPlaceholder(
                topic: try need(wire.topic), seq: try need(wire.seq), cursor: try need(wire.cursor),
                data: wire.data ?? .null)
            self = .gated(placeholder, prev: try need(wire.prev))
        case "skip":
            self = .skip(
                topic: try need(wire.topic), seq: try need(wire.seq), prev: try need(wire.prev),
                cursor: try need(wire.cursor))
        case "closed": self = .closed(topic: try need(wire.topic))
        case "reset":
            self = .reset(
                topic: try need(wire.topic), why: wire.why ?? "", cursor: try need(wire.cursor), seq: wire.seq ?? 0)
        case "heartbeat": self = .heartbeat(heads: wire.heads ?? [:])
        case "bye": self = .bye(why: wire.why ?? "", retry: wire.retryMs.map { .milliseconds(max(0, $0)) })
        case "error":
            self = .error(
                id: wire.id?.number.flatMap { Int(exactly: $0) }, code: wire.code ?? "", detail: wire.detail ?? "")
        default: self = .unknown
        }
    }
}
