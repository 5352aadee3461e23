import TestSupport
import Testing

@testable import Client

/// Whether there was anything to be found, and all of it was looked through.
extension SecretWatch {
    /// In each kind of place the secret was written, and readers who are through were given it there: of what the writer
    /// wrote, every one. And no push went unseen.
    func expectPlenty(in run: RandomRun) {
        let byWriter = Dictionary(grouping: writer.said, by: \.place).mapValues(\.count)
        let byOthers = run.snapshot.written
        var counts: [String] = []
        for place in Secret.Place.allCases {
            let (own, others) = (byWriter[place, default: 0], byOthers[place, default: 0])
            let (found, leaked) = (finisher.count(in: place), beginner.count(in: place))
            #expect(own > 0, "the secret was never written: \(place)")
            #expect(found > 0, "the secret came to nobody: \(place)")
            #expect(leaked == 0, "the secret came to the beginner: \(place)")
            counts.append("\(place) \(own) and \(others), \(found)")
            guard ProofCount.isFull else { continue }
            #expect(others > 0, "nobody but the writer wrote the secret: \(place)")
        }
        print("secrets written by the writer and by the others, and found: \(counts.joined(separator: "; "))")
        for said in writer.said where said.place != .card {
            #expect(finisher.secrets(.response).contains(said.token), "nobody was given \(said.place) \(said.path)")
        }
        for said in writer.said where said.reader == finisher.account.username {
            #expect(finisher.cards.contains(said.token), "nobody was shown the card of \(said.path)")
        }
        for watcher in watchers { expectNothingUnheard(by: watcher) }
    }

    private func expectNothingUnheard(by watcher: Watcher) {
        let (ear, name) = (watcher.ear, watcher.account.username)
        #expect(ear.resets.isEmpty, "what \(name) missed was searched by nobody: \(ear.resets)")
        let ended = topics(for: watcher).filter { !ear.isFollowing($0) }
        #expect(ended.isEmpty, "\(name) was shut out of \(ended)")
        for kind in ["book", "thread", "group", "conversation", "inbox"] {
            #expect(ear.frames[kind, default: 0] > 0, "\(name) heard nothing on any \(kind)")
        }
        #expect(ear.returns > 0, "\(name) was replayed nothing")
        let counts = ear.frames.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        print("pushes to \(name): \(counts.joined(separator: ", ")); topics that ended: \(ear.closed.count)")
    }
}
