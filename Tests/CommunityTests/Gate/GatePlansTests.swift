import Postgres
import TestSupport
import Testing

@testable import Community

/// What the gate asks of big tables goes by index.
@Suite(.database(.filled(Rows.sql)))
struct GatePlansTests {
    @Test func `no statement of the gate reads a big table from end to end`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let big = ["post", "thread", "shelf_entry", "reveal", "spoiler_mark", "board_scope", "account"]
            for statement in StatementTypes.of(Gate.self).flatMap({ $0.prepared }) {
                let plan = try await world.genericPlan(of: statement)
                #expect(plan.scans(of: big) == [], "\(statement.name)\n\(plan)")
            }
        }
    }

    @Test func `what opened is found without reading what did not`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            // From 30 % to 31 % in a book with 20,000 posts.
            try await world.asSuperuser(
                "update shelf_entry set position = 3100, status = 'reading', times_read = 0 where id = 1")
            let plan = try await world.executed(
                Gate.Statements.OpenedPosts.self, "viewer: 1, work: 1, from: 3000, to: 3100, origins: '{}'")
            #expect(plan.uses("post_opening"), "\(plan)")
            #expect((plan.rows(through: "post_opening") ?? .max) < 500, "\(plan)")
        }
    }

    @Test func `a merge asks for the gates of those readers alone that it is given`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let plan = try await world.executed(
                Gate.Statements.MergeLevels.self, "from: 1, into: 2, readers: '{1,2,3,4,5}'")
            #expect(plan.rows(through: "shelf_entry_of_reader") == 10, "\(plan)")
            #expect(!plan.uses("shelf_entry_of_work"), "\(plan)")
        }
    }
}

/// 300 readers, 20 works with 200 threads of 100 posts on the first, shelves, reveals and marks.
private enum Rows {
    static let sql = """
        begin;
        set local session_replication_role = replica;
        insert into account (id, username, username_folded, email, email_folded, password_hash)
        select n, 'r' || lpad(n::text, 5, '0'), 'r' || lpad(n::text, 5, '0'), n || '@example.org', n || '@example.org', repeat('x', 30)
          from generate_series(1, 3000) n;
        insert into work (id, title) select n, 'Work ' || n from generate_series(1, 2000) n;
        insert into thread (id, work_id, author_id, kind, title, last_post_id, last_post_at, created_at)
        select n, 1 + case when n <= 200 then 0 else n % 1000 end, 1 + n % 3000, 'discussion', 'A title', 1, now(), now()
          from generate_series(1, 4000) n;
        insert into post (id, thread_id, number, author_id, parent_id, depth, path, scope, text_id, created_at,
                          work_id)
        select thread * 1000 + n, thread, n, 1 + n * 7 % 3000, case when n > 1 then thread * 1000 + 1 end, 0,
               lpad(to_hex(thread * 1000 + n), 16, '0'), ((n * 37 + thread * 11) % 101) * 100, thread * 1000 + n, now(),
               1 + case when thread <= 200 then 0 else thread % 1000 end
          from generate_series(1, 600) thread, generate_series(1, 100) n;
        insert into shelf_entry (id, reader_id, work_id, status, times_read, title_key, author_key, counted, added_at, moved_at)
        select reader * 20 + n - 20, reader, n, 'read', 1, 'k', 'k', false, now(), now()
          from generate_series(1, 3000) reader, generate_series(1, 20) n;
        insert into board_scope (work_id, scope, posts)
        select 1 + n % 1000, n / 1000 * 100, 5 from generate_series(0, 99999) n;
        insert into reveal (id, reader_id, post_id, at)
        select n, 1 + n % 3000, 1001 + n, now() from generate_series(1, 20000) n;
        insert into spoiler_mark (post_id, reader_id, position, by_moderator, at)
        select 1001 + n, 1 + n % 3000, 5000, false, now() from generate_series(1, 20000) n;
        commit;
        analyze;
        """
}
