import Postgres
import TestSupport
import Testing

@testable import Community

/// What is read of many groups goes by index, and a page costs a page.
@Suite(.database(.filled(Rows.sql)))
struct GroupsPlansTests {
    @Test func `a page of the directory, of members and of requests reads a page of its index`() async throws {
        try await withWorld { world in
            let pages: [(PreparedText, String, String)] = [
                (
                    Groups.Statements.Directory.prepared(Both(.newest, .onward)), "reading_group_newest",
                    "viewer: 10, prefix: '', end: U&'\\+10FFFF', limit: 21, id: 9223372036854775807"
                ),
                (
                    Groups.Statements.Directory.prepared(Both(.members, .onward)), "reading_group_biggest",
                    "viewer: 10, prefix: '', end: U&'\\+10FFFF', limit: 21, rank: 200, id: 9223372036854775807"
                ),
                (
                    Groups.Statements.Directory.prepared(Both(.active, .onward)), "reading_group_active",
                    "viewer: 10, prefix: '', end: U&'\\+10FFFF', limit: 21, at: '9999-01-01', id: 9223372036854775807"
                ),
                (
                    Groups.Statements.Directory.prepared(Both(.name, .onward)), "reading_group_named",
                    "viewer: 10, prefix: 'group 1', end: U&'group 1\\+10FFFF', limit: 21, name: 'group 1', id: 0"
                ),
                (
                    Groups.Statements.Members.prepared(.onward), "group_member_list",
                    "viewer: 10, group: 10001, at: now() + interval '1000 seconds', id: 0, limit: 21"
                ),
                (
                    Groups.Statements.Requests.prepared(.onward), "group_request_list",
                    "viewer: 10, group: 10001, at: now() + interval '3000 seconds', id: 0, limit: 21"
                ),
                (
                    Groups.Statements.OfReader.prepared(.onward), "group_member_of_reader",
                    "viewer: 10, reader: 10, place: 10150, limit: 21"
                ),
                (
                    Groups.Statements.Bans.prepared(.onward), "group_ban_list",
                    "viewer: 10, group: 10001, at: now() + interval '3000 seconds', id: 0, limit: 21"
                ),
            ]
            for (statement, index, arguments) in pages {
                // Members of one group may be sorted: they have a bound.
                let isSorted = statement.name == Groups.Statements.Members.prepared(.onward).name
                let bound = isSorted ? Limits.groups.members : 61
                let plan = try await world.executed(statement, arguments)
                #expect(plan.rows(through: index).map { $0 <= bound } == true, "\(statement.name):\n\(plan)")
            }
        }
    }

    @Test func `no request reads a whole table`() async throws {
        try await withWorld { world in
            let tables = [
                "account", "work", "reading_group", "group_member", "group_request", "group_invitation", "group_ban",
                "thread",
                "post",
            ]
            for statement in StatementTypes.of(Groups.self).flatMap({ $0.prepared }) {
                let plan = try await world.genericPlan(of: statement)
                #expect(plan.scans(of: tables).isEmpty, "\(statement.name):\n\(plan)")
            }
        }
    }
}

/// 4,000 groups of five members; reader 10 is in the first 200, the first has 2,000 members, as many requests and
/// threads.
private enum Rows {
    static let sql = """
        insert into account (id, username, username_folded, email, email_folded, password_hash, approved_at)
        select n, 'reader_' || n, 'reader_' || n, 'r' || n || '@e.org', 'r' || n || '@e.org', '$argon2id$v=19$m=8,t=1,p=1$', now()
          from generate_series(10, 5009) n;
        insert into work (id, title) select n, 'Title ' || n from generate_series(1, 2000) n;
        insert into reading_group (id, name, folded, joining, visibility, members, maker_id, work_id, active_at, created_at)
        select 10000 + n, 'Group ' || n, 'group ' || n, 'request', case when n % 4 = 0 then 'private' else 'public' end,
               n % 500 + 1, 10 + n, n % 2000 + 1, now() - n * interval '1 minute', now()
          from generate_series(1, 4000) n;
        insert into group_member (group_id, reader_id, role, joined_at)
        select 10000 + n, 10 + (n * 7 + k) % 4999 + 1, case k when 0 then 'owner' else 'member' end, now()
          from generate_series(2, 4000) n, generate_series(0, 4) k;
        insert into group_member (group_id, reader_id, role, joined_at)
        select 10001, n, 'member', now() + n * interval '1 second' from generate_series(11, 2010) n;
        insert into group_member (group_id, reader_id, role, joined_at)
        select 10000 + n, 10, 'moderator', now() from generate_series(1, 200) n;
        insert into group_request (group_id, reader_id, at)
        select 10001, n, now() + n * interval '1 second' from generate_series(2011, 4010) n;
        insert into group_invitation (group_id, reader_id, inviter_id, at)
        select 10000 + n, 10 + n, 9 + n, now() from generate_series(2, 4000) n;
        insert into group_request (group_id, reader_id, at)
        select 10000 + n, 1000 + (n + k) % 4000, now() from generate_series(2, 4000) n, generate_series(1, 3) k;
        insert into group_ban (group_id, reader_id, at) select 10000 + n, 1000 + n, now() from generate_series(1, 4000) n;
        insert into group_ban (group_id, reader_id, at)
        select 10001, n, now() + n * interval '1 second' from generate_series(2011, 4010) n;
        insert into thread (id, group_id, author_id, kind, title, last_post_id, last_post_at, created_at)
        select 100000 + n, 10001 + n % 100, 11 + n % 1000, 'discussion', 'T', 200000 + n, now(), now()
          from generate_series(1, 20000) n;
        insert into post (id, thread_id, number, author_id, depth, path, scope, created_at, deleted_at)
        select 200000 + n, 100000 + n, 1, 11 + n % 1000, 0, lpad(n::text, 16, '0'), 0, now(), now()
          from generate_series(1, 20000) n;
        analyze
        """
}
