import Community
import EventLog
import TestSupport

@testable import Web

/// What is so between the readers of a small community after one step, kept by the test itself.
struct HubScene {
    /// Pairs, the lower id first.
    private var friends: Set<[Int64]> = []
    /// Who blocks, and whom.
    private var blocks: Set<[Int64]> = []
    /// The levels of the reviews that there are.
    private var levels: [Int64: Visibility] = [:]

    func areFriends(_ one: Int64, _ other: Int64) -> Bool { friends.contains([min(one, other), max(one, other)]) }
    func blocks(_ one: Int64, _ other: Int64) -> Bool { blocks.contains([one, other]) }
    func isBlock(between one: Int64, _ other: Int64) -> Bool { blocks(one, other) || blocks(other, one) }

    mutating func befriend(_ one: Int64, _ other: Int64) { friends.insert([min(one, other), max(one, other)]) }
    mutating func part(_ one: Int64, _ other: Int64) { friends.remove([min(one, other), max(one, other)]) }

    mutating func block(_ one: Int64, _ other: Int64) {
        blocks.insert([one, other])
        part(one, other)
    }

    mutating func unblock(_ one: Int64, _ other: Int64) { blocks.remove([one, other]) }
    mutating func set(_ level: Visibility?, of review: Int64) { levels[review] = level }

    /// Whether `viewer` may see what `event` tells of.
    func shows(_ event: LoggedEvent, to viewer: Int64) -> Bool {
        let inboxes = event.places.filter { $0.topic.name.hasPrefix("inbox:") }
        guard inboxes.isEmpty else {
            // What stands in an inbox is shown while its reader may see whose doing it is.
            let isHidden = event.owner.map { $0 != viewer && isBlock(between: $0, viewer) } ?? false
            return inboxes.contains { $0.topic == .inbox(viewer) } && !isHidden
        }
        guard let owner = event.owner, let subject = event.subject else { return false }
        let level = event.subjectKind == "review" ? levels[subject] : Visibility(rawValue: Int16(subject))
        guard let level else { return false }
        if owner == viewer { return true }
        guard !isBlock(between: owner, viewer) else { return false }
        return level >= .members || level == .friends && areFriends(owner, viewer)
    }

    /// Whether the event belongs on the chain that `reader` follows as `name`.
    func places(_ event: LoggedEvent, on name: EventStream.Name, of reader: Int64) -> Bool {
        event.places.contains { place in
            switch name {
            case .book(let id): return place.topic == .book(id)
            case .inbox: return place.topic == .inbox(reader)
            case .home:
                guard place.topic.name.hasPrefix("reader:"), let owner = Int64(place.topic.name.dropFirst(7)) else {
                    return false
                }
                return areFriends(owner, reader)
            }
        }
    }
}

/// Everything that was so, step by step, and everything that happened.
struct HubHistory {
    private(set) var scenes = [HubScene()]
    /// An id made after each step: an event with a lower one is of that step or an earlier one.
    private var marks: [Int64]
    /// The log, oldest first.
    private(set) var log: [LoggedEvent] = []
    private var known: Set<Int64> = []

    init(mark: Int64) { marks = [mark] }

    var now: HubScene { scenes[scenes.count - 1] }

    mutating func append(_ scene: HubScene, mark: Int64) {
        scenes.append(scene)
        marks.append(mark)
    }

    mutating func append(_ events: [LoggedEvent]) {
        log += events
        known.formUnion(events.map(\.seq))
    }

    /// What the log holds behind `seq`, oldest first.
    private func events(after seq: Int64) -> ArraySlice<LoggedEvent> {
        var (low, high) = (0, log.count)
        while low < high {
            let middle = (low + high) / 2
            if log[middle].seq > seq { high = middle } else { low = middle + 1 }
        }
        return log[low...]
    }

    /// What `chain` did wrong in `(after, through]`, and how many of its events could be judged exactly.
    ///
    /// The server asks what is so when it hands an event on, which is some time between the act and now. So what was the same all the while
    /// must have been heeded; of what changed meanwhile, either is right.
    func judge(
        _ chain: FollowedTopic, _ name: EventStream.Name, of reader: Int64, after: Int64, through: Int64
    ) -> (wrongs: [String], judged: Int) {
        var wrongs: [String] = []
        var judged = 0
        let got = Set(chain.seqs.reversed().prefix { $0 > after })
        for event in events(after: after) where event.seq <= through {
            let since = scenes[step(of: event)...]
            let belongs = since.lazy.map { $0.places(event, on: name, of: reader) }
            let may = since.lazy.map { $0.shows(event, to: reader) }
            let isGot = got.contains(event.seq)
            let isShown = chain.visible.contains(event.seq)
            if isGot, !belongs.contains(true) { wrongs.append("\(event.seq) is not of \(name.text)") }
            if isShown, !may.contains(true) { wrongs.append("\(event.seq) is leaked on \(name.text)") }
            // A chain of one's own does not say that there was something to withhold.
            let isOwed = !belongs.contains(false) && (!name.isOwnChain || !may.contains(false))
            if isOwed, !isGot { wrongs.append("\(event.seq) is lost on \(name.text)") }
            if isGot, !isShown, name.isOwnChain || !may.contains(false) {
                wrongs.append("\(event.seq) is withheld on \(name.text)")
            }
            if isGot || isOwed { judged += 1 }
        }
        for seq in got where !known.contains(seq) { wrongs.append("\(seq) never happened") }
        return (wrongs, judged)
    }

    /// The step after which the event was in the outbox.
    private func step(of event: LoggedEvent) -> Int {
        var (low, high) = (0, marks.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if marks[middle] > event.id { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
