import Postgres
import TestSupport
import Testing

@testable import Community

/// What is read of many notifications goes by index.
@Suite(.database(.filled(Rows.sql)))
struct NotificationsPlansTests {
    @Test func `a page reads a page of its index, with those whom it names`() async throws {
        try await withWorld { world in
            let pages: [(PreparedText, String)] = [
                (
                    Notifications.Statements.List.prepared(.onward),
                    "viewer: 10, at: '9999-01-01', id: 9223372036854775807, limit: 21, isUnread: false, kind: null"
                ),
                (
                    Notifications.Statements.List.prepared(.onward),
                    "viewer: 10, at: now() - interval '800 minutes', id: 900, limit: 21, isUnread: false, kind: null"
                ),
                (
                    Notifications.Statements.List.prepared(.back),
                    "viewer: 10, at: now() - interval '800 minutes', id: 900, limit: 21, isUnread: false, kind: null"
                ),
            ]
            for (statement, arguments) in pages {
                let plan = try await world.executed(statement, arguments)
                #expect(plan.rows(through: "notification_list").map { $0 <= 21 } == true, "\(statement.name):\n\(plan)")
                #expect(plan.rows(through: "notification_actor_pkey").map { $0 <= 63 } == true, "\(plan)")
            }
        }
    }

    @Test func `nothing that readers or each minute ask reads a whole table`() async throws {
        try await withWorld { world in
            let tables = [
                "account", "work", "thread", "post", "post_text", "thread_reader", "board_reader", "notification",
                "review", "review_reply", "review_reaction", "reading_group", "group_member", "group_request",
                "group_invitation",
            ]
            let daily = [Notifications.Statements.Readers.name]
            let asked = StatementTypes.of(Notifications.self).filter { !daily.contains($0.name) }
            for statement in asked.flatMap({ $0.prepared }) {
                let plan = try await world.genericPlan(of: statement)
                #expect(plan.scans(of: tables + ["notification_actor"]).isEmpty, "\(statement.name):\n\(plan)")
            }
        }
    }
}

/// A reader, 10, with 1,000 notifications of which 20 are unread, and 100,000 of 2,000 others; three actors each.
/// Everybody follows thread 1 and the board of book 1. Reviews are answered and groups are full.
private enum Rows {
    static let sql = """
        insert into account (id, username, username_folded, email, email_folded, password_hash, approved_at)
        select n, 'reader_' || n, 'reader_' || n, 'r' || n || '@e.org', 'r' || n || '@e.org', '$argon2id$v=19$m=8,t=1,p=1$', now()
          from generate_series(10, 5009) n;
        insert into work (id, title) select n, 'Title ' || n from generate_series(1, 500) n;
        begin;
        insert into thread (id, work_id, author_id, kind, title, last_post_id, last_post_at, created_at)
        select n, n % 500 + 1, 11 + n % 1000, 'discussion', 'T', n * 100, now(), now() from generate_series(1, 2000) n;
        insert into post (id, thread_id, work_id, number, author_id, depth, path, scope, text_id, created_at)
        select t * 100 + k, t, t % 500 + 1, k + 1, 11 + (t + k) % 1000, 0, lpad(to_hex(t * 100 + k), 16, '0'), k % 2 * 5000,
               t * 100 + k, now()
          from generate_series(1, 2000) t, generate_series(0, 9) k;
        insert into post_text (id, post_id, body, html, at) select id, id, 'words', '<p>words</p>', now() from post;
        commit;
        insert into thread_reader (reader_id, thread_id, watching, at)
        select n, 1, 'followed', now() from generate_series(10, 5009) n;
        insert into board_reader (reader_id, work_id, watching, at)
        select n, 1, 'followed', now() from generate_series(10, 5009) n;
        insert into notification (id, reader_id, kind, subject_id, cause_id, at, actors, seen_at, read_at, mailed_at)
        select n, case when n <= 1000 then 10 else 11 + n % 2000 end, 'thread.reply', n % 2000 + 1, (n % 2000 + 1) * 100 + 1,
               now() - n * interval '1 minute', 3, seen.at, seen.at, seen.at
          from generate_series(1, 101000) n cross join lateral (select case when n > 20 then now() end as at) seen;
        insert into review (id, reader_id, work_id, rating, body, visibility, spoilers, counted, version, created_at)
        select n, 11 + n % 4999, n % 500 + 1, 16, 'words', 3, n % 2 = 0, false, 1, now() from generate_series(1, 20000) n;
        insert into review_reply (id, review_id, number, author_id, spoilers, text_id, body, html, created_at)
        select n, n % 2000 + 1, n / 2000 + 1, 11 + n * 7 % 4999, false, n, 'words', '<p>words</p>', now()
          from generate_series(1, 40000) n;
        insert into review_reaction (review_id, reader_id, name, at)
        select n, 11 + n % 4999, 'like', now() from generate_series(1, 20000) n;
        insert into reading_group (id, name, folded, joining, visibility, members, active_at, created_at)
        select n, 'G', 'g', 'request', 'private', 5, now(), now() from generate_series(1, 2000) n;
        insert into group_member (group_id, reader_id, role, joined_at)
        select n, 10 + (n * 7 + k) % 4999, case k when 0 then 'owner' else 'member' end, now()
          from generate_series(1, 2000) n, generate_series(0, 4) k;
        insert into group_request (group_id, reader_id, at) select n, 1000 + n, now() from generate_series(1, 2000) n;
        insert into group_invitation (group_id, reader_id, inviter_id, at)
        select n, 2000 + n, 10 + n, now() from generate_series(1, 2000) n;
        insert into notification_actor (notification_id, actor_id, cause_id, at)
        select id, 11 + (subject_id + k) % 1000, subject_id * 100 + k, at from notification, generate_series(1, 3) k;
        analyze
        """
}
