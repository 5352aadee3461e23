import Community
import EventLog
import TestSupport
import Testing

@testable import Web

/// Readers of a small community on real sockets, doing anything at any moment; see `HubTests`.
final class HubProgramme {
    let stream: StreamServer
    let random: TestRandom
    private let readers: [Signed]
    /// A friend of everybody, whom nobody ever loses: what happens to it comes on every home.
    private let beacon: Signed
    let books: [ID<Catalog.Work>]
    /// One about each book, which the beacon opened.
    let threads: [Int64]
    private let names: [EventStream.Name]
    private let seats: [any HubListener]
    private(set) var history: HubHistory
    /// What each reader's review of each book says, by its text.
    private var reviews: [[Int64]: Int64] = [:]
    /// Events whose delivery was judged, on all chains.
    private(set) var judged = 0
    var published = 0

    init(_ stream: StreamServer, random: TestRandom) async throws {
        let given = stream.world.given
        var readers: [Signed] = []
        for _ in 0..<5 { readers.append(try await given.account()) }
        let beacon = try await given.account()
        var seats: [any HubListener] = []
        for reader in readers + readers { seats.append(try await HubSeat(stream, reader)) }
        var books: [ID<Catalog.Work>] = []
        for _ in 0..<3 { books.append(try await given.book()) }
        var threads: [Int64] = []
        for book in books { threads.append(try await given.threadRow(by: beacon.id, on: book).thread) }
        for (number, book) in books.enumerated() {
            // As rows: what is told of shelves is no part of this.
            try await stream.world.asSuperuser(
                """
                insert into shelf_entry (id, reader_id, work_id, status, position, title_key, author_key, counted,
                                         added_at, moved_at)
                select 10 * row_number() over (order by account.id) + \(number), account.id, \(book), 'reading', 0,
                       'x', 'x', false, now(), now()
                  from account
                """)
        }
        var scene = HubScene()
        for reader in readers {
            try await given.friendship(beacon, reader)
            scene.befriend(beacon.id.rawValue, reader.id.rawValue)
        }
        let names: [EventStream.Name] =
            [.home, .inbox] + books.map { .book($0.rawValue) } + threads.map { .thread($0) }
        for reader in readers.prefix(3) { seats.append(try await HubSourceSeat(stream, reader, names)) }
        (self.stream, self.random, self.readers, self.beacon, self.seats) = (stream, random, readers, beacon, seats)
        (self.books, self.threads, self.names) = (books, threads, names)
        history = HubHistory(mark: try Self.mark(stream))
        history.append(scene, mark: try Self.mark(stream))
    }

    private static func mark(_ stream: StreamServer) throws -> Int64 {
        try stream.world.services.ids.make(Never.self).rawValue
    }

    /// Does `steps` things without waiting for what they bring, then waits for all of it and judges it. Gives what was wrong.
    func run(steps: Int) async throws -> [String] {
        for _ in 0..<steps {
            let scene = try await step()
            history.append(scene, mark: try Self.mark(stream))
        }
        for seat in seats {
            try await eventually(within: .seconds(60), "no answer: \(seat.state)") {
                seat.take(); return seat.isSettled
            }
        }
        let end = try await comeToRest()
        for seat in seats {
            try await eventually(within: .seconds(60), "a chain does not come to \(end)") {
                seat.take()
                return seat.hasReached(end)
            }
        }
        return seats.flatMap { seat in
            let verdict = seat.judge(by: history, end: end)
            judged += verdict.judged
            return verdict.wrongs
        }
    }

    func close() async {
        for seat in seats { await seat.close(isAbrupt: random.once(in: 2)) }
    }

    /// Publishes an event that is on every chain, waits until it is in the log, and gives its seq.
    private func comeToRest() async throws -> Int64 {
        let id = beacon.id.rawValue
        let shared = books.map { Topic.book($0.rawValue) } + threads.map { .thread($0) }
        let topics = [Topic.reader(id)] + readers.map { Topic.inbox($0.id.rawValue) } + shared
        try await stream.publish(-1, on: topics, owner: beacon, level: .public)
        history.append(history.now, mark: try Self.mark(stream))
        let reader = EventLog.Reader(stream.world.database)
        try await eventually(within: .seconds(60)) {
            while case let more = try await reader.events(after: history.log.last?.seq ?? 0, limit: 500), !more.isEmpty
            {
                history.append(more)
            }
            return history.log.last?.places.contains { $0.topic == .reader(id) } == true
        }
        return history.log.last?.seq ?? 0
    }

    // MARK: Steps

    /// Does one thing, and gives what is so afterwards.
    private func step() async throws -> HubScene {
        let seat = seats[random.number(in: 0..<seats.count)]
        let (one, other) = pair()
        let name = names[random.number(in: 0..<names.count)]
        switch random.number(in: 0..<100) {
        case 0..<10: try await publish()
        case 10..<20: return try await post(one)
        case 20..<23: return try await edit(one)
        case 23..<26: return try await hide(one)
        case 26..<30: return try await advance(one)
        case 30..<36:
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    let act = act()
                    group.addTask { [stream] in try await act(stream) }
                }
                try await group.waitForAll()
            }
        case 36..<50: return try await review(one)
        case 50..<54: return try await removeReview(one)
        case 54..<74: try await seat.follow(name, again: random.once(in: 2))
        case 74..<80: seat.leave(name)
        case 80..<86: try await seat.reconnect(isAbrupt: random.once(in: 2))
        case 86..<94: return try await changeFriendship(one, other)
        default: return try await changeBlock(one, other)
        }
        return history.now
    }

    private func pair() -> (Signed, Signed) {
        let first = random.number(in: 0..<readers.count)
        let second = (first + random.number(in: 1..<readers.count)) % readers.count
        return (readers[first], readers[second])
    }

    private func publish() async throws { try await act()(stream) }

    /// Something that a reader did with a book, at any level.
    private func act() -> @Sendable (StreamServer) async throws -> Void {
        let owner = readers[random.number(in: 0..<readers.count)]
        let book = books[random.number(in: 0..<books.count)].rawValue
        let level = Visibility.allCases[random.number(in: 0..<4)]
        published += 1
        return { [published] stream in
            try await stream.publish(
                published, on: [.reader(owner.id.rawValue), .book(book)], owner: owner, level: level)
        }
    }

    private func review(_ reader: Signed) async throws -> HubScene {
        let book = books[random.number(in: 0..<books.count)]
        let level = Visibility.allCases[random.number(in: 0..<4)]
        published += 1
        let review = try await stream.world.given.review(
            by: reader.id, of: book, rating: 3, body: "Thought \(published).", visibility: level)
        let rows = try await stream.world.asSuperuser("select text_id from review where id = \(review.id)")
        let text = rows.first?.first?.flatMap { Int64($0) } ?? 0
        var scene = history.now
        if let former = reviews.updateValue(text, forKey: [reader.id.rawValue, book.rawValue]) {
            scene.set(nil, of: former)
        }
        scene.set(level, of: text)
        return scene
    }

    private func removeReview(_ reader: Signed) async throws -> HubScene {
        let book = books[random.number(in: 0..<books.count)]
        var scene = history.now
        guard let text = reviews.removeValue(forKey: [reader.id.rawValue, book.rawValue]) else { return scene }
        try await stream.world.community.reviews.remove(on: book, by: reader.id)
        scene.set(nil, of: text)
        return scene
    }

    private func changeFriendship(_ one: Signed, _ other: Signed) async throws -> HubScene {
        var scene = history.now
        let (a, b) = (one.id.rawValue, other.id.rawValue)
        if scene.isBlock(between: a, b) { return scene }
        if scene.areFriends(a, b) {
            try await stream.world.community.friends.remove(other.id, of: one.id)
            scene.part(a, b)
        } else {
            try await stream.world.given.friendship(one, other)
            scene.befriend(a, b)
        }
        return scene
    }

    private func changeBlock(_ one: Signed, _ other: Signed) async throws -> HubScene {
        var scene = history.now
        let (a, b) = (one.id.rawValue, other.id.rawValue)
        if scene.blocks(a, b) {
            try await stream.world.community.friends.unblock(other.username, by: one.id)
            scene.unblock(a, b)
        } else if !scene.isBlock(between: a, b) {
            try await stream.world.community.friends.block(other.username, by: one.id)
            scene.block(a, b)
        }
        return scene
    }
}
