import Foundation
import TestSupport
import Testing

@testable import Client

/// What built servers tell their owner of the stream and of its log.
@Suite(.serialized) struct StreamMetricsTests {
    private static let listed = [
        "stream_connections", "stream_connections_refused_total", "stream_topics", "stream_deliveries_total",
        "stream_pairs_asked_total", "stream_audience_seconds_count", "stream_queue_bytes", "stream_behind",
        "stream_closes_total", "stream_resets_total", "stream_abandoned_total", "log_outbox", "log_outbox_seconds",
        "log_lag", "log_leads", "log_oldest", "log_oldest_seconds",
    ]

    @Test(.requirement("TRE-6"), .timeLimit(.minutes(ProofCount.minutes)))
    func `each figure of the stream and its log is told, and which of two servers leads`() async throws {
        try await withProgram { program in
            let first = try await program.serve()
            let port = try Program.freePort()
            let second = try await program.serve(port: port)
            let (one, other) = (program.url, "http://127.0.0.1:\(port)")
            let password = UUID().uuidString
            func register(_ name: String) async throws -> CommonplaceClient {
                try await program.client().register(
                    username: name, email: "\(name)@example.org", password: password
                ).client
            }
            let (ann, bob) = (try await register("ann"), try await register("bob"))

            try await ann.withStream(["inbox": .now]) { updates in
                for try await update in updates {
                    if case .subscribed = update { _ = try await bob.requestFriendship(with: "ann") }
                    guard case .event(let event) = update, event.kind == "friend.requested" else { continue }
                    break
                }
                try await eventually {
                    let told = try await Self.figures(of: one)
                    return told["stream_topics{kind=\"inbox\"}"] == 1 && told["log_oldest_seconds"] ?? 0 > 0
                }
                let told = try await Self.figures(of: one)
                let names = Set(told.keys.map { String($0.prefix { $0 != "{" }) })
                #expect(Set(Self.listed).subtracting(names) == [])
                #expect(told["stream_connections"] == 1)
                #expect(told["stream_deliveries_total{form=\"event\"}"] ?? 0 >= 1)
                #expect(told["stream_pairs_asked_total"] ?? 0 >= 1)
                #expect(told["stream_audience_seconds_count"] ?? 0 >= 1)
                #expect(told["log_oldest"] == 1)
            }

            for (url, leads) in [(one, true), (other, false)] {
                try await eventually {
                    let told = try await Self.figures(of: url)
                    return told["log_leads"] == (leads ? 1 : 0) && told["log_lag"] == 0 && told["log_outbox"] == 0
                }
                let part = "0 in the outbox, the oldest for 0 ms; 0 behind; \(leads ? "leads" : "follows")"
                try await eventually { try await Self.get(url, "/readyz?verbose").contains(part) }
            }
            for server in [second, first] { #expect(await server.stop() == 0) }
        }
    }

    private static func get(_ url: String, _ path: String) async throws -> String {
        let transport = HTTPTransport(try ServerAddress(url), timeout: .seconds(5))
        return String(decoding: try await transport.perform(HTTPCall(.get, path)).body, as: UTF8.self)
    }

    /// Ours, without `commonplace_`, by name and labels.
    private static func figures(of url: String) async throws -> [String: Double] {
        let lines = try await get(url, "/metrics").matches(of: /(?m)^commonplace_(\S+) (\S+)$/)
        return Dictionary(
            lines.compactMap { line in Double(line.2).map { (String(line.1), $0) } },
            uniquingKeysWith: { first, _ in first })
    }
}
