import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Client

/// `kill -9` in the middle of writing, with everything synced to disk: nothing that was acknowledged is lost, nothing happens twice, and
/// a client that follows along sees all of it once and in order.
@Suite(.serialized) struct KillProofTests {
    @Test(.requirement("RAT-3", "TRE-6"), .timeLimit(.minutes(ProofCount.minutes)))
    func `killing the server loses no review, doubles none, and leaves the friend's stream whole`() async throws {
        try await prove(kills: ProofCount.isFull ? 3 : 1) { server, _ in await server.kill() }
    }

    @Test(.requirement("RAT-3", "TRE-6"), .timeLimit(.minutes(ProofCount.minutes)))
    func `killing the server and its Postgres loses no review, doubles none, and leaves the friend's stream whole`()
        async throws
    {
        try await prove(kills: 1) { server, program in
            let postmaster = try #require(program.postmaster())
            Foundation.kill(postmaster, SIGKILL)
            await server.kill()
            try await eventually { Foundation.kill(postmaster, 0) != 0 }
        }
    }

    /// 20 writers share `ProofCount.of(2000)` reviews; the server dies `kills` times on the way; what was not answered is sent again
    /// with its key.
    private func prove(
        kills: Int, _ strike: (RunningProgram, Program) async throws -> Void,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await withProgram { program in
            try #require(try await program.run("demo").status == 0)
            var server = try await program.serve()
            let community = try await Writers.gather(20, on: program)
            let total = ProofCount.of(2_000)
            var left = Deal(writers: community.writers.count, books: community.books, total: total)
            var inDoubt = 0

            try await community.friend.withStream(["home": .now]) { updates in
                let seen = try await withThrowingTaskGroup(of: [StreamEvent].self) { group in
                    let isListening = Mutex(false)
                    group.addTask {
                        try await Listening.listen(updates, until: total) { isListening.withLock { $0 = true } }
                    }
                    try await eventually { isListening.withLock { $0 } }
                    for round in 0...kills {
                        let goal = round < kills ? total * (round + 1) / (kills + 1) : nil
                        let progress = Acknowledged(left.done)
                        let dealt = left
                        async let ended = community.write(dealt, progress)
                        if let goal {
                            try await eventually(within: .seconds(300)) { progress.done >= goal }
                            try await strike(server, program)
                        }
                        let result = try await ended
                        left = result.left
                        guard !result.unanswered.isEmpty || round < kills else { break }
                        inDoubt += result.unanswered.count
                        server = try await program.serve()
                        try await community.repeat(result.unanswered)
                        left.done += result.unanswered.count
                    }
                    return try #require(try await group.next())
                }
                #expect(left.done == total)
                Listening.check(seen, total, sourceLocation)
                try await community.checkStored(total, sourceLocation)
            }

            print("kill proof: \(total) reviews, \(kills) kills, \(inDoubt) in doubt, 0 lost, 0 twice")
            if ProofCount.isFull { #expect(inDoubt >= 1, "a kill with nothing in doubt proves nothing") }
            #expect(await server.stop() == 0)
            let check = try await program.run("check")
            #expect(check.status == 0, "\(check.output)\(check.errors)")
        }
    }
}
