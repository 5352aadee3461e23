import Postgres
import TestSupport
import Testing

@testable import Community

/// Lists of which the viewer sees little: a page looks at so much at most, and the list is whole all the same.
@Suite(.database)
struct BoardsLookingTests {
    private static let bound = Limits.boards.looked

    /// A thread of `ann`, with replies of `silent`, who shows them to nobody, but for those at `seen` numbers, which are hers.
    private func thread(
        of count: Int, seen: Set<Int>, on book: ID<Catalog.Work>, by ann: ID<Accounts.Account>,
        silent: ID<Accounts.Account>, in world: World
    ) async throws -> ID<Boards.Thread> {
        let made = try await world.given.thread(on: book, by: ann)
        let numbers = seen.sorted().map(String.init).joined(separator: ", ")
        try await world.asSuperuser(
            """
            insert into privacy (reader_id, discussions) values (\(silent), 0) on conflict do nothing;
            set session_replication_role = replica;
            insert into post (id, thread_id, number, author_id, parent_id, depth, path, scope, text_id, reactions, created_at)
            select \(made.post) + n, \(made.id), n, case when n in (\(numbers)) then \(ann) else \(silent) end, \(made.post), 1,
                   lpad(to_hex(\(made.post)), 16, '0') || lpad(to_hex(\(made.post) + n), 16, '0'), 0, \(made.post) + n, 0, now()
              from generate_series(2, \(count)) n;
            insert into post_text (id, post_id, body, html, at) select id, id, 'body', 'body', now() from post where number > 1
            """)
        return made.id
    }

    /// All of a list, onward and back, and how many pages that took.
    private func walk<Item: Sendable, Key: Sendable>(
        limit: Int, _ read: (PageRequest<Key>) async throws -> Page<Item, Key>
    ) async throws -> (forth: [Item], back: [Item], pages: Int) {
        var (page, pages) = (try await read(PageRequest(limit: limit)), 1)
        var forth = page.items
        while let next = page.next, pages < 100 {
            page = try await read(PageRequest(.after(next), limit: limit))
            (forth, pages) = (forth + page.items, pages + 1)
        }
        var (back, steps) = (page.items, 0)
        while let previous = page.previous, steps < 100 {
            page = try await read(PageRequest(.before(previous), limit: limit))
            (back, steps) = (page.items + back, steps + 1)
        }
        return (forth, back, pages)
    }

    /// Seen are posts before, at and behind each place where looking ends, alone and together.
    @Test(arguments: Boards.PostSort.allCases)
    func `a thread among whose posts few are seen is read whole, both ways`(sort: Boards.PostSort) async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (viewer, ann, silent) = (
                try await world.given.reader(), try await world.given.reader(), try await world.given.reader()
            )
            let seen: Set = [2, Self.bound, Self.bound + 1, 2 * Self.bound + 1, 2 * Self.bound + 700]
            let thread = try await thread(
                of: 3 * Self.bound + 250, seen: seen, on: try await world.given.book(), by: ann, silent: silent,
                in: world)
            let (onward, boards) = (([1] + seen).sorted(), world.community.boards)
            let expected = sort == .newest || sort == .reactions ? onward.reversed() : onward
            for limit in [1, 2, 50] {
                let (forth, back, pages) = try await walk(limit: limit) {
                    try await boards.posts(in: thread, sort: sort, for: .reader(viewer), start: .page($0)).page
                }
                #expect(forth.map(\.number) == expected && back.map(\.number) == expected, "\(sort) by \(limit)")
                #expect((3...12).contains(pages), "\(pages) of \(limit)")
            }
        }
    }

    @Test func `answers of which few are seen are read whole, both ways`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (viewer, ann, silent) = (
                try await world.given.reader(), try await world.given.reader(), try await world.given.reader()
            )
            let seen: Set = [3, 2 * Self.bound]
            let thread = try await thread(
                of: 2 * Self.bound + 10, seen: seen, on: try await world.given.book(), by: ann, silent: silent,
                in: world)
            let boards = world.community.boards
            let first = try await boards.open(thread, for: .reader(viewer)).first
            guard case .whole(let post) = first else { throw Failure.notFound("post") }
            let (forth, back, _) = try await walk(limit: 20) {
                try await boards.replies(to: post.id, for: .reader(viewer), page: $0).page
            }
            #expect(forth.map(\.number) == seen.sorted() && back.map(\.number) == seen.sorted())
        }
    }

    @Test(arguments: Boards.ThreadSort.allCases)
    func `few threads of a kind, or of many that are not seen, are found in every order`(sort: Boards.ThreadSort)
        async throws
    {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (viewer, ann, silent) = (
                try await world.given.reader(), try await world.given.reader(), try await world.given.reader()
            )
            let (book, count) = (try await world.given.book(), 2 * Self.bound + 100)
            // 1,100 discussions, all but three of an author who shows them to nobody; two questions and two quotes; no announcement.
            try await world.asSuperuser(
                """
                insert into privacy (reader_id, discussions) values (\(silent), 0);
                set session_replication_role = replica;
                insert into thread (id, work_id, author_id, kind, title, last_post_id, last_post_at, created_at)
                select 1000 + n, \(book), case when n % 400 = 7 or n > \(count) then \(ann) else \(silent) end,
                       case n - \(count) when 1 then 'question' when 2 then 'quote' when 3 then 'quote' when 4 then 'question'
                            else 'discussion' end, 'Title', 5000 + n, now(), now()
                  from generate_series(1, \(count + 4)) n;
                insert into post (id, thread_id, number, author_id, depth, path, scope, text_id, created_at)
                select last_post_id, id, 1, author_id, 0, lpad(to_hex(last_post_id), 16, '0'), 0, last_post_id, now() from thread;
                insert into post_text (id, post_id, title, body, html, at) select id, id, 'Title', 'body', 'body', now() from post
                """)
            let boards = world.community.boards
            func list(_ kind: Boards.Kind?) async throws -> (threads: [Int64], pages: Int) {
                let (forth, back, pages) = try await walk(limit: 20) {
                    try await boards.threads(on: book, kind: kind, sort: sort, for: .reader(viewer), page: $0).page
                }
                #expect(forth == back)
                let ids: [Int64] = forth.compactMap {
                    if case .whole(let thread) = $0 { thread.id.rawValue } else { nil }
                }
                return (sort == .oldest ? ids : ids.reversed(), pages)
            }
            let discussions = (1...count).filter { $0 % 400 == 7 }.map { Int64(1000 + $0) }
            let others = (1...4).map { Int64(1000 + count + $0) }
            #expect(try await list(nil).threads == discussions + others)
            #expect(try await list(.discussion).threads == discussions)
            for (kind, expected) in [
                (Boards.Kind.question, [others[0], others[3]]), (.quote, [others[1], others[2]]), (.announcement, []),
            ] {
                let found = try await list(kind)
                #expect(found.threads == expected && found.pages == 1, "\(kind)")
            }
        }
    }
}

extension Boards.Shown {
    fileprivate var number: Int {
        switch self {
        case .whole(let post): post.number
        case .gated: -1
        case .tombstone(let tombstone): tombstone.number
        }
    }
}
