import Postgres
import TestSupport
import Testing

@testable import Community

/// When readers did something last, and what feeds make of it.
@Suite(.database)
struct FeedLastActsTests {
    private let friends = 1_001...1_060

    /// 60 friends with four acts each in four days, many at one instant; every fourth act was taken back.
    private func seed(_ world: World, reader: ID<Accounts.Account>) async throws {
        let (from, to) = (friends.lowerBound, friends.upperBound)
        try await world.asSuperuser(
            """
            insert into account (id, username, username_folded, email, email_folded, password_hash, approved_at)
            select n, 'friend_' || n, 'friend_' || n, 'f' || n || '@e.org', 'f' || n || '@e.org', '$argon2id$v=19$m=8,t=1,p=1$', now()
              from generate_series(\(from), \(to)) n;
            insert into work (id, title) select n, 'Title ' || n from generate_series(1, 4) n;
            insert into friendship (reader_id, friend_id, since) select \(reader), n, now() from generate_series(\(from), \(to)) n;
            insert into friendship (reader_id, friend_id, since) select n, \(reader), now() from generate_series(\(from), \(to)) n;
            insert into shelf_entry (id, reader_id, work_id, status, times_read, visibility, title_key, author_key, counted, added_at, moved_at)
            select n * 10 + k, n, k, 'want', 0, 1, 'a', 'b', false, now(), now()
              from generate_series(\(from), \(to)) n, generate_series(1, 4) k;
            insert into activity (id, reader_id, work_id, kind, at, undone_at, subject)
            select n * 10 + k, n, k, 'shelf.want',
                   timestamptz '\(world.clock.now().text)' - (n * 7 + k * 101) % 97 * interval '1 hour',
                   case when (n + k) % 4 = 0 then now() end, n * 10 + k
              from generate_series(\(from), \(to)) n, generate_series(1, 4) k
            """)
    }

    private func ids(_ world: World, _ sql: String) async throws -> [Int64] {
        try await world.asSuperuser(sql).compactMap { $0[0].flatMap { Int64($0) } }
    }

    @Test func `pages hold every act of many friends, also where it is not known when the last was`() async throws {
        try await withWorld { world in
            let reader = try await world.given.reader()
            try await seed(world, reader: reader)
            let expected = try await ids(
                world, "select id from activity where undone_at is null order by at desc, id desc")
            #expect(expected.count == 180)
            let feed = world.community.feed
            func pages(of limit: Int) async throws -> [Int64] {
                var page = try await feed.home(of: reader, page: PageRequest(limit: limit)).page
                var found = page.items.map(\.id)
                while let next = page.next {
                    page = try await feed.home(of: reader, page: PageRequest(.after(next), limit: limit)).page
                    found += page.items.map(\.id)
                }
                return found
            }
            for limit in [1, 5, 50, 100] { #expect(try await pages(of: limit) == expected, "pages of \(limit)") }
            try await world.asSuperuser("delete from reader_last_act where reader_id % 3 = 0")
            for limit in [5, 50] { #expect(try await pages(of: limit) == expected, "unknown, pages of \(limit)") }

            try await feed.upkeep()

            let missing = try await ids(
                world, "select id from account where id not in (select reader_id from reader_last_act)")
            #expect(missing == [])
            #expect(try await world.database.differences(of: Feed.self, "last_acts").isEmpty)
            for limit in [5, 50] { #expect(try await pages(of: limit) == expected, "known again, pages of \(limit)") }
        }
    }

    @Test func `the last act moves on and never back, is known of several written at once, and ends with its reader`()
        async throws
    {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, bob) = (try await world.given.reader(), try await world.given.reader())
            func last(_ reader: ID<Accounts.Account>) async throws -> [[String?]] {
                try await world.asSuperuser(
                    """
                    select at = (select max(at) from activity where reader_id = \(reader))
                      from reader_last_act where reader_id = \(reader)
                    """)
            }
            #expect(try await last(ann).isEmpty)
            let book = try await world.given.book()
            try await world.given.review(by: ann, of: book)
            #expect(try await last(ann) == [["t"]])
            world.clock.advance(by: .seconds(60))
            try await world.given.shelved(book, .read, by: ann)
            #expect(try await last(ann) == [["t"]])
            let now = world.clock.now().text
            try await world.asSuperuser(
                """
                insert into activity (id, reader_id, work_id, kind, at, subject)
                select n, case when n % 2 = 0 then \(ann) else \(bob) end, \(book), 'book.rated',
                       timestamptz '\(now)' - n * interval '1 day', n
                  from generate_series(1, 10) n
                """)
            #expect(try await last(ann) == [["t"]])
            #expect(try await last(bob) == [["t"]])

            try await world.database.run(Activity.Statements.ForgetReader(reader: ann))

            #expect(try await last(ann).isEmpty)
            #expect(try await last(bob) == [["t"]])
        }
    }
}
