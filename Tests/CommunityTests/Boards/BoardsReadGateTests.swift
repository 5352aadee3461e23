import Postgres
import TestSupport
import Testing

@testable import Community

/// What opens to whom, against the rule in Swift; and what lies ahead, against a count.
@Suite(.database)
struct BoardsReadGateTests {
    /// Everything by which a reader's gate is told.
    private enum Standing: String, CaseIterable {
        case anonymous, stranger, wanting, reading, finished, imported, again, gatedAgain, off, revealedPost
        case revealedThread, revealedBook, author, finishedOther
    }

    private struct Reader {
        let standing: Standing
        let viewer: Viewer
        /// Gates for the book and for a later one.
        let level: Int
        let other: Int
    }

    private struct Said {
        let id: ID<Boards.Post>
        let scope: Int
        let also: Int?
        let isFirst: Bool
    }

    private static let position = 4_000

    @Test
    func `a post opens to whom the rule says, and its spoilers to those who have finished, in every list`() async throws
    {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (book, other) = (try await world.given.book(), try await world.given.book())
            let author = try await world.given.reader()
            let (thread, posts) = try await makeThread(on: book, other, by: author, in: world)
            for standing in Standing.allCases {
                let reader = try await make(standing, book, other, author, thread, posts, in: world)
                let boards = world.community.boards
                let listed = try await boards.posts(
                    in: thread, for: reader.viewer, start: .page(PageRequest(limit: 100))
                ).page.items
                let written = try await boards.posts(of: author, for: reader.viewer, page: PageRequest(limit: 100))
                    .items
                #expect(listed.count == posts.count && written.count == posts.count)
                for (index, said) in posts.enumerated() {
                    let one = try await boards.post(said.id, for: reader.viewer)
                    #expect(one == listed[index] && one == written[posts.count - 1 - index])
                    check(one, said, reader)
                }
                let board = try await boards.threads(on: book, for: reader.viewer, page: PageRequest())
                let first = opens(posts[0], to: reader)
                if case .whole = board.page.items[0] { #expect(first) } else { #expect(!first) }
                #expect(board.board.gate == reader.level)
                #expect(board.board.ahead == posts.count { $0.scope > reader.level }, "\(standing)")
                #expect(board.board.posts == posts.count)
            }
        }
    }

    private func opens(_ said: Said, to reader: Reader) -> Bool {
        switch reader.standing {
        case .author, .revealedThread: return true
        case .revealedPost where said.isFirst: return true
        default: return said.scope <= reader.level && (said.also ?? 0) <= reader.other
        }
    }

    private func check(_ shown: Boards.Shown, _ said: Said, _ reader: Reader) {
        let standing = reader.standing
        switch shown {
        case .whole(let post):
            #expect(opens(said, to: reader), "\(standing) sees \(said)")
            let unveils =
                standing == .author || reader.level == Gate.end || standing == .revealedPost && said.isFirst
            #expect(post.text.isVeiled == !unveils, "\(standing) at \(said)")
            #expect(post.text.body == (unveils ? "all of it" : "a part"))
            #expect(post.text.html == (unveils ? "<p>all of it</p>" : "<p>a part</p>"))
        case .gated(let placeholder):
            #expect(!opens(said, to: reader), "\(standing) does not see \(said)")
            // What gives a later book away, too, opens at no position of this one by itself.
            let position = said.also == nil ? said.scope : Gate.end
            #expect(placeholder.position == position && placeholder.id == said.id.rawValue)
            #expect(placeholder.kind == (said.isFirst ? "question" : "reply"))
        case .tombstone: Issue.record("\(said) is gone")
        }
    }

    /// A post for every scope at, before and behind the position, and for a later book.
    private func makeThread(
        on book: ID<Catalog.Work>, _ other: ID<Catalog.Work>, by author: ID<Accounts.Account>, in world: World
    ) async throws -> (ID<Boards.Thread>, [Said]) {
        let position = Self.position
        let first = try #require(Gate.Scope(position: position + 1))
        let made = try await world.given.thread(
            on: book, by: author, kind: .question, scope: first, body: "all of it", veiled: "a part")
        var posts = [Said(id: made.post, scope: position + 1, also: nil, isFirst: true)]
        for scope in [0, 1, position - 1, position, position + 1, Gate.end - 1, Gate.end] {
            for also in [nil, 1, Gate.end] {
                let spoils = try also.map { Boards.Also(book: other, scope: try #require(Gate.Scope(position: $0))) }
                let post = try await world.given.post(
                    in: made.id, by: author, scope: try #require(Gate.Scope(position: scope)), also: spoils,
                    body: "all of it", veiled: "a part")
                posts.append(Said(id: post, scope: scope, also: also, isFirst: false))
            }
        }
        return (made.id, posts)
    }

    private func make(
        _ standing: Standing, _ book: ID<Catalog.Work>, _ other: ID<Catalog.Work>, _ author: ID<Accounts.Account>,
        _ thread: ID<Boards.Thread>, _ posts: [Said], in world: World
    ) async throws -> Reader {
        guard standing != .anonymous else { return Reader(standing: standing, viewer: .anonymous, level: 0, other: 0) }
        let reader = standing == .author ? author : try await world.given.reader()
        var (level, otherLevel) = (0, 0)
        func shelve(_ status: Library.Status, _ set: String) async throws {
            try await world.given.shelved(book, status, by: reader)
            try await world.asSuperuser(
                "update shelf_entry set \(set) where reader_id = \(reader) and work_id = \(book)")
        }
        func reveal(_ column: String, _ id: String) async throws {
            try await world.asSuperuser(
                "insert into reveal (id, reader_id, \(column), at) values (\(reader), \(reader), \(id), now())")
        }
        let isThere = "position = \(Self.position)"
        switch standing {
        case .anonymous, .stranger, .author: break
        case .wanting: try await shelve(.want, "position = null")
        case .reading:
            try await shelve(.reading, isThere)
            level = Self.position
        case .finished:
            try await shelve(.read, "position = null")
            level = Gate.end
        case .imported:
            try await shelve(.stopped, "times_read = 1")
            level = Gate.end
        case .again:
            try await shelve(.reading, "times_read = 1, " + isThere)
            level = Gate.end
        case .gatedAgain:
            try await shelve(.paused, "times_read = 2, " + isThere)
            try await world.asSuperuser(
                "insert into gate_setting (reader_id, gates_rereads, at) values (\(reader), true, now())")
            level = Self.position
        case .off:
            try await world.asSuperuser(
                "insert into gate_setting (reader_id, is_off, at) values (\(reader), true, now())")
            (level, otherLevel) = (Gate.end, Gate.end)
        case .revealedPost: try await reveal("post_id", posts[0].id.text)
        case .revealedThread: try await reveal("thread_id", thread.text)
        case .revealedBook:
            try await reveal("work_id", book.text)
            level = Gate.end
        case .finishedOther:
            try await shelve(.reading, isThere)
            try await world.given.shelved(other, .read, by: reader)
            (level, otherLevel) = (Self.position, Gate.end)
        }
        return Reader(standing: standing, viewer: .reader(reader), level: level, other: otherLevel)
    }

    @Test func `what lies ahead is exactly what stands beyond the gate, at any gate`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (book, elsewhere) = (try await world.given.book(), try await world.given.book())
            let (author, reader) = (try await world.given.reader(), try await world.given.reader())
            try await world.given.shelved(book, .reading, by: reader)
            for work in [book, elsewhere] {
                let made = try await world.given.thread(on: work, by: author)
                for _ in 0..<40 {
                    let scope = Gate.Scope(position: world.random.number(in: 0...20) * 500) ?? .free
                    _ = try await world.given.post(in: made.id, by: author, scope: scope)
                }
            }
            for gate in [0, 1, 499, 500, 5_000, 9_999, 10_000] {
                try await world.asSuperuser("update shelf_entry set position = \(gate) where reader_id = \(reader)")
                let board = try await world.community.boards.threads(
                    on: book, for: .reader(reader), page: PageRequest()
                ).board
                let counted = try await world.asSuperuser(
                    """
                    select count(*), count(*) filter (where scope > \(gate)) from post
                      join thread on thread.id = thread_id where thread.work_id = \(book)
                    """)[0]
                #expect(board.gate == gate)
                #expect([String(board.posts), String(board.ahead)] == counted, "at \(gate)")
            }
            let nobody = try await world.community.boards.threads(
                on: ID(rawValue: 7), for: .anonymous, page: PageRequest())
            #expect(nobody.board == Boards.Board(gate: 0, posts: 0, ahead: 0, watching: nil))
            #expect(nobody.page.items.isEmpty)
        }
    }

    @Test func `a merged book has the board of the one that it was merged into`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (old, book) = (try await world.given.book(), try await world.given.book())
            let reader = try await world.given.reader()
            let made = try await world.given.thread(on: book, by: reader)
            try await world.asSuperuser("update work set merged_into = \(book) where id = \(old)")
            let board = try await world.community.boards.threads(on: old, for: .reader(reader), page: PageRequest())
            #expect(board.board.posts == 1)
            let thread = try #require(board.page.items.first?.whole)
            #expect(thread.id == made.id && thread.unread == 0 && thread.watching == .followed)
        }
    }
}

extension Boards.ShownThread {
    /// `nil` for a placeholder.
    var whole: Boards.Thread? { if case .whole(let thread) = self { thread } else { nil } }
}

extension Boards.Shown {
    /// `nil` for a placeholder and a tombstone.
    var whole: Boards.Post? { if case .whole(let post) = self { post } else { nil } }
}
