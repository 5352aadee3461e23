import Community
import TestSupport

@testable import Web

/// An event stream of one reader on every topic, which may be cut and opened again with the `id` that it has, and all that came on it.
final class HubSourceSeat: HubListener {
    private let reader: Signed
    private let stream: StreamServer
    private let names: [EventStream.Name]
    private var client: SourceClient
    /// Blocks of `client` that were read.
    private var read = 0
    private var id: String?
    private var chains: [EventStream.Name: FollowedTopic] = [:]
    /// Those that this connection has answered.
    private var open: Set<EventStream.Name> = []
    /// Up to where each chain was before this connection: so much may come again.
    private var had: [EventStream.Name: Int64] = [:]
    /// Up to where each chain was judged.
    private var judged: [EventStream.Name: Int64] = [:]
    private var wrongs: [String] = []

    init(_ stream: StreamServer, _ reader: Signed, _ names: [EventStream.Name]) async throws {
        (self.stream, self.reader, self.names) = (stream, reader, names)
        client = try await stream.source(reader, names.map(\.text))
    }

    /// It follows everything as long as it is open.
    func follow(_ name: EventStream.Name, again: Bool) {}
    func leave(_ name: EventStream.Name) {}

    func reconnect(isAbrupt: Bool) async throws {
        await close(isAbrupt: isAbrupt)
        // One that has no id yet knows of no place to come back to.
        if id == nil { (chains, judged) = ([:], [:]) }
        (read, open, had) = (0, [], chains.mapValues(\.last))
        client = try await stream.source(reader, names.map(\.text), last: id)
    }

    func close(isAbrupt: Bool) async {
        take()
        await client.cut()
    }

    func take() {
        let come = client.events(after: read)
        read = come.blocks
        for event in come.events {
            take(event.frame)
            if let id = event.id { self.id = id }
        }
    }

    private func take(_ frame: ServerFrame) {
        switch frame.type {
        case "hello", "heartbeat": return
        case "subscribed", "event", "gated", "skip": break
        default: return wrongs.append("a \(frame.type)")
        }
        guard let name = frame.topic.flatMap(EventStream.Name.init(text:)), names.contains(name), let seq = frame.seq
        else { return wrongs.append("a \(frame.type) on a topic that was not asked for") }
        var chain = chains[name] ?? FollowedTopic(isOwnChain: name.isOwnChain)
        if frame.type == "subscribed" {
            if frame.members["is_recovered"] != .boolean(true) {
                wrongs.append("a position that is there is not recovered")
            }
            if !open.insert(name).inserted { wrongs.append("subscribed twice") }
            // One that was cut within an event has more of a topic than the id says.
            if seq >= chain.last {
                chain.reopen()
                _ = chain.receive(frame)
            }
            if judged[name] == nil { judged[name] = chain.start }
        } else if !open.contains(name) {
            wrongs.append("\(frame.type) before subscribed")
        } else if seq > chain.last {
            _ = chain.receive(frame)
        } else if seq > had[name, default: 0] {
            wrongs.append("\(seq) again on \(name.text)")
        }
        chains[name] = chain
    }

    var state: String { "\(open.count) open \(wrongs.prefix(3)) \(client.tail(300))" }
    var isSettled: Bool { open.count == names.count }
    func hasReached(_ seq: Int64) -> Bool { names.allSatisfy { chains[$0].map { $0.last >= seq } ?? false } }

    func judge(by history: HubHistory, end: Int64) -> (wrongs: [String], judged: Int) {
        var count = 0
        for name in names {
            guard let chain = chains[name], let after = judged[name] else { continue }
            let verdict = history.judge(chain, name, of: reader.id.rawValue, after: after, through: end)
            wrongs += verdict.wrongs + chain.wrongs
            count += verdict.judged
            judged[name] = max(after, end)
        }
        return (wrongs.map { "\(reader.username), event stream: \($0)" }, count)
    }
}
