import Foundation
import Synchronization
import Testing

@testable import Client

/// What the friend of all writers hears, and how it must be.
enum Listening {
    /// Every posted review that comes on the stream until there are `total`.
    static func listen(
        _ updates: StreamUpdates, until total: Int, whenReady: () -> Void, each: () -> Void = {}
    ) async throws -> [StreamEvent] {
        var events: [StreamEvent] = []
        for try await update in updates {
            switch update {
            case .subscribed: whenReady()
            case .event(let event):
                events.append(event)
                each()
                if events.count == total { return events }
            case .gated(let placeholder): Issue.record("\(placeholder.seq) is gated")
            case .closed(let topic): Issue.record("\(topic) was closed")
            case .reset(_, let why, _): Issue.record("the stream was reset: \(why)")
            }
        }
        return events
    }

    static func check(_ events: [StreamEvent], _ total: Int, _ sourceLocation: SourceLocation) {
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
final class Acknowledged: Sendable {
    private let count: Mutex<Int>
    init(_ done: Int) { count = Mutex(done) }
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

    /// The same readers, who speak to another server of the same community.
    func through(_ url: String) throws -> Writers {
        Writers(
            writers: try writers.map { try CommonplaceClient(url, token: $0.token) },
            friend: try CommonplaceClient(url, token: friend.token), books: books)
    }

    /// All writers at once, each one after the other, until all is written or a call is not answered.
    func write(_ deal: Deal, _ progress: Acknowledged) async throws -> (left: Deal, unanswered: [Deal.Item]) {
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
