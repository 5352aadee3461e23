import Postgres
import TestSupport
import Testing

@testable import Community

/// Orders and pages of boards and threads, against the same orders in Swift.
@Suite(.database)
struct BoardsReadSortTests {
    // MARK: Boards

    private struct Opened {
        let made: MadeThread
        let kind: Boards.Kind
        let isSeen: Bool
        let isPinned: Bool
        var lastPost: ID<Boards.Post>
        var hot = 0.0
        var reactions = 0

        var key: Int64 { made.id.rawValue }
    }

    @Test(arguments: Boards.ThreadSort.allCases)
    func `every order of a board is read through pages both ways without a repeat or a hole`(
        sort: Boards.ThreadSort
    ) async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (viewer, book) = (try await world.given.reader(), try await world.given.book())
            let threads = try await makeBoard(book, for: viewer, in: world)
            let expected = sorted(threads.filter { $0.isSeen && !$0.isPinned }, by: sort).map(\.key)
            #expect(expected.count > 5)

            for limit in [1, 7, 100] {
                let (forth, back) = try await walk(limit: limit) {
                    try await world.community.boards.threads(on: book, sort: sort, for: .reader(viewer), page: $0).page
                }
                #expect(forth.map(\.key) == expected, "\(sort) by \(limit)")
                #expect(back.map(\.key) == expected, "\(sort) by \(limit), back")
            }
        }
    }

    @Test func `one kind alone may be asked for, and pinned threads stand apart on the first page`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (viewer, book) = (try await world.given.reader(), try await world.given.book())
            let threads = try await makeBoard(book, for: viewer, in: world).filter(\.isSeen)
            for kind in [Boards.Kind.discussion, .question, .quote, .announcement] {
                let wanted = threads.filter { $0.kind == kind }
                let first = try await world.community.boards.threads(
                    on: book, kind: kind, sort: .newest, for: .reader(viewer), page: PageRequest(limit: 100))
                #expect(first.page.items.map(\.key) == sorted(wanted.filter { !$0.isPinned }, by: .newest).map(\.key))
                #expect(Set(first.pinned.map(\.key)) == Set(wanted.filter(\.isPinned).map(\.key)))
            }
            let all = try await world.community.boards.threads(
                on: book, for: .reader(viewer), page: PageRequest(limit: 3))
            #expect(Set(all.pinned.map(\.key)) == Set(threads.filter(\.isPinned).map(\.key)) && !all.pinned.isEmpty)
            let next = try #require(all.page.next)
            let second = try await world.community.boards.threads(
                on: book, for: .reader(viewer), page: PageRequest(.after(next), limit: 3))
            #expect(second.pinned.isEmpty && second.page.items.count == 3)
        }
    }

    private func sorted(_ threads: [Opened], by sort: Boards.ThreadSort) -> [Opened] {
        threads.sorted { one, other in
            switch sort {
            case .newest: one.made.id > other.made.id
            case .oldest: one.made.id < other.made.id
            case .active: one.lastPost > other.lastPost
            case .hot: (one.hot, one.key) > (other.hot, other.key)
            case .reactions: (one.reactions, one.key) > (other.reactions, other.key)
            }
        }
    }

    /// Forty threads of readers whom the viewer sees, of one who was blocked and of one who says things to nobody; with few different ranks,
    /// so that many are alike; hidden, gated and pinned ones among them.
    private func makeBoard(
        _ book: ID<Catalog.Work>, for viewer: ID<Accounts.Account>, in world: World
    ) async throws -> [Opened] {
        let given = world.given
        let (seen, blocked, silent) = (try await given.reader(), try await given.reader(), try await given.reader())
        try await world.asSuperuser(
            """
            insert into block (blocker_id, blocked_id, at) values (\(viewer), \(blocked), now());
            insert into privacy (reader_id, discussions) values (\(silent), 0)
            """)
        var threads: [Opened] = []
        for n in 0..<40 {
            let author = world.random.element(of: [seen, seen, seen, viewer, blocked, silent]) ?? seen
            let kind = Boards.Kind.allCases[n % 4]
            let made = try await given.thread(
                on: book, by: author, title: "Thread \(n)", kind: kind,
                scope: world.random.once(in: 4) ? .finished : .free)
            let isHidden = world.random.once(in: 10)
            let isSeen = !isHidden && author != blocked && author != silent
            let pins = threads.count(where: \.isPinned)
            let isPinned = isSeen && pins < 4 && (pins == 0 || world.random.once(in: 6))
            if isHidden { try await world.asSuperuser("update thread set hidden_at = now() where id = \(made.id)") }
            if isPinned { try await world.asSuperuser("update thread set pinned_at = now() where id = \(made.id)") }
            threads.append(Opened(made: made, kind: kind, isSeen: isSeen, isPinned: isPinned, lastPost: made.post))
        }
        for index in threads.indices {
            threads[index].hot = Double(world.random.number(in: 0...3)) / 8
            threads[index].reactions = world.random.number(in: 0...3)
            try await world.asSuperuser(
                """
                update thread set hot = \(threads[index].hot), reactions = \(threads[index].reactions)
                 where id = \(threads[index].made.id)
                """)
        }
        for _ in 0..<30 {
            let index = world.random.number(in: 0..<threads.count)
            threads[index].lastPost = try await given.post(in: threads[index].made.id, by: seen)
        }
        return threads
    }

    // MARK: Threads

    @Test(arguments: Boards.PostSort.allCases)
    func `every order of a thread is read through pages both ways without a repeat or a hole`(
        sort: Boards.PostSort
    ) async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (viewer, book) = (try await world.given.reader(), try await world.given.book())
            let thread = try await makeThread(on: book, for: viewer, in: world)
            let expected = try await order(of: thread, by: sort, for: viewer, in: world)
            #expect(expected.count > 15)

            for limit in [1, 7, 100] {
                let (forth, back) = try await walk(limit: limit) {
                    try await world.community.boards.posts(
                        in: thread, sort: sort, for: .reader(viewer), start: .page($0)
                    ).page
                }
                #expect(forth.map(\.key) == expected, "\(sort) by \(limit)")
                #expect(back.map(\.key) == expected, "\(sort) by \(limit), back")
            }
        }
    }

    @Test func `direct answers are read through pages both ways, oldest first`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (viewer, book) = (try await world.given.reader(), try await world.given.book())
            let thread = try await makeThread(on: book, for: viewer, in: world)
            let rows = try await rows(of: thread, for: viewer, in: world)
            for parent in rows where parent.isSeen {
                let expected = rows.filter { $0.parent == parent.id && $0.isSeen }.map(\.id)
                let (forth, back) = try await walk(limit: 2) {
                    try await world.community.boards.replies(
                        to: ID(rawValue: parent.id), for: .reader(viewer), page: $0
                    ).page
                }
                #expect(forth.map(\.key) == expected && back.map(\.key) == expected)
            }
        }
    }

    private struct PostRow {
        let id: Int64
        let parent: Int64?
        let number: Int
        let reactions: Int
        let isSeen: Bool
    }

    /// Sixty posts that answer each other at random, some of them gated, deleted, hidden, or of somebody who was blocked.
    private func makeThread(
        on book: ID<Catalog.Work>, for viewer: ID<Accounts.Account>, in world: World
    ) async throws -> ID<Boards.Thread> {
        let given = world.given
        let (seen, blocked) = (try await given.reader(), try await given.reader())
        try await world.asSuperuser(
            "insert into block (blocker_id, blocked_id, at) values (\(blocked), \(viewer), now())")
        let made = try await given.thread(on: book, by: seen)
        var posts = [made.post]
        for _ in 0..<60 {
            let author = world.random.element(of: [seen, seen, viewer, blocked]) ?? seen
            let parent = world.random.once(in: 4) ? nil : world.random.element(of: posts.suffix(8))
            posts.append(
                try await given.post(
                    in: made.id, by: author, answering: parent, scope: world.random.once(in: 3) ? .finished : .free))
        }
        for post in posts.dropFirst() {
            try await world.asSuperuser(
                "update post set reactions = \(world.random.number(in: 0...2)) where id = \(post)")
            switch world.random.number(in: 0...7) {
            case 0:
                try await world.asSuperuser("update post set deleted_at = now(), text_id = null where id = \(post)")
            case 1: try await world.asSuperuser("update post set hidden_at = now() where id = \(post)")
            default: break
            }
        }
        return made.id
    }

    private func rows(
        of thread: ID<Boards.Thread>, for viewer: ID<Accounts.Account>, in world: World
    ) async throws -> [PostRow] {
        try await world.asSuperuser(
            """
            select post.id, post.parent_id, post.number, post.reactions, post.deleted_at is not null,
                   post.hidden_at is not null, post.replies,
                   exists (select 1 from block where blocker_id = post.author_id and blocked_id = \(viewer))
              from post where thread_id = \(thread) order by number
            """
        ).map { row in
            let isGone = row[4] == "t" || row[5] == "t"
            let staysAsPlace = row[4] == "t" || row[6] != "0"
            return PostRow(
                id: Int64(row[0] ?? "") ?? 0, parent: row[1].flatMap { Int64($0) }, number: Int(row[2] ?? "") ?? 0,
                reactions: Int(row[3] ?? "") ?? 0, isSeen: isGone ? staysAsPlace : row[7] == "f")
        }
    }

    private func order(
        of thread: ID<Boards.Thread>, by sort: Boards.PostSort, for viewer: ID<Accounts.Account>, in world: World
    ) async throws -> [Int64] {
        let rows = try await rows(of: thread, for: viewer, in: world)
        func below(_ parent: Int64?) -> [PostRow] {
            rows.filter { $0.parent == parent }.sorted { $0.id < $1.id }.flatMap { [$0] + below($0.id) }
        }
        let all =
            switch sort {
            case .oldest: rows
            case .newest: Array(rows.reversed())
            case .tree: below(nil)
            case .reactions: rows.sorted { ($0.reactions, $0.number) > ($1.reactions, $1.number) }
            }
        return all.filter(\.isSeen).map(\.id)
    }

    // MARK: Pages

    /// All of a list, read onward, and all of it again, read back from its last page.
    private func walk<Item: Sendable, Key: Sendable>(
        limit: Int, _ read: (PageRequest<Key>) async throws -> Page<Item, Key>
    ) async throws -> (forth: [Item], back: [Item]) {
        var page = try await read(PageRequest(limit: limit))
        var forth = page.items
        while let next = page.next {
            page = try await read(PageRequest(.after(next), limit: limit))
            forth += page.items
        }
        var back = page.items
        while let previous = page.previous {
            page = try await read(PageRequest(.before(previous), limit: limit))
            back = page.items + back
        }
        return (forth, back)
    }
}

extension Boards.ShownThread {
    fileprivate var key: Int64 {
        switch self {
        case .whole(let thread): thread.id.rawValue
        case .gated(let placeholder): placeholder.id
        }
    }
}

extension Boards.Shown {
    fileprivate var key: Int64 {
        switch self {
        case .whole(let post): post.id.rawValue
        case .gated(let placeholder): placeholder.id
        case .tombstone(let tombstone): tombstone.id.rawValue
        }
    }
}
