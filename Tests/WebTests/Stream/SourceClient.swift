import Foundation
import TestSupport
import Testing

@testable import Web

/// One message of an event stream.
struct SourceEvent {
    let frame: ServerFrame
    /// What it says, as it came.
    let data: String
    let id: String?
    let retry: Int?
}

/// An event stream as a client has it: real TCP, and what came taken apart by the rules of `text/event-stream`.
final class SourceClient: Sendable {
    private let connection: RawConnection

    private init(_ connection: RawConnection) { self.connection = connection }

    /// Connects and asks; each of `query` is a parameter. With `reads` false nothing is taken before `sip` or
    /// `resume`.
    static func open(
        port: Int, token: String?, topics: [String], cursor: String? = nil, last: String? = nil,
        query: [String] = [], headers: [String] = [], method: String = "GET", accept: String = "text/event-stream",
        reads: Bool = true
    ) async throws -> SourceClient {
        ServerCalls.note()
        var query = query
        if !topics.isEmpty { query.append("topics=" + topics.joined(separator: ",")) }
        if let cursor { query.append("cursor=" + cursor) }
        var lines = [
            "\(method) /api/v1/stream\(query.isEmpty ? "" : "?")\(query.joined(separator: "&")) HTTP/1.1",
            "Host: 127.0.0.1:\(port)", "Accept: \(accept)",
        ]
        if let token { lines.append("Authorization: Bearer \(token)") }
        if let last { lines.append("Last-Event-ID: \(last)") }
        let connection = try await RawConnection.open(port: port, reads: reads, room: reads ? nil : 16 * 1024)
        await connection.send((lines + headers).joined(separator: "\r\n") + "\r\n\r\n")
        return SourceClient(connection)
    }

    func cut() async { await connection.close() }
    func sip() { connection.sip() }
    func resume() async throws { try await connection.resume() }

    // MARK: What came

    var text: String { connection.text }
    /// Of what came last, so many bytes.
    func tail(_ count: Int) -> String { String(decoding: connection.received.suffix(count), as: UTF8.self) }
    var isClosed: Bool { connection.isClosed }
    var status: Int? { connection.statuses.first }

    /// The headers of the answer, names in lower case; `nil` until the head is whole.
    var head: [String: String]? {
        let text = connection.text
        guard let end = text.firstRange(of: "\r\n\r\n") else { return nil }
        return text[..<end.lowerBound].split(separator: "\r\n").dropFirst().reduce(into: [:]) { head, line in
            let parts = line.split(separator: ":", maxSplits: 1)
            head[parts[0].lowercased()] = parts.last.map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    /// The parts of the body that have come whole, and whether the last was the end.
    private var body: (text: String, hasEnded: Bool) {
        let bytes = connection.received
        guard let head = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return ("", false) }
        var (rest, body) = (bytes[head.upperBound...], [UInt8]())
        while let line = rest.firstRange(of: Array("\r\n".utf8)) {
            let size = Int(String(decoding: rest[..<line.lowerBound], as: UTF8.self), radix: 16) ?? 0
            if size == 0 { return (String(decoding: body, as: UTF8.self), true) }
            let start = line.upperBound
            guard rest.endIndex >= start + size + 2 else { break }
            body += rest[start..<start + size]
            rest = rest[(start + size + 2)...]
        }
        return (String(decoding: body, as: UTF8.self), false)
    }

    /// The server has ended its answer.
    var hasEnded: Bool { body.hasEnded }

    /// Blocks that have come whole.
    private var blocks: [[Substring]] {
        let text = body.text
        return text.split(separator: "\n\n", omittingEmptySubsequences: false).dropLast().map {
            $0.split(separator: "\n")
        }
    }

    var comments: Int { blocks.count { $0.allSatisfy { $0.hasPrefix(":") } } }

    var events: [SourceEvent] { events(after: 0).events }

    /// Those in all but the first `count` blocks, and how many blocks there are.
    func events(after count: Int) -> (events: [SourceEvent], blocks: Int) {
        let blocks = blocks
        let events: [SourceEvent] = blocks.dropFirst(count).compactMap { lines in
            func value(_ field: String) -> String? {
                lines.first { $0.hasPrefix(field + ": ") }.map { String($0.dropFirst(field.utf8.count + 2)) }
            }
            guard let data = value("data"), let frame = ServerFrame(payload: Array(data.utf8)) else { return nil }
            return SourceEvent(frame: frame, data: data, id: value("id"), retry: value("retry").flatMap { Int($0) })
        }
        return (events, blocks.count)
    }

    func frames(_ type: String, on topic: String? = nil) -> [ServerFrame] {
        events.map(\.frame).filter { $0.type == type && (topic == nil || $0.topic == topic) }
    }

    /// Waits for the first of this type.
    @discardableResult
    func hear(_ type: String, on topic: String? = nil, sourceLocation: SourceLocation = #_sourceLocation) async throws
        -> ServerFrame
    {
        try await eventually("no \(type); heard: \(self.text.suffix(400))", sourceLocation: sourceLocation) {
            !self.frames(type, on: topic).isEmpty
        }
        return try #require(frames(type, on: topic).first)
    }
}

/// What a careful client keeps of an event stream: one `id`, and of each topic what the rule for gaps lets through.
struct SourceReader {
    struct Chain {
        /// Where the present run began.
        var start: Int64
        var last: Int64
        var seqs: [Int64] = []
    }

    private(set) var chains: [String: Chain] = [:]
    /// From where to come back.
    private(set) var id: String?
    private(set) var wrongs: [String] = []
    /// Frames that came again.
    private(set) var repeats = 0
    /// The last on each topic of this connection, on which nothing comes again.
    private var heard: [String: Int64] = [:]

    mutating func receive(_ frame: ServerFrame, id: String?) {
        if let topic = frame.topic, topic != "trending" { receive(frame, on: topic) }
        if let id { self.id = id }
    }

    private mutating func receive(_ frame: ServerFrame, on topic: String) {
        let seq = frame.seq ?? -1
        switch frame.type {
        case "subscribed":
            guard let chain = chains[topic] else {
                chains[topic] = Chain(start: seq, last: seq)
                return
            }
            // Of a stream that goes on it says that all up to there has come. One that begins anew is told so.
            if frame.members["is_recovered"] == .boolean(true) { chains[topic]?.last = max(chain.last, seq) }
        case "reset":
            chains[topic] = Chain(start: seq, last: seq)
            heard[topic] = nil
        case "event", "gated", "skip":
            guard let chain = chains[topic] else { return wrongs.append("\(frame.type) before subscribed on \(topic)") }
            if seq <= heard[topic, default: 0] { wrongs.append("again on \(topic): \(seq)") }
            heard[topic] = max(heard[topic, default: 0], seq)
            guard seq > chain.last else {
                repeats += 1
                return
            }
            if (frame.prev ?? .max) > chain.last {
                wrongs.append("gap on \(topic): \(seq) after \(chain.last), prev \(frame.prev ?? -1)")
            }
            chains[topic]?.last = seq
            chains[topic]?.seqs.append(seq)
        case "closed", "error": chains[topic] = nil
        default: break
        }
    }

    /// The connection broke: one that has no `id` yet knows of no place to come back to.
    mutating func cut() {
        heard = [:]
        if id == nil { chains = [:] }
    }
}
