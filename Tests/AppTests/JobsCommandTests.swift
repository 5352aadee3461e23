import Foundation
import TestSupport
import Testing

@testable import Client

/// `commonplace jobs` and `commonplace work`, from outside.
@Suite struct JobsCommandTests {
    @Test func `a server without workers answers, a queue is worked on by a process of its own, and pausing holds`()
        async throws
    {
        try await withProgram { program in
            let server = try await program.serve("--no-work")
            func jobs(_ words: String...) async throws -> Program.Finished { try await program.run(["jobs"] + words) }
            func waiting() async throws -> Int {
                try await jobs("list", "--queue", "mail").output.split(separator: "\n").count
            }

            #expect(try await jobs("pause", "mail").status == 0)
            #expect(try await jobs("pause", "mail").status == 5)
            #expect(try await jobs("pause", "none").status == 3)
            _ = try await program.client().register(
                username: "ann", email: "ann@example.org", password: "a long enough password")
            let sent = try await waiting()
            #expect(sent > 0)
            #expect(try await program.run("work", "--queues", "none").status == 7)

            let worker = try program.start(["work", "--queues", "mail"])
            try await eventually(within: .seconds(30)) {
                try await jobs("stats", "--json").output.contains(#""workers" : 1"#)
            }
            #expect(try await waiting() == sent)
            #expect(try await jobs("resume", "mail").status == 0)
            #expect(try await jobs("resume", "mail").status == 5)
            try await eventually(within: .seconds(30)) { try await waiting() == 0 }
            #expect(await worker.stop() == 0)

            #expect(try await jobs("show", "1000000").status == 3)
            #expect(try await jobs("run", "feed.upkeep").status == 0)
            #expect(try await jobs("run", "feed.upkeep", "--as-of", "2026-01-31T12:00:00Z").status == 7)
            #expect(try await jobs("run", "none").status == 3)
            await server.kill()
        }
    }
}
