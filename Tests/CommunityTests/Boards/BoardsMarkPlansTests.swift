import Postgres
import TestSupport
import Testing

@testable import Community

/// What marks, moderation, merges and the end of an account read of large tables goes by index.
@Suite(.database(.filled(Rows.sql)))
struct BoardsMarkPlansTests {
    private static let tables = [
        "account", "thread", "post", "post_text", "post_reaction", "post_reaction_tally", "thread_reader",
        "shelf_entry",
        "friendship", "block", "privacy", "board_scope", "board_reader", "board_read", "work", "reader_tally",
    ]

    @Test func `marks, moderation, merges and the end of an account read by index`() async throws {
        try await withWorld { world in
            for statement in StatementTypes.of(Boards.self).flatMap({ $0.prepared }) {
                let plan = try await world.genericPlan(of: statement)
                #expect(plan.scans(of: Self.tables) == [], "\(statement.name): \(plan)")
            }
        }
    }

    @Test func `a page of thousands of followed threads asks who sees what for that page alone`() async throws {
        try await withWorld { world in
            for (after, before) in [("9223372036854775807", "0"), ("1030000", "1030000")] {
                let onward = try await world.executed(
                    Boards.Statements.FollowedThreads.prepared(.onward), "viewer: 1, place: \(after), limit: 21")
                let back = try await world.executed(
                    Boards.Statements.FollowedThreads.prepared(.back), "viewer: 1, place: \(before), limit: 21")
                for plan in [onward, back] {
                    // Every second or so is seen; nobody asks for all 6,000.
                    #expect(plan.rows(through: "account_pkey").map { $0 <= 200 } == true, "\(plan)")
                    #expect(plan.scans(of: Self.tables).isEmpty, "\(plan)")
                }
            }
        }
    }
}

/// 3,000 readers; 6,000 threads of three posts on 2,000 books; three who follow each thread, one who reacted to each post. Reader 1 follows
/// all threads. Settings of 30,000, most of readers who are not here: one page of texts is then a small part of them.
private enum Rows {
    static let sql = """
        insert into account (id, username, username_folded, email, email_folded, password_hash)
        select n, 'reader_' || n, 'reader_' || n, 'r' || n || '@e.org', 'r' || n || '@e.org', '$argon2id$v=19$m=8,t=1,p=1$'
          from generate_series(1, 3000) n;
        insert into work (id, title) select 900000 + n, 'Title ' || n from generate_series(1, 2000) n;
        set session_replication_role = replica;
        insert into privacy (reader_id, discussions) select n, 1 + n / 3 % 3 from generate_series(2, 90000, 3) n;
        insert into friendship (reader_id, friend_id, since)
        select n, 1 + (n + k) % 3000, now() from generate_series(1, 3000) n, generate_series(1, 5) k;
        insert into block (blocker_id, blocked_id, at) select n, 1 + (n + 7) % 3000, now() from generate_series(1, 3000) n;
        insert into shelf_entry (id, reader_id, work_id, status, times_read, position, title_key, author_key, counted,
                                 added_at, moved_at)
        select n * 10 + k, n, 900000 + 1 + (n + k) % 2000, 'reading', 0, 4000, 't', 'a', true, now(), now()
          from generate_series(1, 3000) n, generate_series(0, 4) k;
        insert into thread (id, work_id, author_id, kind, title, posts, replies, last_post_id, last_post_at, created_at, pinned_at)
        select 1000000 + n * 10, 900001 + n % 2000, 1 + n % 3000, 'discussion', 'Title', 3, 2, 1000000 + n * 10 + 3, now(), now(),
               case when n % 20 = 0 then now() end
          from generate_series(1, 6000) n;
        insert into post (id, thread_id, number, author_id, parent_id, depth, path, scope, also_work_id, also_scope, text_id, created_at)
        select id + k, id, k, 1 + (author_id + k) % 3000, case when k > 1 then id + 1 end, 0, lpad(to_hex(id + k), 16, '0'), k * 3000,
               case k when 2 then 900000 + author_id % 2000 end, case k when 2 then 100 end, id + k, now()
          from thread, generate_series(1, 3) k;
        insert into post_text (id, post_id, body, html, at) select id, id, 'body', 'body', now() from post;
        insert into post_reaction (post_id, reader_id, name, at) select id, 1 + id % 3000, 'like', now() from post;
        insert into post_reaction_tally (post_id, name, n) select id, 'like', 1 from post;
        insert into thread_reader (reader_id, thread_id, read_number, watching, at)
        select 2 + (author_id + k) % 2990, id, 1, 'followed', now() from thread, generate_series(1, 3) k;
        insert into thread_reader (reader_id, thread_id, read_number, watching, at) select 1, id, 1, 'followed', now() from thread;
        insert into board_reader (reader_id, work_id, watching, at)
        select n, 900000 + 1 + (n + k) % 2000, 'muted', now() from generate_series(1, 3000) n, generate_series(1, 3) k;
        insert into board_read (reader_id, board_id, upto_id, at)
        select n, 900000 + 1 + (n + k) % 2000, 1000000, now() from generate_series(1, 3000) n, generate_series(1, 3) k;
        insert into board_scope (work_id, scope, posts)
        select thread.work_id, scope, count(*) from thread join post on thread_id = thread.id group by 1, 2;
        insert into reader_tally (reader_id) select n from generate_series(1, 3000) n;
        set session_replication_role = origin;
        analyze
        """
}
