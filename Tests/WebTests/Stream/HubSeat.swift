import Community
import EventLog
import TestSupport
import Testing

@testable import Web

/// What one reader listens with in a `HubProgramme`.
protocol HubListener: AnyObject {
    /// Follows `name`, if it does not: from now on, or from where the last time ended.
    func follow(_ name: EventStream.Name, again: Bool) async throws
    func leave(_ name: EventStream.Name)
    /// Cuts the connection, whatever is on its way, and opens another.
    func reconnect(isAbrupt: Bool) async throws
    func close(isAbrupt: Bool) async
    /// Reads what has come.
    func take()
    /// For those who look for what went wrong.
    var state: String { get }
    /// Whether the server has answered everything.
    var isSettled: Bool { get }
    /// Whether every open chain has come to `seq`.
    func hasReached(_ seq: Int64) -> Bool
    /// Everything wrong since the last time, and how many events could be judged. `end`: the last event of the log, which is on every chain.
    func judge(by history: HubHistory, end: Int64) -> (wrongs: [String], judged: Int)
}

/// A socket of one reader, which may be cut and opened again, and all that came on it.
final class HubSeat: HubListener {
    let reader: Signed
    private let stream: StreamServer
    private var client: WebSocketClient
    /// Frames of `client` that were read.
    private var read = 0
    private var chains: [EventStream.Name: Chain] = [:]
    /// Chains that a new beginning has replaced.
    private var former: [(EventStream.Name, Chain)] = []
    private var wrongs: [String] = []

    private enum Phase { case asked, open, leaving, closed }

    private struct Chain {
        var topic: FollowedTopic
        var phase = Phase.asked
        /// The server was asked to begin now, not after a cursor.
        var isFresh = true
        /// Judged up to here.
        var judged: Int64?
    }

    init(_ stream: StreamServer, _ reader: Signed) async throws {
        self.reader = reader
        self.stream = stream
        client = try await stream.open(reader)
    }

    func follow(_ name: EventStream.Name, again: Bool) async throws {
        if chains[name]?.phase == .leaving {
            try await eventually {
                take(); return chains[name]?.phase == .closed
            }
        }
        take()
        if let chain = chains[name], chain.phase != .closed { return }
        if again, let cursor = chains[name]?.topic.cursor {
            chains[name]?.phase = .asked
            chains[name]?.isFresh = false
            return client.subscribe(name.text, from: cursor)
        }
        if let chain = chains[name] { former.append((name, chain)) }
        chains[name] = Chain(topic: FollowedTopic(isOwnChain: name.isOwnChain))
        client.subscribe(name.text)
    }

    func leave(_ name: EventStream.Name) {
        guard chains[name]?.phase == .open else { return }
        chains[name]?.phase = .leaving
        client.say(#"{"type":"unsubscribe","id":2,"topic":"\#(name.text)"}"#)
    }

    func reconnect(isAbrupt: Bool) async throws {
        await close(isAbrupt: isAbrupt)
        client = try await stream.open(reader)
        read = 0
    }

    func close(isAbrupt: Bool) async {
        take()
        await client.cut(isAbrupt: isAbrupt)
        for name in chains.keys {
            chains[name]?.topic.reopen()
            chains[name]?.phase = .closed
        }
    }

    func take() {
        let frames = client.rawFrames
        for frame in frames[read...] where frame.opcode == 1 {
            guard let frame = ServerFrame(payload: frame.payload) else {
                wrongs.append("a frame that is none")
                continue
            }
            take(frame)
        }
        read = frames.count
    }

    private func take(_ frame: ServerFrame) {
        switch frame.type {
        case "hello", "heartbeat": return
        case "subscribed", "event", "gated", "skip", "unsubscribed": break
        default: return wrongs.append("a \(frame.type)")
        }
        guard let name = frame.topic.flatMap(EventStream.Name.init(text:)), var chain = chains[name] else {
            return wrongs.append("a \(frame.type) on a topic that was not asked for")
        }
        if frame.type == "unsubscribed" {
            if chain.phase != .leaving { wrongs.append("unsubscribed without being asked") }
            chain.phase = .closed
            chain.topic.reopen()
        } else {
            if frame.type == "subscribed", frame.members["is_recovered"] != .boolean(true) {
                wrongs.append("a position that is there is not recovered")
            }
            _ = chain.topic.receive(frame)
            if frame.type == "subscribed" {
                if chain.phase == .asked { chain.phase = .open }
                if chain.judged == nil { chain.judged = chain.topic.start }
            }
        }
        chains[name] = chain
    }

    var state: String {
        "\(chains.mapValues(\.phase)) closed=\(client.isClosed) \(wrongs.prefix(3)) \(client.text.suffix(300))"
    }

    var isSettled: Bool { !chains.values.contains { $0.phase == .asked || $0.phase == .leaving } }

    func hasReached(_ seq: Int64) -> Bool { !chains.values.contains { $0.phase == .open && $0.topic.last < seq } }

    func judge(by history: HubHistory, end: Int64) -> (wrongs: [String], judged: Int) {
        var judged = 0
        func judge(_ name: EventStream.Name, _ chain: inout Chain) {
            guard let after = chain.judged else { return }
            let through = chain.phase == .open ? end : chain.topic.last
            let verdict = history.judge(chain.topic, name, of: reader.id.rawValue, after: after, through: through)
            wrongs += verdict.wrongs + chain.topic.wrongs
            judged += verdict.judged
            chain.judged = max(after, through)
        }
        for place in former.indices { judge(former[place].0, &former[place].1) }
        former = []
        for name in chains.keys {
            guard var chain = chains[name] else { continue }
            judge(name, &chain)
            chains[name] = chain
        }
        return (wrongs.map { "\(reader.username): \($0)" }, judged)
    }
}
