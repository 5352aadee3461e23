import Jobs
import Postgres
import TestSupport
import Testing

@testable import Community

/// A board with posts at 1000, 2000, … 9000 and 10000, newest last.
struct GateBoard {
    let book: ID<Catalog.Work>
    let thread: ID<Boards.Thread>
    let author: ID<Accounts.Account>
    var posts: [Int: ID<Boards.Post>] = [:]

    init(in world: World) async throws {
        (book, author) = (try await world.given.book(), try await world.given.reader())
        let made = try await world.given.thread(on: book, by: author)
        thread = made.id
        for position in stride(from: 1000, through: 10_000, by: 1000) {
            posts[position] = try await world.given.post(in: thread, by: author, scope: try world.upto(position))
        }
    }

    /// The payload of the event that tells of the posts at these positions; `work`: what the book was merged into.
    func data(_ positions: [Int], as work: ID<Catalog.Work>? = nil) -> String {
        World.unlocked(positions.compactMap { posts[$0] }, of: work ?? book)
    }
}

extension World {
    /// The payload of an event that tells of these posts.
    static func unlocked(_ posts: [ID<Boards.Post>], of book: ID<Catalog.Work>) -> String {
        let ids = posts.sorted(by: >).map { #""\#($0)""# }.joined(separator: ", ")
        return #"{"ids": [\#(ids)], "book": {"id": "\#(book)"}, "has_more": false, "post_count": \#(posts.count)}"#
    }

    /// What the inbox of `reader` is told, and nobody else's, after the jobs have run.
    func told(_ reader: ID<Accounts.Account>) async throws -> [String] {
        try await clearOutbox()
        try await tellOfOpenGates()
        let events = try await outbox()
        #expect(events.allSatisfy { $0.kind == "posts.unlocked" && $0.topics == "{inbox:\(reader)}" })
        return events.map(\.data)
    }

    /// How many jobs of a kind wait.
    func jobs(_ kind: String) async throws -> Int {
        let rows = try await asSuperuser("select count(*) from job where kind = '\(kind)' and state = 'ready'")
        return rows.first?.first.flatMap { $0.flatMap { Int($0) } } ?? -1
    }
}
