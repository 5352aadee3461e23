import TestSupport
import Testing

@testable import Web

struct StreamModelTests {
    private static let steps = 600

    /// In any order, over sockets and event streams: publishing, wake-ups that are lost or overtake each other, cuts after any frame, coming back
    /// to the other server with whatever ticket, stalls, lost room, expiry, restores, changed friendships, readers who come into a
    /// conversation and are shown out of it, states, posts that open, and verdicts that change between the live frame and the replay.
    @Test func `whatever happens, every client has each event once and in order, or was told to begin anew`() async {
        let programmes = ProofCount.of(10_000)
        var done = StreamModel.Figures()
        for number in 0..<programmes {
            let seed = TestRandom.seed &* 1_000_003 &+ UInt64(number)
            var model = StreamModel(seed: seed)
            model.run(steps: Self.steps)
            // Others run beside it.
            await Task.yield()
            done += model.done
            guard model.wrongs.isEmpty else {
                Issue.record("programme \(seed), \(shortest(seed)) steps: \(model.wrongs.prefix(3))")
                return
            }
        }
        #expect(done.delivered > programmes * 20 && done.resumed > programmes && done.pages > programmes, "\(done)")
        #expect(done.moved > programmes / 2 && done.refused > programmes && done.states > programmes, "\(done)")
        let rare = [done.shownOut, done.resets, done.unlocked]
        #expect(rare.allSatisfy { $0 > programmes / 10 }, "hardly ever: \(done)")
        #expect((done.ahead > 0 && done.repeats > 0) || programmes < 5_000, "never: \(done)")
    }

    @Test(arguments: StreamModel.Sabotage.allCases.filter { $0 != .none })
    func `a hub that breaks a rule is found out`(_ sabotage: StreamModel.Sabotage) {
        let isFound = (0..<1_000).contains { number in
            var model = StreamModel(seed: UInt64(number), sabotage: sabotage)
            model.run(steps: Self.steps)
            return !model.wrongs.isEmpty
        }
        // Repeats and swaps inside the server are what the seqs are there for: a client never sees a repeat.
        #expect(isFound == (sabotage != .repeatBatch))
    }

    @Test(arguments: EventStream.Fault.Kind.allCases)
    func `a server that loses, repeats or swaps events is found out`(_ kind: EventStream.Fault.Kind) {
        let signs = kind == .repeat ? ["again after", "again on "] : ["gap: ", "gap on ", "lost: "]
        let isFound = (0..<200).contains { number in
            var model = StreamModel(seed: UInt64(number), fault: kind)
            model.run(steps: Self.steps)
            return model.wrongs.contains { wrong in signs.contains { wrong.contains($0) } }
        }
        #expect(isFound)
    }

    /// The shortest programme of this seed that goes wrong, by halving.
    private func shortest(_ seed: UInt64) -> Int {
        var (good, bad) = (0, Self.steps)
        while bad - good > 1 {
            let middle = (good + bad) / 2
            var model = StreamModel(seed: seed)
            model.run(steps: middle)
            if model.wrongs.isEmpty { good = middle } else { bad = middle }
        }
        return bad
    }
}
