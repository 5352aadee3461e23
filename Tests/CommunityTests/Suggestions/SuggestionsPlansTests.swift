import Postgres
import TestSupport
import Testing

@testable import Community

/// What is read for a list is bounded, also for a reader of 20,000 books and with 400 friends.
@Suite(.database(.filled(Suggested.rows)))
struct SuggestionsPlansTests {
    private static let tables = [
        "account", "work", "work_popularity", "browse_entry", "browse_scope", "related_work", "shelf_entry", "reading",
        "friendship", "praise", "edition", "work_series", "work_shelf",
    ]

    @Test func `suggestions look at the last hundred books of a reader, and twenty neighbours of each`() async throws {
        try await withWorld { world in
            let plan = try await world.executed(
                Suggestions.Statements.Own.self, "viewer: 1, now: now(), today: current_date")
            #expect(plan.scans(of: Self.tables).isEmpty, "\(plan)")
            #expect(plan.rows(through: "shelf_entry_lately") == 100, "\(plan)")
            let neighbours = try #require(plan.rows(through: "related_work_pkey"), "\(plan)")
            #expect((1_000...2_000).contains(neighbours), "\(plan)")
            // One look-up for each that was found, not all shelves.
            let shelved = try #require(plan.rows(through: "shelf_entry_of_reader"), "\(plan)")
            #expect(shelved <= neighbours, "\(plan)")
            let explained = try await world.executed(
                Suggestions.Statements.Contributions.self, "viewer: 1, work: 7, now: now()")
            #expect(explained.scans(of: Self.tables).isEmpty, "\(explained)")
        }
    }

    @Test func `what is related is read of one work, and of the most popular books of eight scopes`() async throws {
        try await withWorld { world in
            let plan = try await world.executed(
                Suggestions.Statements.Related.self, "work: 7, now: now(), today: current_date")
            #expect(plan.scans(of: Self.tables).isEmpty, "\(plan)")
            #expect(plan.rows(through: "related_work_pkey") == 30, "\(plan)")
            let popular = try #require(plan.rows(through: "browse_entry_popularity"), "\(plan)")
            #expect((1...320).contains(popular), "\(plan)")
        }
    }

    @Test func `of friends a bounded part of what each says is read`() async throws {
        try await withWorld { world in
            let plan = try await world.executed(
                Suggestions.Statements.OfFriends.self, "viewer: 1, now: now(), today: current_date")
            #expect(plan.scans(of: Self.tables).isEmpty, "\(plan)")
            let limits = Limits.suggestions
            #expect(plan.rows(through: "praise_in_order") == limits.friends * limits.recommendationsOfFriend, "\(plan)")
            #expect(plan.rows(through: "shelf_entry_added") == limits.friends * limits.readOfFriend, "\(plan)")
        }
    }

    @Test func `pairs are read by reader, a part at a time`() async throws {
        try await withWorld { world in
            let plan = try await world.executed(Suggestions.Statements.PairsOfReaders.self, "reader: 1, work: 100")
            #expect(plan.scans(of: Self.tables).isEmpty, "\(plan)")
            let more = try await world.genericPlan(of: Suggestions.Statements.DropRows.prepared[0])
            #expect(more.scans(of: ["related_work"]).isEmpty, "\(more)")
        }
    }
}

/// A reader of 20,000 books with 400 friends. Each friend has 60 books.
enum Suggested {
    static let rows = """
        set session_replication_role = replica;
        insert into author (id, name) select n, 'Author ' || n from generate_series(1, 5000) n;
        insert into work (id, title, year) select n, 'Book ' || n, 1990 from generate_series(1, 20000) n;
        insert into work_popularity (work_id, readers, listed) select n, 20000 / n, true from generate_series(1, 20000) n;
        insert into work_author (work_id, position, author_id) select n, 1, 1 + n % 5000 from generate_series(1, 20000) n;
        insert into edition (id, work_id, year) select n, n, 1990 from generate_series(1, 20000) n;
        insert into browse_scope (id, kind, key, is_big, members)
        select 100000 + n, 'author', n::text, false, 4 from generate_series(1, 5000) n;
        insert into browse_scope (id, kind, key, is_big, members)
        select 200000 + n, 'genre', 'g' || n, true, 2000 from generate_series(0, 9) n;
        update browse_scope set members = 20000 where id = 0;
        insert into browse_entry (scope_id, work_id, popularity, rating, pages, year, title, author, big_scope)
        select scope, n, (20000 / n)::bigint, 0, 300, 1990, 't', 'a', case when scope < 200000 and scope > 0 then null else scope end
          from generate_series(1, 20000) n
         cross join lateral (values (0::bigint), (100001 + n % 5000), (200000 + n % 10)) s (scope);
        insert into account (id, username, username_folded, email, email_folded, password_hash, created_at, verified_at)
        select n, 'reader_' || n, 'reader_' || n, 'r' || n || '@example.org', 'r' || n || '@example.org', repeat('x', 100),
               now() - interval '99 days', now()
          from generate_series(1, 500) n;
        insert into shelf_entry (id, reader_id, work_id, status, times_read, title_key, author_key, counted, added_at, moved_at)
        select n, 1, n, 'read', 1, 't', 'a', true, now() - n * interval '1 hour', now() - n * interval '1 hour'
          from generate_series(1, 19000) n;
        insert into shelf_entry (id, reader_id, work_id, status, times_read, title_key, author_key, counted, added_at, moved_at)
        select 100000 + reader * 1000 + n, reader, 19000 + (reader * 7 + n) % 1000, 'read', 1, 't', 'a', true, now(), now()
          from generate_series(2, 500) reader, generate_series(1, 60) n;
        insert into reading (id, entry_id, reader_id, outcome, finished, finished_unit, created_at, ended_at)
        select n, n, 1, 'finished', current_date - 1, 'day', now(), now() from generate_series(1, 19000) n;
        insert into friendship (reader_id, friend_id, since) select 1, n, now() from generate_series(2, 401) n;
        insert into friendship (reader_id, friend_id, since) select n, 1, now() from generate_series(2, 401) n;
        insert into reader_last_act (reader_id, at) select n, now() - n * interval '1 minute' from generate_series(1, 500) n;
        insert into praise (id, reader_id, work_id, kind, place, counted, created_at)
        select reader * 1000 + n, reader, 18900 + (reader + n) % 1000, 'recommendation', n, true, now()
          from generate_series(2, 401) reader, generate_series(1, 40) n;
        insert into work_shelf (work_id, read) select n, 2 from generate_series(1, 20000) n;
        insert into series (id, name, folded, author_folded) select n, 'S', n::text, '' from generate_series(1, 500) n;
        insert into work_series (work_id, place, series_id, ordinal) select n, 1, 1 + n % 500, n from generate_series(1, 20000) n;
        insert into related_generation (as_of, made_at, readers, row_count) values (now(), now(), 500, 600000);
        insert into related_current (generation_id) select max(id) from related_generation;
        insert into related_work (generation_id, work_id, other_id, score, readers, rank)
        select (select max(id) from related_generation), n, 1 + (n + 613 * rank) % 20000, 0.5 / rank, 3, rank
          from generate_series(1, 20000) n, generate_series(1, 30) rank;
        set session_replication_role = origin;
        analyze
        """
}
