import Foundation
import NIOCore
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import Client

/// A reader's ear on the live stream: a socket of its own, of which every frame is shown, as its bytes came, to a watcher that
/// searches.
///
/// It keeps the chain of each topic by the gap rule, comes back from its cursors where the connection ends, and says at
/// the end whether anything was left out. A `reset` is noted: what was passed over by it was searched by nobody.
final class Ear: Sendable {
    /// Of the 100 that a socket may follow, and of the 120 frames that it may send at once.
    static let mostTopics = 90

    private struct Followed {
        var chain: TopicChain
        /// No answer has come to the last `subscribe`.
        var isAsked = false
        /// Events that the answer promised and that have not come.
        var owed = 0
        /// The last answer said that nothing was missing.
        var isWhole = false
    }

    private struct State {
        var topics: [String: Followed] = [:]
        var channel: (any Channel)?
        var isAway = false
        var returns = 0
        var refusals = 0
        var numbers = 0
        var frames: [String: Int] = [:]
        var resets: [String] = []
        var closed: [String] = []
        var placeholders: Set<String> = []
    }

    private let server: ServerAddress
    private let token: String?
    private let search: @Sendable (_ bytes: [UInt8], _ place: String) -> Void
    private let state = Mutex(State())

    init(
        _ server: ServerAddress, token: String?,
        search: @escaping @Sendable (_ bytes: [UInt8], _ place: String) -> Void
    ) {
        self.server = server
        self.token = token
        self.search = search
    }

    /// Events in any of their three forms, by the kind of their topic (`book`, `group`, …).
    var frames: [String: Int] { state.withLock { $0.frames } }
    /// Ids of the posts, reviews and replies of which only the place was told.
    var placeholders: Set<String> { state.withLock { $0.placeholders } }
    /// Topics that began anew, and why.
    var resets: [String] { state.withLock { $0.resets } }
    /// Topics that ended, or that there were none of.
    var closed: [String] { state.withLock { $0.closed } }
    /// How often it came back to a topic from a cursor.
    var returns: Int { state.withLock { $0.returns } }

    // MARK: What it follows

    /// Follows a topic from now on, unless it does or has no room left.
    func follow(_ topic: String) {
        let isNew = state.withLock { state in
            guard state.topics[topic] == nil, state.topics.count < Self.mostTopics else { return false }
            state.numbers += 1
            state.topics[topic] = Followed(chain: TopicChain(.now, number: state.numbers))
            return true
        }
        if isNew { ask(for: topic) }
    }

    func isFollowing(_ topic: String) -> Bool { state.withLock { $0.topics[topic] != nil } }

    /// Whether each topic was answered: what happens from then on comes.
    var isReady: Bool {
        state.withLock { state in !state.topics.isEmpty && state.topics.values.allSatisfy { $0.chain.last != nil } }
    }

    private func ask(for topic: String) {
        let asked = state.withLock { state -> (any Channel, String)? in
            guard let channel = state.channel, let followed = state.topics[topic], !followed.isAsked else { return nil }
            state.topics[topic]?.isAsked = true
            let frame = """
                {"type":"subscribe","id":\(followed.chain.number),"topic":"\(topic)","from":"\(followed.chain.from)"}
                """
            return (channel, frame)
        }
        guard let (channel, frame) = asked else { return }
        channel.writeAndFlush(ByteBuffer(bytes: EarWire.frame(0x1, Array(frame.utf8))), promise: nil)
    }

    // MARK: Away and back

    /// Ends the connection, and stays away until `comeBack`.
    func hangUp() async throws {
        let channel = state.withLock { state in
            state.isAway = true
            for topic in state.topics.keys { state.topics[topic]?.isWhole = false }
            return state.channel
        }
        channel?.close(promise: nil)
        try await eventually { state.withLock { $0.channel == nil } }
    }

    /// Goes on from the cursors: what was said meanwhile is replayed.
    func comeBack() { state.withLock { $0.isAway = false } }

    /// Asks for every topic again from where it was until the server says of each that nothing is missing.
    func settle() async throws {
        try await eventually(within: .seconds(120), "not all that was pushed came: \(self.unsettled)") {
            let (waiting, open) = state.withLock { state in
                let open = state.topics.filter { !$0.value.isWhole }
                return (open.filter { !$0.value.isAsked && $0.value.owed <= 0 }.map(\.key), open.count)
            }
            for topic in waiting { ask(for: topic) }
            return open == 0
        }
    }

    private var unsettled: [String] { state.withLock { $0.topics.filter { !$0.value.isWhole }.map(\.key).sorted() } }

    // MARK: The connection

    /// Listens until the task is cancelled. Throws where the server wants this reader no more.
    func listen() async throws {
        do {
            while !Task.isCancelled {
                try await eventually(within: .seconds(900)) { !state.withLock { $0.isAway } }
                try await hear(try await connection())
            }
        } catch is CancellationError {
            // The run is over.
        }
    }

    private func connection() async throws -> EarWire.Connection {
        var open: EarWire.Connection?
        try await eventually(within: .seconds(60), "the stream cannot be reached") {
            open = try? await EarWire.connect(to: server)
            return open != nil
        }
        return try #require(open)
    }

    /// Hears one connection to its end.
    private func hear(_ connection: EarWire.Connection) async throws {
        let channel = connection.channel
        defer {
            state.withLock { $0.channel = nil }
            channel.close(promise: nil)
        }
        channel.writeAndFlush(ByteBuffer(string: EarWire.handshake(server, token)), promise: nil)
        var wire = EarWire()
        for await chunk in connection.chunks {
            for said in try wire.take(chunk) { try hear(said, on: channel) }
        }
    }

    private func hear(_ said: EarWire.Said, on channel: any Channel) throws {
        switch said {
        case .head(let bytes, let status):
            search(bytes, "the head of the stream")
            try begin(status, on: channel)
        case .ping(let bytes):
            search(bytes, "a ping")
            channel.writeAndFlush(ByteBuffer(bytes: EarWire.frame(0xA, bytes)), promise: nil)
        case .other(let bytes): search(bytes, "a frame without text")
        case .text(let bytes): try hear(bytes)
        }
    }

    /// Asks for its topics, unless the handshake was refused.
    private func begin(_ status: Int, on channel: any Channel) throws {
        guard status == 101 else {
            let refusals = state.withLock { state in
                state.refusals += 1
                return state.refusals
            }
            // A server that is too busy to decide refuses, too; then it comes back.
            guard status != 401, status != 403, refusals < 100 else {
                throw EarRefused(description: "the stream answered \(status)")
            }
            channel.close(promise: nil)
            return
        }
        let topics = state.withLock { state in
            state.channel = channel
            for topic in state.topics.keys {
                state.topics[topic]?.isAsked = false
                if state.topics[topic]?.chain.last != nil { state.returns += 1 }
            }
            return state.isAway ? [] : Array(state.topics.keys)
        }
        // Told to go while it was on its way.
        if topics.isEmpty { channel.close(promise: nil) }
        for topic in topics { ask(for: topic) }
    }

    private func hear(_ bytes: [UInt8]) throws {
        let frame = try StreamFrame.read(bytes)
        search(bytes, frame.place)
        switch frame {
        case .subscribed(let topic, let cursor, let seq):
            let replay = try JSONDecoder().decode(JSONValue.self, from: Data(bytes))["replay_count"]?.number ?? 0
            state.withLock { state in
                state.topics[topic]?.chain.subscribed(cursor: cursor, seq: seq)
                state.topics[topic]?.isAsked = false
                state.topics[topic]?.owed = Int(replay)
                state.topics[topic]?.isWhole = replay == 0
            }
        case .event(let event, let prev): take(event.topic, event.seq, prev, event.cursor)
        case .gated(let placeholder, let prev):
            take(placeholder.topic, placeholder.seq, prev, placeholder.cursor)
            let ids = ["post", "review", "reply"].compactMap { placeholder.data[$0]?["id"]?.string }
            state.withLock { $0.placeholders.formUnion(ids) }
        case .skip(let topic, let seq, let prev, let cursor): take(topic, seq, prev, cursor)
        case .reset(let topic, let why, let cursor, let seq):
            state.withLock { state in
                state.resets.append("\(topic): \(why)")
                state.topics[topic]?.chain.reset(cursor: cursor, seq: seq)
            }
        case .heartbeat(let heads):
            let missing = state.withLock { state in
                heads.filter { state.topics[$0.key]?.chain.heard(head: $0.value) == .gap }.map(\.key)
            }
            for topic in missing { ask(for: topic) }
        case .closed(let topic): end(topic)
        case .error(let id, let code, let detail):
            let topic = state.withLock { state in state.topics.first { $0.value.chain.number == id }?.key }
            guard code == "unknown_topic" else { throw EarRefused(description: "\(code): \(detail)") }
            // One that was closed while it was asked for again is gone already.
            if let topic { end(topic) }
        case .bye(let why, _):
            // Slow, or a server that ends: it comes back from its cursors.
            guard why == "slow" || why == "drain" else { throw EarRefused(description: "the stream said bye: \(why)") }
        case .hello, .unknown: break
        }
    }

    /// An event in one of its forms; where something is missing before it, the topic is asked for again.
    private func take(_ topic: String, _ seq: Int64, _ prev: Int64, _ cursor: String) {
        let verdict = state.withLock { state in
            state.frames[String(topic.prefix { $0 != ":" }), default: 0] += 1
            state.topics[topic]?.owed -= 1
            return state.topics[topic]?.chain.received(seq: seq, prev: prev, cursor: cursor)
        }
        if verdict == .gap { ask(for: topic) }
    }

    private func end(_ topic: String) {
        state.withLock { state in
            state.topics[topic] = nil
            state.closed.append(topic)
        }
    }
}

/// Why a stream cannot go on.
struct EarRefused: Error, CustomStringConvertible {
    let description: String
}

extension StreamFrame {
    /// What it is, for those who read where something was found.
    fileprivate var place: String {
        switch self {
        case .event(let event, _): "\(event.kind) on \(event.topic)"
        case .gated(let placeholder, _): "a placeholder on \(placeholder.topic)"
        case .skip(let topic, _, _, _): "a skip on \(topic)"
        case .subscribed(let topic, _, _): "subscribed to \(topic)"
        default: "another frame of the stream"
        }
    }
}
