import Postgres
import TestSupport
import Testing

@testable import Community

/// Pages of a feed against a plain query over everything.
@Suite(.database)
struct FeedPagesTests {
    /// Friends with acts over a year, many of them at one instant, some hidden, some taken back.
    private func seed(_ world: World, reader: ID<Accounts.Account>) async throws {
        let now = world.clock.now()
        try await world.asSuperuser(
            "insert into work (id, title) select n, 'Title ' || n from generate_series(1, 60) n")
        for _ in 0..<5 {
            let friend = try await world.given.reader()
            try await world.given.friendship(reader, friend)
            for work in 1...30 {
                let id = try world.services.ids.make(Library.Entry.self)
                let level = world.random.number(in: 0...3)
                // Within minutes, within weeks, or within the year; the minute makes some of them one instant.
                let reach = [600, 2_000_000, 31_000_000][world.random.number(in: 0...2)]
                let ago = world.random.number(in: 1...reach) / 60 * 60
                let undone = world.random.once(in: 8) ? "now()" : "null"
                try await world.asSuperuser(
                    """
                    insert into shelf_entry (id, reader_id, work_id, status, times_read, visibility, title_key, author_key, counted, added_at, moved_at)
                    values (\(id), \(friend), \(work), 'want', 0, \(level), 'a', 'b', false, now(), now());
                    insert into activity (id, reader_id, work_id, kind, at, undone_at, subject)
                    values (\(id), \(friend), \(work), 'shelf.want', timestamptz '\(now.text)' - \(ago) * interval '1 s', \(undone), \(id))
                    """)
            }
        }
    }

    @Test func `pages of any size hold what a plain query finds, in both directions`() async throws {
        try await withWorld { world in
            let reader = try await world.given.reader()
            try await seed(world, reader: reader)
            let expected = try await world.asSuperuser(
                """
                select activity.id
                  from activity
                  join friendship on friendship.friend_id = activity.reader_id and friendship.reader_id = \(reader)
                  join shelf_entry on shelf_entry.id = activity.subject
                 where activity.undone_at is null and shelf_entry.visibility >= 1
                 order by activity.at desc, activity.id desc
                """
            ).compactMap { $0[0].flatMap { Int64($0) } }
            #expect(expected.count > 60)
            let feed = world.community.feed
            for limit in [1, 2, 7, 20, 33, 100] {
                var page = try await feed.home(of: reader, page: PageRequest(limit: limit)).page
                var ids = page.items.map(\.id)
                while let next = page.next {
                    page = try await feed.home(of: reader, page: PageRequest(.after(next), limit: limit)).page
                    ids += page.items.map(\.id)
                }
                #expect(ids == expected, "pages of \(limit)")
                var back = page.items.map(\.id)
                var place = page.previous
                while let previous = place {
                    let before = try await feed.home(of: reader, page: PageRequest(.before(previous), limit: limit))
                        .page
                    back = before.items.map(\.id) + back
                    place = before.previous
                }
                #expect(back == expected, "pages of \(limit), backwards")
            }
        }
    }

    @Test func `a source that was cut ends what is known of all, and the first reason is kept`() {
        func key(_ second: Int64) -> TimeKey { TimeKey(at: Timestamp(seconds: second), id: second) }
        func named(_ seconds: [Int64], _ why: Feed.Why) -> [Feed.Candidate] {
            seconds.map { Feed.Candidate(key: key($0), why: why) }
        }
        let round = Feed.Round(
            [named([9, 7, 5], .friend), named([9, 4], .book), named([8, 6, 3], .community)], limit: 3
        ) { $0 > $1 }
        // Friends were read down to 5, the community to 3: of what lies beyond 5 friends may have more.
        #expect(round.horizon == key(5))
        #expect(round.candidates.map(\.key) == [9, 8, 7, 6, 5].map(key))
        #expect(round.candidates.map(\.why) == [.friend, .community, .friend, .community, .friend])
        let whole = Feed.Round([named([9], .book), []], limit: 3) { $0 > $1 }
        #expect(whole.horizon == nil && whole.candidates.count == 1)
    }
}

/// A page costs a look at each friend, not at what each friend did.
@Suite(.database(.filled(Rows.sql)))
struct FeedPlansTests {
    @Test func `a page of a feed reads by index, and of each friend the newest act alone`() async throws {
        try await withWorld { world in
            let tables = ["account", "work", "review", "friendship", "follow", "filling_review"]
            let months = try await world.asSuperuser(
                """
                select relname from pg_inherits join pg_class on pg_class.oid = inhrelid
                 where inhparent = 'activity'::regclass and reltuples > 1000
                """
            ).compactMap { $0[0] }
            #expect(months.count > 5)
            for statement in (StatementTypes.of(Feed.self) + StatementTypes.of(Activity.self)).flatMap({ $0.prepared })
            where !background.contains(statement.name) {
                let plan = try await world.genericPlan(of: statement)
                #expect(plan.scans(of: tables + months).isEmpty, "\(statement.name):\n\(plan)")
            }
            let window = "near.at: now(), near.id: 9223372036854775807, far: now() - interval '30 days'"
            let friends = try await world.executed(
                Feed.Statements.FriendActs.prepared(.onward), "viewer: 1, \(window), limit: 37")
            // The newest of 500 friends in at most two months, then 37 acts of each of 37 friends at most.
            let read = rows(of: friends)
            #expect((500...(2 * 500 + 37 * 37)).contains(read), "\(friends)")
            // With the time of each one's last act, nothing but the acts of those 37.
            let last = try await world.executed(
                Feed.Statements.LastFriendActs.prepared(.onward), "viewer: 1, \(window), limit: 37")
            #expect((37...2 * 37).contains(rows(of: last)), "\(last)")
        }
    }

    /// Two authors with 1,990 reviews each that are newer than all others: those of the one are private, those of the other public.
    private func flood(_ world: World) async throws {
        try await world.asSuperuser(
            """
            insert into review (id, reader_id, work_id, body, visibility, counted, created_at)
            select 100000000 + r * 10000 + w, r, w, 'text', case when r = 1001 then 0 else 3 end, true, now()
              from unnest(array[1001, 1002]) r, generate_series(1, 2000) w
             where w % 200 <> 1;
            insert into activity (id, reader_id, work_id, kind, at, subject)
            select 100000000 + r * 10000 + w, r, w, 'review.posted', now() - w * interval '50 ms', 100000000 + r * 10000 + w
              from unnest(array[1001, 1002]) r, generate_series(1, 2000) w
             where w % 200 <> 1;
            analyze
            """)
    }

    @Test func `what fills a feed costs what it gives, however much a few authors write`() async throws {
        try await withWorld { world in
            try await flood(world)
            let asked = """
                viewer: 1, near.at: now(), near.id: 9223372036854775807, far: now() - interval '30 days', limit: 37, \
                floor.at: now() - interval '90 days', floor.id: 0
                """
            let plan = try await world.executed(
                Feed.Statements.PublicReviews.prepared(.onward),
                "\(asked), newSince: now(), passedOver: \(Limits.feed.passedOver)")
            #expect(rows(of: plan, "filling_review") == 37, "\(plan)")
            // Where all authors are new, so many are passed over and no more.
            try await world.asSuperuser("update account set created_at = now() - interval '9 days' where id = 1")
            let none = try await world.executed(
                Feed.Statements.PublicReviews.prepared(.onward),
                "\(asked), newSince: now() - interval '1 day', passedOver: 100")
            #expect(rows(of: none, "filling_review") == 100, "\(none)")
            for plan in [plan, none] {
                #expect(plan.lines.contains { $0.contains("filling_review_pkey") }, "\(plan)")
                #expect(!plan.lines.contains { $0.contains("->  Sort  (") || $0.hasPrefix("Sort  (") }, "\(plan)")
            }
        }
    }

    /// Entries of an index that were read: those of readers' acts, where none is named.
    private func rows(of plan: QueryPlan, _ index: String? = nil) -> Int {
        let names = index.map { [" using \($0)"] } ?? ["reader_id_at_id_idx", "activity_of_reader"]
        return plan.lines.filter { line in names.contains { line.contains($0) } }
            .compactMap { line in
                line.firstMatch(of: /actual rows=(\d+)(?:\.\d+)? loops=(\d+)/).flatMap { match in
                    Int(match.1).flatMap { rows in Int(match.2).map { rows * $0 } }
                }
            }.reduce(0, +)
    }

    /// For the upkeep, and of rows that are named one by one.
    private let background = [
        "feed.fill_last_acts", "feed.upkeep", "activity.forget_reader", "activity.undo",
        "activity.merge_work_move_acts", "feed.drop_old_filling",
    ]
}

/// What the tests of plans find in the database.
private enum Rows {
    private static let acts = 100_000

    static let sql = """
        insert into account (id, username, username_folded, email, email_folded, password_hash)
        select n, 'reader_' || n, 'reader_' || n, 'r' || n || '@e.org', 'r' || n || '@e.org', '$argon2id$v=19$m=8,t=1,p=1$'
          from generate_series(1, 2000) n;
        insert into work (id, title) select n, 'Title ' || n from generate_series(1, 2000) n;
        insert into friendship select 1, n, now() from generate_series(2, 501) n;
        insert into friendship select a, b, now() from generate_series(502, 1500) a, generate_series(2, 21) b;
        insert into follow (id, reader_id, kind, work_id, at) select n, 1, 'book', n, now() from generate_series(1, 300) n;
        insert into follow (id, reader_id, kind, work_id, at)
        select a * 1000 + b, a, 'book', b, now() from generate_series(2, 300) a, generate_series(1, 20) b;
        insert into review (id, reader_id, work_id, body, visibility, counted, created_at)
        select r * 10000 + w, r, w, 'text', 3, true, now() from generate_series(1, 2000) r, generate_series(1, 2000, 200) w;
        insert into activity (id, reader_id, work_id, kind, at, subject)
        select n, n % 2000 + 1, n / 2000 % 10 * 200 + 1, case when n % 5 = 0 then 'review.posted' else 'book.rated' end,
               now() - n * interval '300 s', (n % 2000 + 1) * 10000 + n / 2000 % 10 * 200 + 1
          from generate_series(1, \(acts)) n;
        analyze
        """
}
