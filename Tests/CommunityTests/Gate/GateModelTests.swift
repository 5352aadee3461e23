import Postgres
import TestSupport
import Testing

@testable import Community

/// Everybody at random before every post at random: the gate in SQL says what the rules say.
@Suite(.database) struct GateModelTests {
    /// What the SQL says of each post to each viewer.
    private struct Pairs: Statement {
        static let name = "gate.test_pairs"
        static let sql: SQL<Self> = """
            select viewer.id as viewer, post.id as post, \(Gate.opens(viewer: "viewer.id")) as opens,
                   \(Gate.level(viewer: "viewer.id", work: "thread.work_id")) as level,
                   \(Gate.unveils(viewer: "viewer.id")) as unveils
              from post
              join thread on thread.id = post.thread_id
             cross join unnest(\(\.viewers)::bigint[]) viewer (id)
            """
        let viewers: [Int64]
        static func decode(_ columns: inout Columns) throws -> Answer {
            Answer(
                viewer: try columns("viewer"), post: try columns("post"), opens: try columns("opens"),
                level: try columns("level"), unveils: try columns("unveils"))
        }
    }

    private struct Answer: Sendable {
        let viewer: Int64
        let post: Int64
        let opens: Bool
        let level: Int
        let unveils: Bool
    }

    @Test func `of all pairs of a reader and a post none is leaked and none falsely hidden`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            var readers: [Int64] = []
            for _ in 0..<40 { readers.append(try await world.given.reader().rawValue) }
            let books = try await world.given.books(
                (0..<8).map { Catalog.NewBook(key: "b\($0)", title: "Book \($0)", authors: ["Ada"], year: 1999) })
            let model = GateModel(
                readers: readers, books: books.map(\.rawValue), posts: ProofCount.of(2400), world.random)
            for statement in model.sql { try await world.asSuperuser(statement) }
            let viewers = readers + [0, -1]

            let answers = try await world.database.all(Pairs(viewers: viewers))

            #expect(answers.count == viewers.count * model.posts.count)
            let posts = Dictionary(uniqueKeysWithValues: model.posts.map { ($0.id, $0) })
            var wrong: [String] = []
            var seen = (open: 0, shut: 0, partly: 0)
            for answer in answers {
                let post = try #require(posts[answer.post])
                let expected = (
                    opens: model.opens(post, to: answer.viewer), level: model.gate(of: answer.viewer, in: post.book),
                    unveils: model.unveils(post, to: answer.viewer)
                )
                if (answer.opens, answer.level, answer.unveils) != expected {
                    wrong.append("\(answer): \(expected), \(post), \(model.story(of: answer.viewer, in: post.book))")
                }
                if answer.opens { seen.open += 1 } else { seen.shut += 1 }
                if (1..<10_000).contains(answer.level) { seen.partly += 1 }
            }
            #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(5).joined(separator: "\n"))")
            // Otherwise the test proves nothing.
            #expect(seen.open > 100 && seen.shut > 100 && seen.partly > 100, "\(seen)")
        }
    }
}

/// Readers, what they did with books, and posts, at random; and the rules in plain Swift, which know nothing of SQL.
private struct GateModel {
    struct Entry {
        let status: String
        let position: Int?
        let timesRead: Int
    }

    struct Place: Hashable {
        let reader: Int64
        let thing: Int64
    }

    struct Post {
        let id: Int64
        let thread: Int64
        let book: Int64
        let author: Int64
        let scope: Int
        let also: (book: Int64, scope: Int)?
    }

    private var entries: [Place: Entry] = [:]
    private var off: Set<Int64> = []
    private var gatesRereads: Set<Int64> = []
    private var revealedPosts: Set<Place> = []
    private var revealedThreads: Set<Place> = []
    private var revealedBooks: Set<Place> = []
    private(set) var posts: [Post] = []
    private var threads: [(id: Int64, book: Int64, author: Int64)] = []

    // MARK: The rules

    func gate(of viewer: Int64, in book: Int64) -> Int {
        guard viewer > 0 else { return 0 }
        if off.contains(viewer) || revealedBooks.contains(Place(reader: viewer, thing: book)) { return 10_000 }
        guard let entry = entries[Place(reader: viewer, thing: book)] else { return 0 }
        let isInIt = ["reading", "paused"].contains(entry.status)
        let hasFinished = entry.timesRead > 0 || entry.status == "read"
        if hasFinished, !(isInIt && gatesRereads.contains(viewer)) { return 10_000 }
        return entry.position ?? 0
    }

    func opens(_ post: Post, to viewer: Int64) -> Bool {
        if post.author == viewer { return true }
        if revealedPosts.contains(Place(reader: viewer, thing: post.id)) { return true }
        if revealedThreads.contains(Place(reader: viewer, thing: post.thread)) { return true }
        guard gate(of: viewer, in: post.book) >= post.scope else { return false }
        guard let also = post.also else { return true }
        return gate(of: viewer, in: also.book) >= also.scope
    }

    func unveils(_ post: Post, to viewer: Int64) -> Bool {
        post.author == viewer || revealedPosts.contains(Place(reader: viewer, thing: post.id))
            || gate(of: viewer, in: post.book) == 10_000
    }

    func story(of viewer: Int64, in book: Int64) -> String {
        let entry = entries[Place(reader: viewer, thing: book)].map { "\($0)" } ?? "unshelved"
        return "\(entry), off \(off.contains(viewer)), gates re-reads \(gatesRereads.contains(viewer))"
    }

    // MARK: Making it up

    init(readers: [Int64], books: [Int64], posts count: Int, _ random: TestRandom) {
        for reader in readers {
            if random.once(in: 8) { off.insert(reader) }
            if random.once(in: 3) { gatesRereads.insert(reader) }
            for book in books where !random.once(in: 4) {
                let place = Place(reader: reader, thing: book)
                let status = random.element(of: ["want", "reading", "reading", "paused", "read", "stopped"]) ?? "want"
                let times = status == "read" ? random.number(in: 1...2) : random.once(in: 3) ? 1 : 0
                let position = random.once(in: 4) ? nil : Self.position(random)
                entries[place] = Entry(status: status, position: position, timesRead: times)
                if random.once(in: 10) { revealedBooks.insert(place) }
            }
        }
        for number in 0..<max(1, count / 12) {
            guard let book = random.element(of: books), let author = random.element(of: readers) else { continue }
            threads.append((Int64(1_000 + number), book, author))
        }
        for number in 0..<count {
            let thread = threads[number % threads.count]
            let isFirst = number < threads.count
            let author = isFirst ? thread.author : random.element(of: readers) ?? thread.author
            let other = random.once(in: 5) ? random.element(of: books.filter { $0 != thread.book }) : nil
            posts.append(
                Post(
                    id: Int64(100_000 + number), thread: thread.id, book: thread.book, author: author,
                    scope: Self.position(random), also: other.map { ($0, max(1, Self.position(random))) }))
        }
        for reader in readers {
            for post in posts where random.once(in: 60) { revealedPosts.insert(Place(reader: reader, thing: post.id)) }
            for thread in threads where random.once(in: 30) {
                revealedThreads.insert(Place(reader: reader, thing: thread.id))
            }
        }
    }

    /// Few places, so that many are the very same.
    private static func position(_ random: TestRandom) -> Int {
        random.element(of: [0, 0, 1, 2500, 5000, 5001, 9999, 10_000, random.number(in: 0...10_000)]) ?? 0
    }

    /// What puts all of it into the database.
    var sql: [String] {
        let shelf = entries.enumerated().map { number, pair in
            let position = pair.value.position.map { "\($0)" } ?? "null"
            return
                "(\(number + 1), \(pair.key.reader), \(pair.key.thing), '\(pair.value.status)', \(pair.value.timesRead), \(position), 'k', 'k', false, now(), now())"
        }
        let settings = off.union(gatesRereads).map {
            "(\($0), \(off.contains($0)), \(gatesRereads.contains($0)), now())"
        }
        let opened = threads.map { thread in
            "(\(thread.id), \(thread.book), \(thread.author), 'discussion', 'A title', 1, now(), now())"
        }
        let written = posts.enumerated().map { number, post in
            let path = String(repeating: "0", count: 10) + String(post.id)
            let also = post.also.map { "\($0.book), \($0.scope)" } ?? "null, null"
            return
                "(\(post.id), \(post.thread), \(number / threads.count + 1), \(post.author), 0, '\(path)', \(post.scope), \(also), \(post.id), now())"
        }
        let texts = posts.map { "(\($0.id), \($0.id), 'text', '<p>text</p>', now())" }
        return [
            Self.insert(
                "shelf_entry (id, reader_id, work_id, status, times_read, position, title_key, author_key, counted, added_at, moved_at)",
                shelf),
            Self.insert("gate_setting (reader_id, is_off, gates_rereads, at)", settings),
            Self.insert("thread (id, work_id, author_id, kind, title, last_post_id, last_post_at, created_at)", opened),
            "begin; "
                + Self.insert(
                    "post (id, thread_id, number, author_id, depth, path, scope, also_work_id, also_scope, text_id, created_at)",
                    written)
                + Self.insert("post_text (id, post_id, body, html, at)", texts) + " commit;",
            reveals("post_id", revealedPosts, from: 1), reveals("thread_id", revealedThreads, from: 1_000_000),
            reveals("work_id", revealedBooks, from: 2_000_000),
        ].filter { !$0.isEmpty }
    }

    private func reveals(_ column: String, _ places: Set<Place>, from start: Int) -> String {
        Self.insert(
            "reveal (id, reader_id, \(column), at)",
            places.enumerated().map { "(\(start + $0), \($1.reader), \($1.thing), now())" })
    }

    private static func insert(_ target: String, _ rows: [String]) -> String {
        rows.isEmpty ? "" : "insert into \(target) values \(rows.joined(separator: ", "));"
    }
}
