import Synchronization
import TestSupport
import Testing

@testable import Client

/// Two processes serve one community from one database: what happens in one is on the sockets of the other.
@Suite(.serialized) struct TwoServersTests {
    @Test(.requirement("TRE-6"), .timeLimit(.minutes(ProofCount.minutes)))
    func `a socket on one server has all that is written through the other, also when the relay's leader is killed`()
        async throws
    {
        try await withProgram { program in
            try #require(try await program.run("demo").status == 0)
            // The first leads the relay, and keeps it for as long as it lives: the lock is its connection's.
            let first = try await program.serve()
            let community = try await Writers.gather(8, on: program)
            let port = try Program.freePort()
            let second = try await program.serve(port: port)
            let url = "http://127.0.0.1:\(port)"
            let elsewhere = try community.through(url)
            let total = max(160, ProofCount.of(1_600))
            var left = Deal(writers: 8, books: community.books, total: total)

            try await elsewhere.friend.withStream(["home": .now]) { updates in
                let seen = try await withThrowingTaskGroup(of: [StreamEvent].self) { group in
                    let isListening = Mutex(false)
                    let heard = Mutex(0)
                    group.addTask {
                        try await Listening.listen(updates, until: total) {
                            isListening.withLock { $0 = true }
                        } each: {
                            heard.withLock { $0 += 1 }
                        }
                    }
                    try await eventually { isListening.withLock { $0 } }

                    // Both live: a third of the reviews is heard on the second while the first takes the rest.
                    let acknowledged = Acknowledged(0)
                    let dealt = left
                    async let ended = community.write(dealt, acknowledged)
                    try await eventually(within: .seconds(120)) {
                        acknowledged.done >= total / 2 && heard.withLock { $0 } >= total / 3
                    }
                    await first.kill()
                    let result = try await ended
                    left = result.left
                    #expect(left.done < total, "killed after all was written: that proves nothing")

                    // The second takes over: what was not answered is sent to it, and then the rest.
                    try await elsewhere.repeat(result.unanswered)
                    left.done += result.unanswered.count
                    let rest = try await elsewhere.write(left, Acknowledged(left.done))
                    #expect(rest.unanswered.isEmpty && rest.left.done == total)
                    return try #require(try await group.next())
                }
                Listening.check(seen, total, #_sourceLocation)
                try await elsewhere.checkStored(total, #_sourceLocation)
            }
            #expect(second.status == nil)
            #expect(await second.stop() == 0)
            let check = try await program.run("check")
            #expect(check.status == 0, "\(check.output)\(check.errors)")
        }
    }
}
