import Foundation
import TestSupport
import Testing

@testable import Client

/// Clocks that are wrong: two servers of one community, up to two days behind or ahead, and stepping while they serve.
@Suite(
    .serialized,
    .enabled(if: FakeClock.library != nil || ProofCount.isFull, Comment(rawValue: FakeClock.isMissing)))
struct ClocksProofTests {
    private static let range = -172_800...172_800

    @Test(.timeLimit(.minutes(ProofCount.minutes)))
    func `whatever two servers' clocks say, what was done is counted, shown and taken back as it was done`()
        async throws
    {
        try #require(FakeClock.library != nil, "\(FakeClock.isMissing), and a full proof needs it")
        try await withProgram { program in
            let random = TestRandom(for: "clocks")
            let clocks = try ["one", "other"].map { try FakeClock(0, file: "\(program.folder)/clock-\($0)") }
            try #require(try await program.run("demo").status == 0)
            let password = UUID().uuidString
            let owner = try await program.run(
                "admin", "create-owner", "librarian", "--email", "librarian@example.org", "--password-stdin",
                input: password + "\n")
            try #require(owner.status == 0, "\(owner.errors)")
            let port = try Program.freePort()
            let first = try await program.serve(environment: clocks[0].environment)
            let second = try await program.serve(port: port, environment: clocks[1].environment)
            let servers = [try program.client(), try CommonplaceClient("http://127.0.0.1:\(port)")]
            let librarian = try await servers[0].logIn("librarian", password: password).client
            let books = try await servers[0].books(limit: 24).items.map(\.id)
            let total = ProofCount.of(20_000)
            let run = try await RandomRun(
                total, servers: servers, librarian: librarian, companions: [], scene: RandomRun.Known(books: books))

            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    let steps = max(6, total / 500)
                    for step in 0..<steps {
                        try await eventually(within: .seconds(3_600)) { run.snapshot.done >= total * step / steps }
                        for clock in clocks { try clock.step(to: random.number(in: Self.range)) }
                    }
                }
                try await run.run()
                // Where the run ended early, nobody waits for its end.
                group.cancelAll()
            }
            for clock in clocks { try clock.step(to: 0) }
            #expect(await first.stop() == 0)
            #expect(await second.stop() == 0)
            for server in [first, second] {
                let errors = server.errors.split(separator: "\n").filter { $0.contains(#""level":"error""#) }
                #expect(errors.isEmpty, "\(errors.prefix(5))")
            }
            let done = Act.Kind.allCases.reduce(0) { $0 + run.successes($1) }
            #expect(done > total / 4, "most acts were refused")
            let days = try await Behind.run(["select distinct date_trunc('day', at) from activity"], program)
            #expect(days.count > 2, "the clocks did not step: that proves nothing")
            let check = try await program.run("check")
            #expect(check.status == 0, "\(check.output)\(check.errors)")
        }
    }
}
