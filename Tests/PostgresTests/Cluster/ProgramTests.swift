import Foundation
import TestSupport
import Testing

@testable import Postgres

struct ProgramTests {
    @Test func `a program that takes too long is killed with all that it started`() async throws {
        let file = try TemporaryFile("pid", [])
        let script = "sleep 300 & echo $! > pid; echo started; wait"
        let outcome = try await Self.run(script, in: file.folder, within: .milliseconds(300))

        #expect(outcome.isTimedOut && outcome.status == -SIGKILL && outcome.output == "started")
        let pid = try #require(
            pid_t(try String(contentsOfFile: file.path, encoding: .utf8).trimmingCharacters(in: .newlines)))
        try await eventually { kill(pid, 0) != 0 || Self.isZombie(pid) }
    }

    @Test func `one that closes its output and goes on is killed too`() async throws {
        let folder = try TemporaryFile("x", [])
        let outcome = try await Self.run("exec >&- 2>&-; sleep 300", in: folder.folder, within: .milliseconds(300))
        #expect(outcome.isTimedOut && outcome.status == -SIGKILL)
    }

    @Test func `one that ends in time works in its folder and says how it ended`() async throws {
        let file = try TemporaryFile("here", [])
        let outcome = try await Self.run("ls; exit 7", in: file.folder, within: .seconds(20))
        #expect(!outcome.isTimedOut && outcome.status == 7 && outcome.output == "here")
    }

    @Test func `of endless output the first MiB is kept`() async throws {
        let file = try TemporaryFile("here", [])
        let outcome = try await Self.run("exec cat /dev/zero", in: file.folder, within: .milliseconds(500))
        #expect(outcome.isTimedOut && outcome.output.utf8.count < 2 << 20)
    }

    private static func run(_ script: String, in folder: String, within limit: Duration) async throws -> Program.Outcome
    {
        try await DirectConnection.onThread {
            try Program("/bin/sh", ["-c", script], environment: [:], folder: folder, timeLimit: limit).run()
        }
    }

    private static func isZombie(_ pid: pid_t) -> Bool {
        (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8))?.contains(") Z ") ?? true
    }
}
