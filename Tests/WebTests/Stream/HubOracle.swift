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
    /// The levels of the reviews that there are, by the text that each has.
    private var levels: [Int64: Visibility] = [:]
    /// The posts that stand, by the text that each has.
    private var posts: [Int64: Post] = [:]
    /// How far readers are, by reader and book.
    private var positions: [[Int64]: Int] = [:]

    struct Post {
        let row: PostRow
        let book: Int64
        let scope: Int
    }

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
    mutating func set(_ level: Visibility?, of text: Int64) { levels[text] = level }

    /// The posts of `reader`, oldest first.
    func posts(by reader: Int64) -> [Post] {
        posts.values.filter { $0.row.author.rawValue == reader }.sorted { $0.row.text < $1.row.text }
    }

    mutating func stand(_ post: Post) { posts[post.row.text] = post }
    mutating func fall(_ text: Int64) { posts[text] = nil }
    func position(of reader: Int64, in book: Int64) -> Int { positions[[reader, book], default: 0] }
    mutating func advance(_ reader: Int64, in book: Int64, to position: Int) { positions[[reader, book]] = position }

    /// What `viewer` may have of `event`.
    func form(of event: LoggedEvent, for viewer: Int64) -> EventStream.Form {
        guard event.subjectKind == "text" else { return shows(event, to: viewer) ? .event : .skip }
        guard let post = event.subject.flatMap({ posts[$0] }) else { return .skip }
        let author = post.row.author.rawValue
        if author == viewer { return .event }
        if isBlock(between: author, viewer) { return .skip }
        return post.scope <= position(of: viewer, in: post.book) ? .event : .gated
    }

    /// Whether `viewer` may see what `event` tells of.
    private func shows(_ event: LoggedEvent, to viewer: Int64) -> Bool {
        let inboxes = event.places.filter { $0.topic.name.hasPrefix("inbox:") }
        guard inboxes.isEmpty else {
            // What stands in an inbox is shown while its reader may see whose doing it is.
            let isHidden = event.owner.map { $0 != viewer && isBlock(between: $0, viewer) } ?? false
            return inboxes.contains { $0.topic == .inbox(viewer) } && !isHidden
        }
        guard let owner = event.owner, let subject = event.subject else { return false }
        let level = event.subjectKind == "review_text" ? levels[subject] : Visibility(rawValue: Int16(subject))
        guard let level else { return false }
        if owner == viewer { return true }
        guard !isBlock(between: owner, viewer) else { return false }
        return level >= .members || level == .friends && areFriends(owner, viewer)
    }

    /// Whether the event belongs on the chain that `reader` follows as `name`.
    func places(_ event: LoggedEvent, on name: EventStream.Name, of reader: Int64) -> Bool {
        event.places.contains { place in
            switch name {
            case .book, .thread, .conversation, .group, .server, .moderation, .trending:
                return place.topic.name == name.text
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
            let may = Set(since.map { $0.form(of: event, for: reader) })
            let isGot = got.contains(event.seq)
            let form = chain.form(of: event.seq)
            if isGot, !belongs.contains(true) { wrongs.append("\(event.seq) is not of \(name.text)") }
            // A chain of one's own says only of what its reader sees that it is there.
            if isGot, !may.contains(form) || name.isOwnChain && form != .event {
                wrongs.append("\(event.seq) came as \(form.rawValue) on \(name.text), not as one of \(may)")
            }
            let isOwed = !belongs.contains(false) && (!name.isOwnChain || may == [.event])
            if isOwed, !isGot { wrongs.append("\(event.seq) is lost on \(name.text)") }
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
