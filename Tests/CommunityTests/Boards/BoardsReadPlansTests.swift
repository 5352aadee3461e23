import Postgres
import TestSupport
import Testing

@testable import Community

/// What is read of a large board goes by index, and a page costs a page, in every order and at any depth.
@Suite(.database(.filled(BoardsPlansRows.sql)))
struct BoardsReadPlansTests {
    static let tables = [
        "account", "thread", "post", "post_text", "post_reaction", "post_reaction_tally", "thread_reader",
        "shelf_entry",
        "reveal", "friendship", "block", "privacy", "board_scope", "gate_setting", "board_reader", "board_read",
    ]
    /// The large thread has 10,000 posts; the book has 2,000 threads, others 3,000.
    private static let (book, large, posts) = (900_001, 10_000_000, 10_000)

    @Test func `a page of a thread of ten thousand costs a page, in every order`() async throws {
        try await withWorld { world in
            let middle = Self.posts / 2
            let path = "lpad(to_hex(\(Self.large + middle)), 16, '0')"
            try await checkThread(.oldest, "post_in_thread", ["number: 0", "number: \(middle)", "number: 9900"], world)
            try await checkThread(
                .newest, "post_in_thread", ["number: 2147483647", "number: \(middle)", "number: 100"], world)
            try await checkThread(.tree, "post_tree", ["path: ''", "path: \(path)"], world)
            try await checkThread(
                .reactions, "post_reacted",
                ["rank: 2147483647, number: 2147483647", "rank: 3, number: \(middle)", "rank: 0, number: 900"], world)
        }
    }

    @Test func `where nearly nothing is seen, a page looks at so much and goes on`() async throws {
        try await withWorld { world in
            // Reader 1 opened the large thread, and sees nobody there but themselves.
            try await world.asSuperuser(
                """
                insert into privacy (reader_id, discussions) select n, 0 from generate_series(1, 3000) n
                on conflict (reader_id) do update set discussions = 0
                """)
            func expectBound(_ plan: QueryPlan, _ index: String) throws {
                let rows = try #require(plan.rows(through: index), "\(plan)")
                #expect((Limits.boards.looked...Limits.boards.looked + 100).contains(rows), "\(rows)\n\(plan)")
            }
            for place in ["0", "5000"] {
                let posts = try await world.executed(
                    Boards.Statements.Posts.prepared(Both(.oldest, .onward)),
                    "viewer: 1, thread: \(Self.large), limit: 51, number: \(place)")
                try expectBound(posts, "post_in_thread")
            }
            let tree = try await world.executed(
                Boards.Statements.Posts.prepared(Both(.tree, .back)),
                "viewer: 1, thread: \(Self.large), limit: 51, path: 'f'")
            try expectBound(tree, "post_tree")
            let threads = try await world.executed(
                Boards.Statements.Threads.prepared(Both(Both(.all, .active), .onward)),
                "viewer: 2500, board: \(Self.book), limit: 51, kind: null, id: 9223372036854775807")
            try expectBound(threads, "thread_active")
        }
    }

    private func checkThread(_ sort: Boards.PostSort, _ index: String, _ places: [String], _ world: World) async throws
    {
        for place in places {
            // Anonymous; a third of the book; a reader without a row anywhere; one who has revealed all of it.
            for viewer in [0, 1, 2_500, 3] {
                let onward = try await world.executed(
                    Boards.Statements.Posts.prepared(Both(sort, .onward)),
                    "viewer: \(viewer), thread: \(Self.large), limit: 51, \(place)")
                try expectPage(onward, index, 51, "\(sort) after \(place) for \(viewer)")
            }
            let back = try await world.executed(
                Boards.Statements.Posts.prepared(Both(sort, .back)),
                "viewer: 1, thread: \(Self.large), limit: 51, \(place)")
            try expectPage(back, index, 51, "\(sort) before \(place)")
        }
    }

    /// A page may pass over what the viewer does not see: in this seed fewer than one in two.
    private func expectPage(_ plan: QueryPlan, _ index: String, _ limit: Int, _ what: String) throws {
        let passedOver = plan.lines.compactMap { line in
            line.firstMatch(of: /Rows Removed by Filter: (\d+)/).flatMap { Int($0.1) }
        }
        #expect(passedOver.reduce(0, +) <= 2 * limit, "\(what):\n\(plan)")
        #expect(plan.scans(of: Self.tables).isEmpty, "\(what):\n\(plan)")
        #expect(!plan.description.contains("Hash"), "\(what):\n\(plan)")
        let rows = try #require(plan.rows(through: index), "\(what):\n\(plan)")
        #expect(rows <= 3 * limit, "\(what): \(rows)\n\(plan)")
        for other in ["post_text_pkey", "post_tree", "post_reacted", "post_in_thread"] {
            #expect(plan.rows(through: other) ?? 0 <= 3 * limit, "\(what): \(other)\n\(plan)")
        }
    }

    @Test func `a page of a board costs a page, in every order`() async throws {
        try await withWorld { world in
            let middle = Self.large + 1_000 * 20_000
            let last = "9223372036854775807"
            try await checkBoard(.newest, "thread_newest", ["id: \(last)", "id: \(middle)"], world)
            try await checkBoard(.oldest, "thread_newest", ["id: 0", "id: \(middle)"], world)
            try await checkBoard(.active, "thread_active", ["id: \(last)", "id: \(middle)"], world)
            try await checkBoard(.hot, "thread_hot", ["rank: 1e9, id: \(last)", "rank: 0.5, id: \(middle)"], world)
            try await checkBoard(
                .reactions, "thread_reacted", ["reactions: 2147483647, id: \(last)", "reactions: 5, id: \(middle)"],
                world)
        }
    }

    private func checkBoard(_ sort: Boards.ThreadSort, _ index: String, _ places: [String], _ world: World) async throws
    {
        for place in places {
            for viewer in [0, 1, 2_500, 3] {
                let arguments = "viewer: \(viewer), board: \(Self.book), limit: 21, kind: null, \(place)"
                let onward = try await world.executed(
                    Boards.Statements.Threads.prepared(Both(Both(.all, sort), .onward)), arguments)
                try expectPage(onward, index, 21, "\(sort) after \(place) for \(viewer)")
            }
            let back = try await world.executed(
                Boards.Statements.Threads.prepared(Both(Both(.all, sort), .back)),
                "viewer: 1, board: \(Self.book), limit: 21, kind: null, \(place)")
            try expectPage(back, index, 21, "\(sort) before \(place)")
            // One of the kinds that are fewer has an index of its own; what there is not is not looked for.
            let ofKind = index.replacing("thread_", with: "thread_kind_")
            let questions = try await world.executed(
                Boards.Statements.Threads.prepared(Both(Both(.oneKind, sort), .onward)),
                "viewer: 1, board: \(Self.book), limit: 21, kind: 'question', \(place)")
            try expectPage(questions, ofKind, 21, "questions by \(sort) after \(place)")
            let quotes = try await world.executed(
                Boards.Statements.Threads.prepared(Both(Both(.oneKind, sort), .onward)),
                "viewer: 1, board: \(Self.book), limit: 21, kind: 'quote', \(place)")
            #expect(quotes.rows(through: ofKind) == 0 && quotes.scans(of: Self.tables).isEmpty, "\(quotes)")
        }
    }

    @Test func `single posts, answers and what one reader wrote are looked up`() async throws {
        try await withWorld { world in
            let (post, last) = (Self.large + 3, "9223372036854775807")
            let calls: [(PreparedText, String, String, Int)] = [
                (Boards.Statements.OnePost.prepared[0], "viewer: 1, post: \(post)", "post_pkey", 1),
                (
                    Boards.Statements.SomePosts.prepared[0],
                    "viewer: 1, ids: array[\(post), \(post + 1)]::bigint[], count: 2", "post_pkey", 2
                ),
                (Boards.Statements.FirstPost.prepared[0], "viewer: 1, thread: \(Self.large)", "post_in_thread", 2),
                (Boards.Statements.OneThread.prepared[0], "viewer: 1, thread: \(Self.large)", "thread_pkey", 1),
                (Boards.Statements.ThreadSeen.prepared[0], "viewer: 1, thread: \(Self.large)", "thread_pkey", 1),
                (
                    Boards.Statements.Replies.prepared(.onward), "viewer: 1, post: \(post), limit: 21, number: 5000",
                    "post_of_parent", 63
                ),
                (
                    Boards.Statements.Replies.prepared(.back), "viewer: 1, post: \(post), limit: 21, number: 5000",
                    "post_of_parent", 63
                ),
                (
                    Boards.Statements.PostsOf.prepared(.onward), "viewer: 1, author: 777, limit: 21, place: \(last)",
                    "post_of_author", 63
                ),
                (Boards.Statements.BoardOf.prepared[0], "viewer: 1, board: \(Self.book)", "board_scope_pkey", 10_001),
            ]
            for (statement, arguments, index, most) in calls {
                let plan = try await world.executed(statement, arguments)
                #expect(plan.scans(of: Self.tables).isEmpty, "\(statement.name):\n\(plan)")
                #expect(plan.rows(through: index).map { $0 <= most } == true, "\(statement.name):\n\(plan)")
            }
            // Nothing is looked at of an author who shows it to nobody, however much it is.
            try await world.asSuperuser("insert into privacy (reader_id, discussions) values (777, 0)")
            let unseen = try await world.executed(
                Boards.Statements.PostsOf.prepared(.onward), "viewer: 1, author: 777, limit: 21, place: \(last)")
            #expect(unseen.rows(through: "post_of_author") ?? 0 == 0, "\(unseen)")
            let pinned = try await world.executed(
                Boards.Statements.PinnedThreads.self, "viewer: 1, board: \(Self.book), kind: null")
            #expect(pinned.uses("thread_pinned") && pinned.scans(of: Self.tables).isEmpty, "\(pinned)")
        }
    }
}

/// What the tests of plans find in the database.
enum BoardsPlansRows {
    static let sql = """
        insert into account (id, username, username_folded, email, email_folded, password_hash)
        select n, 'reader_' || n, 'reader_' || n, 'r' || n || '@e.org', 'r' || n || '@e.org', '$argon2id$v=19$m=8,t=1,p=1$'
          from generate_series(1, 3000) n;
        insert into work (id, title) select 900000 + n, 'Title ' || n from generate_series(1, 3000) n;
        insert into privacy (reader_id, discussions) select n, 1 + n / 3 % 3 from generate_series(2, 3000, 3) n;
        insert into friendship (reader_id, friend_id, since)
        select n, 1 + (n + k) % 3000, now() from generate_series(1, 3000) n, generate_series(1, 5) k;
        insert into block (blocker_id, blocked_id, at) select n, 1 + (n + 7) % 3000, now() from generate_series(1, 3000) n;
        insert into shelf_entry (id, reader_id, work_id, status, times_read, position, title_key, author_key, counted,
                                 added_at, moved_at)
        select n * 10 + k, n, 900000 + 1 + (n + k - 1) % 3000, 'reading', 0, 4000, 't', 'a', true, now(), now()
          from generate_series(1, 3000) n, generate_series(0, 4) k;
        insert into gate_setting (reader_id, is_off, at) select n, false, now() from generate_series(1, 3000) n;
        create temp table made as
        select 10000000 + n * 20000 as id, case n when 0 then 10000 else 6 end as posts,
               case when n < 2000 then 900001 else 900002 + n % 2900 end as work, n
          from generate_series(0, 4999) n;
        set session_replication_role = replica;
        insert into thread (id, work_id, author_id, kind, title, posts, replies, reactions, hot, last_post_id,
                            last_post_at, created_at)
        select id, work, 1 + n % 3000, case n % 4 when 1 then 'question' else 'discussion' end, 'Title',
               posts, posts - 1, n % 11, n % 97 / 97.0, id + posts, now(), now()
          from made;
        insert into post (id, thread_id, number, author_id, parent_id, depth, path, scope, text_id, replies, reactions,
                          created_at)
        select made.id + k, made.id, k, 1 + (n + k * 7) % 3000, case when k % 5 = 0 then made.id + 3 end, 0,
               lpad(to_hex(made.id + k), 16, '0'), k * 37 % 10001, made.id + k, 0, k % 7, now()
          from made cross join lateral generate_series(1, made.posts) k;
        insert into post_text (id, post_id, body, html, veiled_body, veiled_html, at)
        select id, id, 'body', 'body', 'veiled', 'veiled', now() from post;
        insert into post_reaction_tally (post_id, name, n) select id, 'like', reactions from post where reactions > 0;
        insert into post_reaction (post_id, reader_id, name, at) select id, 1 + number % 3000, 'like', now() from post
         where reactions > 0;
        insert into reveal (id, reader_id, post_id, at) select id, 1 + number % 3000, id, now() from post;
        insert into reveal (id, reader_id, thread_id, at) select id, 2, id, now() from made;
        insert into reveal (id, reader_id, work_id, at) select n, 3, n, now() from generate_series(900001, 903000) n;
        insert into thread_reader (reader_id, thread_id, read_number, watching, at)
        select 1 + k, id, 1, 'followed', now() from made, generate_series(0, 2) k;
        insert into board_reader (reader_id, work_id, watching, at) select n, 900000 + n, 'muted', now() from generate_series(1, 3000) n;
        insert into board_read (reader_id, board_id, upto_id, at)
        select n, 900001 + (n + k) % 2900, 1000000000000, now() from generate_series(1, 3000) n, generate_series(0, 1) k;
        insert into board_scope (work_id, scope, posts)
        select work, scope, count(*) from made join post on thread_id = made.id group by 1, 2;
        set session_replication_role = origin;
        analyze
        """
}
