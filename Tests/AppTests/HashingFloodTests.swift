import NIOHTTP1
import Synchronization
import TestSupport
import Testing

/// A flood of log-ins and sign-ups, which anybody may send, beside readers.
@Suite(.serialized) struct HashingFloodTests {
    /// Every one of these may be sent by a stranger.
    private enum Flood: Sendable {
        case hashing
        /// The same calls without a password: refused before anything is hashed.
        case refused

        func body(_ number: Int) -> (path: String, json: String) {
            let password = self == .hashing ? "\"a long enough password\"" : "null"
            guard number % 4 == 3 else {
                return ("/api/v1/sessions", #"{"login":"nobody\#(number)","password":\#(password)}"#)
            }
            let email = "\"f\(number)@example.org\""
            return (
                "/api/v1/accounts",
                #"{"username":"flood_\#(number)","email":\#(email),"email_confirmation":\#(email),"password":\#(password),"#
                    + #""password_confirmation":\#(password)}"#
            )
        }
    }

    /// What came of one phase.
    private struct Outcome: Sendable {
        var flood: [Caller.Answer] = []
        var readers: [Caller.Answer] = []
    }

    @Test(.timeLimit(.minutes(ProofCount.minutes)))
    func `keeps nobody else waiting, and every one of its calls is answered`() async throws {
        let settings = ["COMMONPLACE_RATE_LIMITS": "on", "COMMONPLACE_TRUSTED_PROXIES": "127.0.0.1"]
        try await withProgram(settings) { program in
            let server = try await program.serve()
            var hashing = Outcome()
            var refused = Outcome()
            let rounds = ProofCount.isFull ? 4 : 1
            for round in 0..<rounds {
                let calm = try await run(.refused, round: 2 * round, on: program.port)
                let busy = try await run(.hashing, round: 2 * round + 1, on: program.port)
                refused.flood += calm.flood
                refused.readers += calm.readers
                hashing.flood += busy.flood
                hashing.readers += busy.readers
            }

            #expect(hashing.readers.allSatisfy { $0.status == 200 } && refused.readers.allSatisfy { $0.status == 200 })
            #expect(refused.flood.allSatisfy { [422, 503].contains($0.status) }, "\(statuses(refused.flood))")
            #expect(hashing.flood.allSatisfy { [201, 401, 503].contains($0.status) }, "\(statuses(hashing.flood))")
            #expect(hashing.flood.allSatisfy { $0.status != 503 || $0.retryAfter != nil })
            let hashed = hashing.flood.count { $0.status != 503 }
            #expect(hashed > 0 && hashed < hashing.flood.count, "no flood: that proves nothing")
            if ProofCount.isFull {
                let (calm, busy) = (p99(refused), p99(hashing))
                print(
                    "p99 of \(hashing.readers.count) readers: \(busy), beside refused calls \(calm); \(hashed) hashed")
                #expect(busy < calm * 2)
                #expect(hashing.flood.map(\.time).max() ?? .zero < .seconds(8))
            }
            #expect(await server.stop() == 0)
        }
    }

    private func p99(_ outcome: Outcome) -> Duration { outcome.readers.map(\.time).quantile(0.99) }
    private func statuses(_ answers: [Caller.Answer]) -> [Int: Int] {
        answers.reduce(into: [:]) { $0[$1.status, default: 0] += 1 }
    }

    /// 100 addresses send two calls a second each (in a short proof 20 send two each, as fast as they can), four readers read meanwhile.
    private func run(_ flood: Flood, round: Int, on port: Int) async throws -> Outcome {
        let (senders, calls) = ProofCount.isFull ? (100, 10) : (20, 2)
        let pause: Duration = ProofCount.isFull ? .milliseconds(500) : .zero
        let left = Left(senders)
        return try await withThrowingTaskGroup(of: Outcome.self) { group in
            for sender in 0..<senders {
                group.addTask {
                    defer { left.one() }
                    let caller = Caller(port: port, address: "10.\(round).0.\(sender + 1)")
                    var outcome = Outcome()
                    var next = ContinuousClock.now.advanced(by: pause / senders * sender)
                    for call in 0..<calls {
                        if pause > .zero { try await Task.sleep(until: next) }
                        next = next.advanced(by: pause)
                        let (path, body) = flood.body((round * senders + sender) * calls + call)
                        outcome.flood.append(try await caller.call(.POST, path, body))
                    }
                    await caller.close()
                    return outcome
                }
            }
            for reader in 0..<4 {
                group.addTask {
                    var outcome = Outcome()
                    var number = 0
                    while left.isAny || number == 0 {
                        // Another address each time: readers are many, and none of them near its rate.
                        let caller = Caller(port: port, address: "10.\(100 + round).\(reader).\(number % 250 + 1)")
                        outcome.readers.append(try await caller.call(.GET, "/api/v1/books?limit=1"))
                        await caller.close()
                        number += 1
                        try await Task.sleep(for: .milliseconds(5))
                    }
                    return outcome
                }
            }
            return try await group.reduce(into: Outcome()) {
                $0.flood += $1.flood
                $0.readers += $1.readers
            }
        }
    }
}

/// How many senders have not ended.
private final class Left: Sendable {
    private let count: Mutex<Int>
    init(_ count: Int) { self.count = Mutex(count) }
    var isAny: Bool { count.withLock { $0 > 0 } }
    func one() { count.withLock { $0 -= 1 } }
}
