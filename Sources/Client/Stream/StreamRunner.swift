import FoundationEssentials
import Glibc
import NIOCore
import NIOWebSocket

/// Keeps one stream going: connects, subscribes from where it was, passes on, and begins again after a pause when the connection breaks.
struct StreamRunner: Sendable {
    let address: ServerAddress
    let token: String?
    let handoff: Handoff<StreamUpdate>

    /// Longest pause between two tries.
    static let longestPause = Duration.seconds(30)

    /// Runs until the task is cancelled or the server says a final no.
    func run(_ topics: [String: StreamStart]) async {
        var chains: [String: TopicChain] = [:]
        for (number, (topic, start)) in topics.enumerated() { chains[topic] = TopicChain(start, number: number + 1) }
        var failures = 0
        while !Task.isCancelled {
            var advised: Duration?
            do {
                let socket = try await StreamSocket.open(address, token: token)
                try await socket.use { frames, outbound in
                    advised = try await follow(&chains, frames, outbound) { failures = 0 }
                }
            } catch let error as ClientError where error.isFinal {
                return handoff.finish(throwing: error)
            } catch {
                // A broken connection: again from the cursors, below.
            }
            failures += 1
            try? await Task.sleep(for: advised ?? Self.pause(after: failures, Double.random(in: 0...1)))
        }
        handoff.finish(throwing: CancellationError())
    }

    /// Full jitter, so that a thousand clients that were cut off together do not come back together: between 0 and 0.5 s at first, the
    /// upper end doubling up to 30 s. `draw` is 0...1.
    static func pause(after failures: Int, _ draw: Double) -> Duration {
        let most = min(0.5 * pow(2, Double(min(failures, 20) - 1)), 30)
        return .seconds(most * draw)
    }

    /// Follows the topics over one connection until it ends; gives the pause that the server asks for.
    private func follow(
        _ chains: inout [String: TopicChain], _ frames: StreamSocket.Frames, _ outbound: StreamSocket.Outbound,
        onSuccess: () -> Void
    ) async throws -> Duration? {
        for topic in chains.keys { try await ask(for: topic, chains, outbound) }
        for try await frame in frames {
            switch frame {
            case .subscribed(let topic, let cursor, let seq):
                chains[topic]?.subscribed(cursor: cursor, seq: seq)
                onSuccess()
                await handoff.send(.subscribed(topic: topic, cursor: cursor))
            case .event, .gated, .skip: try await take(frame, &chains, outbound)
            case .reset(let topic, let why, let cursor, let seq):
                chains[topic]?.reset(cursor: cursor, seq: seq)
                await handoff.send(.reset(topic: topic, why: why, cursor: cursor))
            case .heartbeat(let heads):
                for (topic, head) in heads where chains[topic]?.heard(head: head) == .gap {
                    try await ask(for: topic, chains, outbound)
                }
            case .closed(let topic): try await close(topic, &chains)
            case .bye(let why, let retry):
                if why == "auth" { throw ClientError.refused(.streamEnded("unauthenticated", "the session is over")) }
                return retry
            case .error(let id, let code, let detail):
                // What was followed before has been closed meanwhile; anything else is a mistake of the caller's.
                guard code == "unknown_topic", let topic = chains.first(where: { $0.value.number == id })?.key,
                    chains[topic]?.last != nil
                else { throw ClientError.refused(.streamEnded(code, detail)) }
                try await close(topic, &chains)
            case .hello, .unknown: break
            }
        }
        return nil
    }

    /// Any of the three forms of an event: the gap rule is the same for all.
    private func take(
        _ frame: StreamFrame, _ chains: inout [String: TopicChain], _ outbound: StreamSocket.Outbound
    ) async throws {
        func verdict(_ topic: String, _ seq: Int64, _ prev: Int64, _ cursor: String) async throws -> Bool {
            let verdict = chains[topic]?.received(seq: seq, prev: prev, cursor: cursor)
            if verdict == .gap { try await ask(for: topic, chains, outbound) }
            return verdict == .apply
        }
        switch frame {
        case .event(let event, let prev):
            guard try await verdict(event.topic, event.seq, prev, event.cursor) else { return }
            await handoff.send(.event(event))
        case .gated(let placeholder, let prev):
            guard try await verdict(placeholder.topic, placeholder.seq, prev, placeholder.cursor) else { return }
            await handoff.send(.gated(placeholder))
        case .skip(let topic, let seq, let prev, let cursor):
            _ = try await verdict(topic, seq, prev, cursor)
        default: break
        }
    }

    /// The topic is over. With the last one the stream is.
    private func close(_ topic: String, _ chains: inout [String: TopicChain]) async throws {
        guard chains.removeValue(forKey: topic) != nil else { return }
        await handoff.send(.closed(topic: topic))
        if chains.isEmpty { throw ClientError.refused(.streamEnded("unknown_topic", "the last topic was closed")) }
    }

    private func ask(
        for topic: String, _ chains: [String: TopicChain], _ outbound: StreamSocket.Outbound
    ) async throws {
        guard let chain = chains[topic] else { return }
        try await outbound.subscribe(topic, from: chain.from, id: chain.number)
    }
}

extension ClientError {
    /// Trying again with the same session and topics cannot help.
    var isFinal: Bool {
        switch self {
        case .badAddress, .awaitsApproval: true
        case .refused(let problem): (400..<500).contains(problem.status) && ![408, 425, 429].contains(problem.status)
        case .unreachable, .timedOut, .badAnswer: false
        }
    }
}

extension ServerProblem {
    /// A refusal that came on the stream and so has no status of its own.
    static func streamEnded(_ code: String, _ detail: String) -> ServerProblem {
        ServerProblem(
            status: code == "unauthenticated" ? 401 : 400, code: code, title: "The stream was refused", detail: detail)
    }

    private init(status: Int, code: String, title: String, detail: String) {
        self.status = status
        self.code = code
        self.title = title
        self.detail = detail
        self.errors = []
        self.retryAfter = nil
    }
}
