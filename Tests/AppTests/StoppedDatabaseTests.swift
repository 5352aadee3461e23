import Foundation
import NIOHTTP1
import Synchronization
import TestSupport
import Testing

/// Postgres stops, without ending and without a word, under many callers.
@Suite(.serialized) struct StoppedDatabaseTests {
    @Test(.timeLimit(.minutes(ProofCount.minutes)))
    func `while Postgres is stopped every caller is answered, and served again when it goes on`() async throws {
        try await withProgram { program in
            let server = try await program.serve()
            let postmaster = try #require(program.postmaster())
            let path = "/api/v1/books?limit=1"
            let callers = (0..<(ProofCount.isFull ? 200 : 60)).map { _ in Caller(port: program.port) }
            for caller in callers { #expect(try await caller.call(.GET, path).status == 200) }

            let stopped = Self.stop(postmaster)
            defer { for pid in stopped { kill(pid, SIGCONT) } }
            #expect(stopped.count > 1, "no process of a connection")
            let end = ContinuousClock.now.advanced(by: ProofCount.isFull ? .seconds(20) : .zero)
            let answers = try await withThrowingTaskGroup(of: [Caller.Answer].self) { group in
                for caller in callers {
                    group.addTask {
                        var answers: [Caller.Answer] = []
                        // The second call finds a server that knows already.
                        while answers.count < 2 || ContinuousClock.now < end {
                            answers.append(try await caller.call(.GET, path))
                            try await Task.sleep(for: .milliseconds(20))
                        }
                        return answers
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(answers.allSatisfy { $0.status == 503 && $0.retryAfter != nil })
            for pid in stopped { kill(pid, SIGCONT) }
            let goesOn = ContinuousClock.now
            try await eventually { try await callers[0].call(.GET, path).status == 200 }
            let silence = ContinuousClock.now - goesOn
            for caller in callers { #expect(try await caller.call(.GET, path).status == 200) }
            if ProofCount.isFull {
                let longest = answers.map(\.time).max() ?? .zero
                print("\(answers.count) answers, the longest after \(longest); served again after \(silence)")
                #expect(longest < .seconds(5))
                #expect(silence < .seconds(2))
            }
            #expect(await server.stop() == 0)
        }
    }

    /// Stops `postmaster` and then its children: a stopped one makes no more.
    private static func stop(_ postmaster: pid_t) -> [pid_t] {
        kill(postmaster, SIGSTOP)
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        let children = all.compactMap { pid_t($0) }.filter { pid in
            // The second field may hold spaces; behind its bracket stand state and parent.
            let stat = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
            return stat.split(separator: ")").last?.split(separator: " ").dropFirst().first == "\(postmaster)"
        }
        for child in children { kill(child, SIGSTOP) }
        return [postmaster] + children
    }
}
