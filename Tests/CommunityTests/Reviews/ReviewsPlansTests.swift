import Postgres
import TestSupport
import Testing

@testable import Community

/// What is read of a book with many reviews goes by index, and a page costs a page, in every order.
@Suite(.database(.filled(Rows.sql)))
struct ReviewsPlansTests {
    private static let tables = [
        "account", "review", "review_text", "review_reply", "review_reaction", "review_reaction_tally", "reveal",
        "shelf_entry", "friendship", "block", "privacy", "gate_setting",
    ]
    /// All 4,000 readers reviewed the one book, and another each.
    private static let book = 900_001
    /// Reviewed 3,000 more.
    private static let talker = 3_999

    @Test func `a page of a book with thousands of reviews costs a page, in every order`() async throws {
        try await withWorld { world in
            let last = "9223372036854775807"
            try await check(.newest, "review_of_work", ["id: \(last)", "id: 1002000"], world)
            try await check(
                .reactions, "review_reacted", ["rank: 2147483647, id: \(last)", "rank: 25, id: 1002000"], world)
        }
    }

    private func check(
        _ sort: Reviews.Sort, _ index: String, _ places: [String], _ world: World
    ) async throws {
        func text(_ circle: Circle, _ direction: Direction) -> PreparedText {
            Reviews.Statements.OfBook.prepared(Both(Both(circle, sort), direction))
        }
        for place in places {
            for viewer in [0, 1, 2_500] {
                let arguments = "viewer: \(viewer), work: \(Self.book), limit: 21, \(place)"
                try expectPage(try await world.executed(text(.all, .onward), arguments), index)
                try expectPage(try await world.executed(text(.all, .back), arguments), index)
            }
            let plan = try await world.executed(
                text(.friends, .onward), "viewer: 1, work: \(Self.book), limit: 21, \(place)")
            #expect(plan.scans(of: Self.tables).isEmpty, "\(plan)")
        }
    }

    @Test func `a page of what one reader says costs a page, however much it is`() async throws {
        try await withWorld { world in
            let last = "9223372036854775807"
            for (direction, place) in [(Direction.onward, last), (.onward, "3002500"), (.back, "3002500")] {
                let plan = try await world.executed(
                    Reviews.Statements.OfReader.prepared(direction),
                    "viewer: 2500, reader: \(Self.talker), place: \(place), limit: 21")
                try expectPage(plan, "review_by_reader")
            }
        }
    }

    private func expectPage(_ plan: QueryPlan, _ index: String) throws {
        #expect(plan.scans(of: Self.tables).isEmpty, "\(plan)")
        let rows = try #require(plan.rows(through: index), "\(plan)")
        #expect(rows <= 63, "\(rows)\n\(plan)")
    }

    @Test func `replies, history, friends on a book and deliveries go by index`() async throws {
        try await withWorld { world in
            let replies = try await world.executed(
                Reviews.Statements.Replies.prepared(.onward), "viewer: 2500, review: 1000001, number: 2000, limit: 21")
            try expectPage(replies, "review_reply_in_review")
            let plans = [
                try await world.executed(
                    Texts.Statements.History<Reviews.Review>.prepared(.onward),
                    "viewer: 2500, thing: 1000001, place: 9223372036854775807, limit: 21"),
                try await world.executed(
                    Reviews.Statements.FriendsOn.prepared(.onward),
                    "viewer: 1, work: \(Self.book), at: 'infinity', id: 9223372036854775807, limit: 21"),
                try await world.executed(Reviews.Statements.FriendCounts.self, "viewer: 1, work: \(Self.book)"),
                try await world.executed(
                    Reviews.Statements.TellingExceptions.self,
                    """
                    subject: array['review_text', 'review_reply', 'review'], owner: array[1, 2, 3]::bigint[], \
                    value: array[1000003, 5010003, 1000005]::bigint[], first: array[1, 2, 1]::bigint[], \
                    last: array[1, 3, 3]::bigint[], isOpen: array[false, false, true], viewers: array[1, 2, 3]::bigint[]
                    """
                ),
                try await world.executed(Reviews.Statements.RemoveRepliesOf.self, "author: 17"),
                try await world.executed(
                    Reactions.Statements.ReactedTo<Reviews.Review>.self,
                    "reader: 17, after: 0, limit: 9223372036854775807"),
                try await world.executed(
                    Reactions.Statements.DropReactions<Reviews.Review>.self,
                    "reader: 17, things: array[1000001, 1000002]::bigint[]"),
            ]
            for plan in plans { #expect(plan.scans(of: Self.tables).isEmpty, "\(plan)") }
        }
    }
}

/// What the tests of plans find in the database.
private enum Rows {
    static let sql = """
        insert into account (id, username, username_folded, email, email_folded, password_hash)
        select n, 'reader_' || n, 'reader_' || n, 'r' || n || '@e.org', 'r' || n || '@e.org', '$argon2id$v=19$m=8,t=1,p=1$'
          from generate_series(1, 4000) n;
        insert into work (id, title) select 900000 + n, 'Title ' || n from generate_series(1, 4000) n;
        insert into privacy (reader_id, discussions) select n, 2 + n % 2 from generate_series(2, 4000, 3) n;
        insert into friendship (reader_id, friend_id, since)
        select n, 1 + (n + k) % 4000, now() from generate_series(1, 4000) n, generate_series(1, 5) k;
        insert into block (blocker_id, blocked_id, at) select n, 1 + (n + 7) % 4000, now() from generate_series(1, 4000) n;
        insert into shelf_entry (id, reader_id, work_id, status, times_read, position, title_key, author_key, counted,
                                 added_at, moved_at)
        select n * 10 + k, n, 900000 + 1 + (n + k - 1) % 4000, 'reading', 0, 4000, 't', 'a', true, now(), now()
          from generate_series(1, 4000) n, generate_series(0, 4) k;
        insert into gate_setting (reader_id, is_off, at) select n, false, now() from generate_series(1, 4000) n;
        set session_replication_role = replica;
        insert into review (id, reader_id, work_id, rating, body, visibility, counted, created_at, spoilers, text_id, replies,
                            reply_numbers, reactions)
        select k * 1000000 + n, n, case k when 1 then 900001 else 900002 + n % 3900 end, 8, 'body', 3, true, now(), n % 3 = 0,
               k * 1000000 + n, case n when 1 then 4000 else 0 end, 4000, n % 50
          from generate_series(1, 4000) n, generate_series(1, 2) k;
        insert into review (id, reader_id, work_id, rating, body, visibility, counted, created_at, spoilers, text_id)
        select 3000000 + n, 3999, 900000 + n, 8, 'body', 3, true, now(), false, 3000000 + n from generate_series(1000, 3999) n;
        insert into review_text (id, review_id, body, html, veiled_body, veiled_html, at)
        select id, id, 'body', 'body', 'veiled', 'veiled', now() from review;
        insert into review_reply (id, review_id, number, author_id, spoilers, text_id, body, html, created_at)
        select 5000000 + k * 10000 + n, k * 1000000 + 1, n, n, false, 5000000 + k * 10000 + n, 'body', 'body', now()
          from generate_series(1, 4000) n, generate_series(1, 2) k;
        insert into review_reaction (review_id, reader_id, name, at)
        select id, 1 + reader_id % 4000, 'like', now() from review;
        insert into review_reaction_tally (review_id, name, n) select id, 'like', reactions from review where reactions > 0;
        insert into reveal (id, reader_id, review_id, at) select id, 1 + reader_id % 4000, id, now() from review;
        set session_replication_role = origin;
        analyze
        """
}
