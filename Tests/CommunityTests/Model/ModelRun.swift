import Community
import EventLog
import Jobs
import Postgres
import TestSupport

/// One small community on two servers: readers do at random what they may and may not, through the one and the other, and after it all pages of
/// all of them, and all that was pushed, are held against `SmallCommunity`.
struct ModelRun {
    /// What the servers share, and what stays from one community to the next.
    struct Stage {
        let servers: [Community]
        let clock: TestClock
        let relays: [EventLog.Relay]
        let workers: [Jobs.Worker]
        /// How far the log was read.
        var seq: Int64 = 0
        /// Pages that were held against the rules, and pairs of an event and a reader.
        var pages = 0
        var deliveries = 0
        /// How often each act was done, and how often refused.
        var done: [String: Int] = [:]
        var refused: [String: Int] = [:]
    }

    let random: TestRandom
    var state: SmallCommunity
    var names: ModelNames
    var acts: [String] = []
    /// What is otherwise than the rules say.
    var wrongs: [String] = []

    init(_ number: Int, readers: [Accounts.Identity], works: [ID<Catalog.Work>]) {
        random = TestRandom(for: "graph \(number)")
        // Of one length: a search for the one does not find another by its beginning.
        state = SmallCommunity(
            usernames: readers.map(\.username), works: works.count, word: "graph\(1_000_000 + number)")
        names = ModelNames(readers: readers, works: works)
    }

    /// Acts, delivers now and then, and looks at everything at the end; ends with the first difference.
    mutating func run(on stage: inout Stage) async throws {
        let steps = random.number(in: 20...48)
        for step in 0..<steps {
            guard let (reader, act) = draw(step) else { continue }
            let server = stage.servers[random.number(in: 0..<stage.servers.count)]
            stage.clock.advance(by: .seconds(7))
            let found = await perform(act, by: reader, on: server)
            let expected = state.apply(act, by: reader)
            acts.append("r\(reader) \(act): \(found)")
            let name = "\(act)".prefix { $0 != "(" }
            if found == "ok" {
                stage.done[String(name), default: 0] += 1
            } else {
                stage.refused[String(name), default: 0] += 1
            }
            guard found == expected else {
                wrongs.append("r\(reader) \(act) was answered \(found), not \(expected)")
                return
            }
            if random.once(in: 6) { try await deliver(on: &stage) }
            guard wrongs.isEmpty else { return }
        }
        try await deliver(on: &stage)
        guard wrongs.isEmpty else { return }
        try await compare(on: &stage)
    }

    // MARK: Pages

    /// Everything that each reader, and nobody in particular, is shown, by the one server or the other.
    mutating func compare(on stage: inout Stage) async throws {
        let sorts = state.threads.map { _ in random.element(of: Boards.PostSort.allCases) ?? .oldest }
        let (state, names) = (state, names)
        var looks: [(viewer: Int, other: Int, witness: ModelWitness)] = []
        for viewer in [SmallCommunity.anonymous] + state.readers {
            let other = random.element(of: state.readers.filter { $0 != viewer }) ?? 0
            let server = stage.servers[random.number(in: 0..<stage.servers.count)]
            looks.append((viewer, other, ModelWitness(community: server, names: names, viewer: viewer)))
        }
        let word = state.word
        let seen = try await withThrowingTaskGroup(of: (Int, Pages).self) { group in
            for (place, look) in looks.enumerated() {
                let (witness, other) = (look.witness, look.other)
                group.addTask { (place, try await witness.pages(other, sorts, word: word)) }
            }
            var seen = [Pages](repeating: [:], count: looks.count)
            for try await (place, pages) in group { seen[place] = pages }
            return seen
        }
        for (look, found) in zip(looks, seen) {
            let expected = state.pages(for: look.viewer, look.other, sorts)
            stage.pages += expected.count
            for page in Set(expected.keys).union(found.keys).sorted() where expected[page] != found[page] {
                let who = look.viewer == SmallCommunity.anonymous ? "nobody" : "r\(look.viewer)"
                wrongs.append(
                    """
                    \(page) for \(who) is
                    \(found[page] ?? "missing")
                    and should be
                    \(expected[page] ?? "missing")
                    """)
            }
        }
    }
}
