import TestSupport
import Testing

@testable import Client

/// A built server that is told to spoil its stream.
@Suite(.serialized) struct StreamFaultTests {
    @Test(.requirement("TRE-6"), .timeLimit(.minutes(ProofCount.minutes)))
    func `a server that is told to gives one event in 1,000 twice, and says so`() async throws {
        try await withProgram(["COMMONPLACE_STREAM_FAULT": "repeat"]) { program in
            try #require(try await program.run("demo").status == 0)
            let server = try await program.serve()
            #expect(server.errors.contains("the stream is spoilt on purpose"))
            let community = try await Writers.gather(8, on: program)
            let (address, token) = (try ServerAddress(program.url), community.friend.token)
            let (ready, again) = (Acknowledged(0), Acknowledged(0))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<10 {
                    group.addTask {
                        try await StreamSocket.open(address, token: token).use { frames, outbound in
                            try await outbound.subscribe("home", from: "now", id: 1)
                            var last: Int64 = 0
                            for try await frame in frames {
                                if case .subscribed = frame { ready.add() }
                                guard case .event(let event, _) = frame else { continue }
                                if event.seq == last { again.add() }
                                last = event.seq
                            }
                        }
                    }
                }
                try await eventually { ready.done == 10 }
                // On ten sockets 12,000 events: that none of them is struck happens once in 160,000 runs.
                let deal = Deal(writers: 8, books: community.books, total: 8 * 150)
                group.addTask { _ = try await community.write(deal, Acknowledged(0)) }
                try await eventually(within: .seconds(180)) { again.done > 0 }
                group.cancelAll()
            }
            #expect(await server.stop() == 0)
        }
    }
}
