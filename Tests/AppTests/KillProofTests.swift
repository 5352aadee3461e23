import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Client

/// `kill -9` in the middle of writing, with everything synced to disk: nothing that was acknowledged is lost, nothing happens twice, and
/// whoever follows along sees all of it once and in order.
@Suite(.serialized) struct KillProofTests {
    @Test(.requirement("RAT-3", "TRE-6"), .timeLimit(.minutes(15)))
    func `killing the server loses no review, doubles none, and leaves the friend's stream whole`() async throws {
        try await prove(kills: ProofCount.isFull ? 3 : 1) { server, _ in await server.kill() }
    }

    @Test(.requirement("RAT-3", "TRE-6"), .timeLimit(.minutes(15)))
    func `killing the server and its Postgres loses no review, doubles none, and leaves the friend's stream whole`()
        async throws
    {
        try await prove(kills: 1) { server, program in
            let postmaster = try #require(program.postmaster())
            Foundation.kill(postmaster, SIGKILL)
            await server.kill()
            try await eventually(within: .seconds(30)) { Foundation.kill(postmaster, 0) != 0 }
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
                        try await Self.listen(updates, until: total) { isListening.withLock { $0 = true } }
                    }
                    try await eventually(within: .seconds(30)) { isListening.withLock { $0 } }
                    for round in 0...kills {
                        let goal = round < kills ? total * (round + 1) / (kills + 1) : nil
                        let progress = Progress(done: left.done)
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
                Self.check(seen, total, sourceLocation)
                try await community.checkStored(total, sourceLocation)
            }

            print("kill proof: \(total) reviews, \(kills) kills, \(inDoubt) in doubt, 0 lost, 0 twice")
            if ProofCount.isFull { #expect(inDoubt >= 1, "a kill with nothing in doubt proves nothing") }
            #expect(await server.stop() == 0)
            let check = try await program.run("check")
            #expect(check.status == 0, "\(check.output)\(check.errors)")
        }
    }

    /// Every posted review that comes on the stream until there are `total`.
    private static func listen(
        _ updates: StreamUpdates, until total: Int, whenReady: () -> Void
    ) async throws -> [StreamEvent] {
        var events: [StreamEvent] = []
        for try await update in updates {
            switch update {
            case .subscribed: whenReady()
            case .event(let event):
                events.append(event)
                if events.count == total { return events }
            case .reset(_, let why, _): Issue.record("the stream was reset: \(why)")
            }
        }
        return events
    }

    private static func check(_ events: [StreamEvent], _ total: Int, _ sourceLocation: SourceLocation) {
        #expect(events.allSatisfy { $0.kind == "review.posted" }, sourceLocation: sourceLocation)
        #expect(
            zip(events, events.dropFirst()).allSatisfy { $0.seq < $1.seq }, "out of order",
            sourceLocation: sourceLocation)
        let bodies = events.compactMap { $0.data["review"]?["body"]?.string }
        #expect(Set(bodies).count == total, "lost or twice on the stream", sourceLocation: sourceLocation)
        for (name, own) in Dictionary(grouping: bodies, by: { $0.drop { $0 != "b" } }) {
            let numbers = own.compactMap { Int($0.split(separator: " ")[1]) }
            #expect(numbers == numbers.sorted(), "out of the order of \(name)", sourceLocation: sourceLocation)
        }
    }
}

/// What is still to be written, dealt out to the writers.
struct Deal: Sendable {
    /// One review to be written.
    struct Item: Sendable, Hashable {
        let writer: Int
        let book: String
        /// Names the review: no other has the same.
        let body: String
        /// The same at every try.
        let key: String
    }

    /// By writer, the next one last.
    var items: [[Item]]
    var done = 0

    init(writers: Int, books: [String], total: Int) {
        items = (0..<writers).map { writer in
            (0..<total / writers).map { number in
                Item(
                    writer: writer, book: books[number], body: "Review \(number) by writer \(writer).",
                    key: "\(UUID().uuidString)")
            }.reversed()
        }
    }
}

/// Acknowledged reviews so far.
final class Progress: Sendable {
    private let count: Mutex<Int>
    init(done: Int) { count = Mutex(done) }
    var done: Int { count.withLock { $0 } }
    func add() { count.withLock { $0 += 1 } }
}

/// The readers of the proof: those who write, and the friend of all of them.
struct Writers: Sendable {
    let writers: [CommonplaceClient]
    let friend: CommonplaceClient
    let books: [String]

    static func gather(_ count: Int, on program: Program) async throws -> Writers {
        let client = try program.client()
        let password = UUID().uuidString
        func register(_ name: String) async throws -> SignedIn {
            try await client.register(username: name, email: "\(name)@example.org", password: password)
        }
        let friend = try await register("friend")
        var writers: [CommonplaceClient] = []
        for number in 0..<count {
            let writer = try await register("writer_\(number)").client
            try await writer.acceptFriendship(try await friend.client.requestFriendship(with: "writer_\(number)"))
            writers.append(writer)
        }
        var books: [String] = []
        var cursor: String?
        repeat {
            let page = try await client.books(limit: 100, after: cursor)
            books += page.items.map(\.id)
            cursor = page.nextCursor
        } while cursor != nil && books.count < 200
        return Writers(writers: writers, friend: friend.client, books: books)
    }

    /// All writers at once, each one after the other, until all is written or a call is not answered.
    func write(_ deal: Deal, _ progress: Progress) async throws -> (left: Deal, unanswered: [Deal.Item]) {
        try await withThrowingTaskGroup(of: (Int, [Deal.Item], Deal.Item?).self) { group in
            for (number, items) in deal.items.enumerated() {
                group.addTask {
                    var items = items
                    while let item = items.popLast() {
                        do {
                            try await send(item)
                            progress.add()
                        } catch ClientError.refused(let problem) where problem.status != 503 {
                            throw ClientError.refused(problem)
                        } catch is ClientError {
                            return (number, items, item)
                        }
                    }
                    return (number, [], nil)
                }
            }
            var left = deal
            var unanswered: [Deal.Item] = []
            for try await (number, items, item) in group {
                left.items[number] = items
                if let item { unanswered.append(item) }
            }
            left.done = progress.done
            return (left, unanswered)
        }
    }

    /// Sends again what was not answered, with the same keys.
    func `repeat`(_ items: [Deal.Item]) async throws {
        for item in items { try await send(item) }
    }

    private func send(_ item: Deal.Item) async throws {
        try await writers[item.writer].review(book: item.book, rating: 4, body: item.body, key: item.key)
    }

    /// Each review is there, as it was written, and was never written a second time.
    func checkStored(_ total: Int, _ sourceLocation: SourceLocation) async throws {
        for (number, writer) in writers.enumerated() {
            for (place, book) in books.prefix(total / writers.count).enumerated() {
                let answer = try await writer.transport.perform(
                    {
                        var call = HTTPCall(.get, "/api/v1/books/\(book)/review")
                        call.token = writer.token
                        return call
                    }())
                let review = try JSONDecoder().decode(JSONValue.self, from: Data(answer.body))
                #expect(
                    review["body"]?.string == "Review \(place) by writer \(number).", sourceLocation: sourceLocation)
                #expect(review["version"]?.number == 1, "written twice", sourceLocation: sourceLocation)
            }
        }
    }
}
