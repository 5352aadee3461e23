import Postgres
import TestSupport
import Testing

@testable import Community

/// Pages of a feed of which most may not be seen, and of several sources.
@Suite(.database)
struct FeedBoundTests {
    /// Pages as they are walked through, on from the first and back from the last.
    private struct Walk {
        var onward: [[Int64]] = []
        var back: [[Int64]] = []
    }

    private func walk(_ store: Feed.Store, of reader: ID<Accounts.Account>, limit: Int) async throws -> Walk {
        func page(_ start: PageRequest<Feed.Place>.Start) async throws -> Page<Feed.Item, Feed.Place> {
            try await store.home(of: reader, page: PageRequest(start, limit: limit)).page
        }
        var walk = Walk()
        var one = try await page(.first)
        walk.onward.append(one.items.map(\.id))
        while let next = one.next, walk.onward.count < 1_000 {
            one = try await page(.after(next))
            walk.onward.append(one.items.map(\.id))
        }
        walk.back.append(one.items.map(\.id))
        while let previous = one.previous, walk.back.count < 1_000 {
            one = try await page(.before(previous))
            walk.back.insert(one.items.map(\.id), at: 0)
            guard let next = one.next else { break }
            // What lies on from a page that was read backwards is what was read before it.
            let again = try await page(.after(next)).items.map(\.id)
            #expect(Array(walk.back.joined().dropFirst(one.items.count).prefix(again.count)) == again)
        }
        return walk
    }

    /// What `reader` put on a shelf so many seconds ago, in a book of its own; whether friends see it.
    private func shelve(
        _ seconds: [Int], by reader: ID<Accounts.Account>, _ level: Visibility, in world: World
    ) async throws -> [(ago: Int, id: Int64)] {
        var made: [(ago: Int, id: Int64)] = []
        var rows: (works: [String], entries: [String], acts: [String]) = ([], [], [])
        for ago in seconds {
            let id = try world.services.ids.make(Library.Entry.self).rawValue
            let at = (world.clock.now() - .seconds(ago)).text
            rows.works.append("(\(id), 'A title')")
            rows.entries.append(
                "(\(id), \(reader), \(id), 'want', 0, \(level.rawValue), 'a', 'b', false, '\(at)', '\(at)')")
            rows.acts.append("(\(id), \(reader), \(id), 'shelf.want', '\(at)', \(id))")
            made.append((ago, id))
        }
        try await world.asSuperuser(
            """
            insert into work (id, title) values \(rows.works.joined(separator: ", "));
            insert into shelf_entry (id, reader_id, work_id, status, times_read, visibility, title_key, author_key, counted, added_at, moved_at)
            values \(rows.entries.joined(separator: ", "));
            insert into activity (id, reader_id, work_id, kind, at, subject) values \(rows.acts.joined(separator: ", "))
            """)
        return made
    }

    /// Public reviews of a reader who is nobody's friend.
    private func review(
        _ seconds: [Int], by reader: ID<Accounts.Account>, in world: World
    ) async throws -> [(ago: Int, id: Int64)] {
        var made: [(ago: Int, id: Int64)] = []
        for ago in seconds {
            let id = try world.services.ids.make(Reviews.Review.self).rawValue
            let at = (world.clock.now() - .seconds(ago)).text
            try await world.asSuperuser(
                """
                insert into work (id, title) values (\(id), 'A title');
                insert into review (id, reader_id, work_id, body, visibility, counted, created_at)
                values (\(id), \(reader), \(id), 'A text', 3, true, '\(at)');
                insert into activity (id, reader_id, work_id, kind, at, subject)
                values (\(id), \(reader), \(id), 'review.posted', '\(at)', \(id))
                """)
            made.append((ago, id))
        }
        return made
    }

    @Test func `a page looks at a bounded number of acts, ends where it came to, and paging loses nothing`()
        async throws
    {
        try await withWorld { world in
            let (ann, friend) = (try await world.given.reader(), try await world.given.reader())
            try await world.given.friendship(ann, friend)
            // 600 that nobody may see, some of them at one instant; among them and behind them a few that friends may.
            _ = try await shelve((1...600).map { $0 / 3 * 30 }, by: friend, .private, in: world)
            let seen = try await shelve(
                [95, 2_000, 2_001, 2_001, 5_999, 9_000, 900_000], by: friend, .friends, in: world)
            let expected = seen.sorted { ($0.ago, $1.id) < ($1.ago, $0.id) }.map(\.id)
            let store = Feed.Store(world.services, bound: 40)
            for limit in [1, 3, 50] {
                let walk = try await walk(store, of: ann, limit: limit)
                #expect(Array(walk.onward.joined()) == expected, "pages of \(limit)")
                #expect(Array(walk.back.joined()) == expected, "pages of \(limit), backwards")
                #expect(walk.onward.contains([]) && walk.onward.allSatisfy { $0.count <= limit })
            }
            // Unbounded enough, it is one page.
            let whole = try await world.community.feed.home(of: ann, page: PageRequest(limit: 50)).page
            #expect(whole.items.map(\.id) == expected && whole.next == nil)
        }
    }

    @Test func `one page reads no more rounds than its bound allows, however much is hidden`() async throws {
        try await withWorld { world in
            let (ann, friend) = (try await world.given.reader(), try await world.given.reader())
            try await world.given.friendship(ann, friend)
            _ = try await shelve(Array(1...500), by: friend, .private, in: world)
            let page = try await Feed.Store(world.services, bound: 100).home(of: ann, page: PageRequest(limit: 4)).page
            let place = try #require(page.next)
            // 36 (20 and the spare) and 72: with the second it has enough.
            #expect(page.items.isEmpty && place.at == world.clock.now() - .seconds(108))
            let next = try await Feed.Store(world.services, bound: 100).home(
                of: ann, page: PageRequest(.after(place), limit: 4)
            ).page
            #expect(next.items.isEmpty && next.next?.at == world.clock.now() - .seconds(108 + 21 + 42 + 84))
            #expect(next.previous == next.next)
        }
    }

    @Test func `a feed that is filled with the server's reviews holds each once also where its pages are cut`()
        async throws
    {
        try await withWorld { world in
            let (ann, friend) = (try await world.given.reader(), try await world.given.reader())
            try await world.given.friendship(ann, friend)
            _ = try await shelve((1...400).map { $0 * 10 }, by: friend, .private, in: world)
            let own = try await shelve([5, 1_234, 3_999, 8_000], by: friend, .friends, in: world)
            var said: [(ago: Int, id: Int64)] = []
            for stranger in 0..<10 {
                let times = (0..<3).map { ($0 * 10 + stranger + 1) * 150 + 1 }
                said += try await review(times, by: try await world.given.reader(), in: world)
            }
            said.sort { $0.ago < $1.ago }
            let store = Feed.Store(world.services, bound: 50)
            for limit in [2, 7, 40] {
                let walk = try await walk(store, of: ann, limit: limit)
                // One of the reader's own is known when it is decided how many are missing.
                let expected = (own + said.prefix(19)).sorted { $0.ago < $1.ago }.map(\.id)
                #expect(Array(walk.onward.joined()) == expected, "pages of \(limit)")
                #expect(Array(walk.back.joined()) == expected, "pages of \(limit), backwards")
            }
        }
    }

    /// Threads of a group at these times, whose first posts stand.
    private func open(
        _ seconds: [Int], in group: ID<Groups.Group>, by reader: ID<Accounts.Account>, hidden: Bool = false,
        world: World
    ) async throws -> [(ago: Int, id: Int64)] {
        var made: [(ago: Int, id: Int64)] = []
        for ago in seconds {
            let id = try world.services.ids.make(Boards.Thread.self).rawValue
            let post = try world.services.ids.make(Boards.Post.self).rawValue
            let at = (world.clock.now() - .seconds(ago)).text
            try await world.asSuperuser(
                """
                insert into thread (id, group_id, author_id, kind, title, last_post_id, last_post_at, created_at, hidden_at)
                values (\(id), \(group), \(reader), 'discussion', 'T', \(post), '\(at)', '\(at)', \(hidden ? "now()" : "null"));
                insert into post (id, thread_id, number, author_id, depth, path, scope, text_id, created_at)
                values (\(post), \(id), 1, \(reader), 0, lpad(to_hex(\(post)), 16, '0'), 0, \(post), '\(at)');
                insert into post_text (id, post_id, title, body, html, at) values (\(post), \(post), 'T', 'B', '<p>B</p>', '\(at)')
                """)
            made.append((ago, id))
        }
        return made
    }

    @Test func `threads of many groups page with what friends did, in one order, both ways`() async throws {
        try await withWorld { world in
            let (ann, friend, bob) = (
                try await world.given.reader(), try await world.given.reader(), try await world.given.reader()
            )
            try await world.given.friendship(ann, friend)
            var expected = try await shelve((0..<25).map { $0 * 4_000 }, by: friend, .friends, in: world)
            for _ in 0..<3 {
                let club = try await world.given.club(by: bob, with: [(ann, .member)])
                let times = (0..<12).map { _ in world.random.number(in: 0...40) * 50_000 }
                expected += try await open(times, in: club, by: bob, world: world)
                _ = try await open([10, 70_000], in: club, by: bob, hidden: true, world: world)
                _ = try await open([20, 60_000], in: club, by: ann, world: world)
            }
            let ids = expected.sorted { ($0.ago, $1.id) < ($1.ago, $0.id) }.map(\.id)
            for (limit, bound) in [(1, 2_000), (4, 2_000), (9, 25), (100, 2_000)] {
                let walk = try await walk(Feed.Store(world.services, bound: bound), of: ann, limit: limit)
                #expect(Array(walk.onward.joined()) == ids, "pages of \(limit)")
                #expect(Array(walk.back.joined()) == ids, "pages of \(limit), backwards")
            }
        }
    }
}
