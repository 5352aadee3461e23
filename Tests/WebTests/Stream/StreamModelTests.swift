import TestSupport
import Testing

@testable import Web

struct StreamModelTests {
    /// Publishing, cuts after any frame, resuming, stalls, lost room, expiry, restores, changed friendships, readers who come into a conversation
    /// and are shown out of it, and verdicts that change between the live frame and the replay, in any order.
    @Test func `whatever happens, every client has each event once and in order, or was told to begin anew`() {
        let programmes = ProofCount.of(10_000)
        var (delivered, resumed, lagged, shownOut) = (0, 0, 0, 0)
        for number in 0..<programmes {
            let seed = TestRandom.seed &* 1_000_003 &+ UInt64(number)
            var model = StreamModel(seed: seed)
            model.run(steps: 400)
            (delivered, resumed, lagged) = (delivered + model.delivered, resumed + model.resumed, lagged + model.lagged)
            shownOut += model.shownOut
            guard model.wrongs.isEmpty else {
                Issue.record("programme \(seed), \(shortest(seed)) steps: \(model.wrongs.prefix(3))")
                return
            }
        }
        let counts = "\(delivered) delivered, \(resumed) resumed, \(lagged) lagged"
        #expect(
            delivered > programmes * 5 && resumed > programmes / 2 && lagged > programmes / 2,
            "the programmes did little: \(counts)")
        #expect(shownOut > programmes / 10, "hardly anybody was shown out")
    }

    @Test(arguments: [
        StreamModel.Sabotage.registerAfterReading, .repeatBatch, .swapBatches, .ignoreClosing, .showGated,
    ])
    func `a hub that breaks a rule is found out`(_ sabotage: StreamModel.Sabotage) {
        let isFound = (0..<200).contains { number in
            var model = StreamModel(seed: UInt64(number), sabotage: sabotage)
            model.run(steps: 400)
            return !model.wrongs.isEmpty
        }
        // Repeats and swaps inside the server are what the seqs are there for: a client never sees a repeat.
        #expect(isFound == (sabotage != .repeatBatch))
    }

    @Test(arguments: EventStream.Fault.Kind.allCases)
    func `a server that loses, repeats or swaps events is found out`(_ kind: EventStream.Fault.Kind) {
        let signs = kind == .repeat ? ["again after"] : ["gap: ", "lost: "]
        let isFound = (0..<200).contains { number in
            var model = StreamModel(seed: UInt64(number), fault: kind)
            model.run(steps: 400)
            return model.wrongs.contains { wrong in signs.contains { wrong.contains($0) } }
        }
        #expect(isFound)
    }

    /// The shortest programme of this seed that goes wrong, by halving.
    private func shortest(_ seed: UInt64) -> Int {
        var (good, bad) = (0, 400)
        while bad - good > 1 {
            let middle = (good + bad) / 2
            var model = StreamModel(seed: seed)
            model.run(steps: middle)
            if model.wrongs.isEmpty { good = middle } else { bad = middle }
        }
        return bad
    }
}
