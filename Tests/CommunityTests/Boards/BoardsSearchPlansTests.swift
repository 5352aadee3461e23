import Postgres
import TestSupport
import Testing

@testable import Community

/// A search among many posts goes by index, looks at so many and no more, and does not tell why it ends.
@Suite(.database(.fresh))
struct BoardsSearchPlansTests {
    private static let tables = ["post", "post_text", "post_search"]
    /// Posts of one thread: more than a search looks at. Those in `closed` are for who has finished the book.
    private static let (posts, closed) = (12_500, 4...6_003)

    private struct Scene {
        let book: ID<Catalog.Work>
        let thread: MadeThread

        func post(_ number: Int) -> ID<Boards.Post> { ID(rawValue: thread.id.rawValue - 1_000_000 + Int64(number)) }
    }

    /// Before posts of other boards, every post says `water`, the first three `rare`, the closed ones `closed`, and `seldom` they and the newest.
    private func seed(_ world: World) async throws -> Scene {
        let (book, author) = (try await world.given.book(), try await world.given.reader())
        let made = try await world.given.thread(on: book, by: author)
        // Before all that has been made so far, so that no two are the same.
        let base = made.id.rawValue - 1_000_000
        let (first, last) = (Self.closed.lowerBound, Self.closed.upperBound)
        try await world.asSuperuser(
            """
            set session_replication_role = replica;
            insert into post (id, thread_id, number, author_id, depth, path, scope, text_id, created_at)
            select \(base) + n, \(made.id), n + 1, \(author), 0, lpad(to_hex(\(base) + n), 16, '0'),
                   case when n between \(first) and \(last) then 10000 else 0 end, \(base) + n, now()
              from generate_series(1, \(Self.posts)) n;
            insert into post_text (id, post_id, body, html, at)
            select id, id, 'words', 'words', now() from post where number > 1;
            insert into post_search (post_id, thread_id, board_id, text_id, words)
            select id, thread_id, \(book), text_id,
                   ('water' || case when number < 5 then ' rare' else '' end
                    || case when scope > 0 then ' closed seldom' else '' end
                    || case when number > \(Self.posts) then ' seldom' else '' end
                    || ' #' || thread_id || ' #' || \(book))::tsvector
              from post where number > 1;
            insert into post_search (post_id, thread_id, board_id, text_id, words)
            select \(base) - n, n, n, n, 'other' from generate_series(1, \(Self.posts)) n;
            set session_replication_role = origin;
            select gin_clean_pending_list('post_search_words');
            analyze
            """)
        return Scene(book: book, thread: made)
    }

    private func page(
        _ text: String, _ place: Boards.SearchPlace, _ start: PageRequest<ID<Boards.Post>>.Start = .first,
        in world: World
    ) async throws -> Page<Boards.Found, ID<Boards.Post>> {
        try await world.community.boards.search(
            try Boards.WordQuery(text), in: place, for: .anonymous, page: PageRequest(start, limit: 5))
    }

    @Test func `rare words are found far back, and common ones page by page`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await seed(world)
            for place in [Boards.SearchPlace.everywhere, .book(scene.book), .thread(scene.thread.id)] {
                let rare = try await page("rare", place, in: world)
                #expect(rare.items.map(\.post.id) == [3, 2, 1].map(scene.post) && rare.next == nil)
                let behind = try await page("rare", place, .before(scene.post(1)), in: world)
                #expect(behind.items.map(\.post.id) == [3, 2].map(scene.post) && behind.previous == nil)
                let common = try await page("water", place, in: world)
                #expect(common.items.map(\.post.id) == (0..<5).map { scene.post(Self.posts - $0) })
                let next = try await page("water", place, .after(try #require(common.next)), in: world)
                #expect(next.items.map(\.post.id) == (5..<10).map { scene.post(Self.posts - $0) })
            }
        }
    }

    @Test func `however many posts hold a word, who may read none of them gets what nobody's word gets`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await seed(world)
            for place in [Boards.SearchPlace.everywhere, .book(scene.book), .thread(scene.thread.id)] {
                for text in ["closed", "unheard", "closed water", "\"closed water\""] {
                    let none = try await page(text, place, in: world)
                    #expect(none.items.isEmpty && none.next == nil && none.previous == nil, "\(text) in \(place)")
                }
                // One that they may read among so many: the list goes on, and then ends.
                let one = try await page("seldom", place, in: world)
                #expect(one.items.map(\.post.id) == [scene.post(Self.posts)])
                let rest = try await page("seldom", place, .after(try #require(one.next)), in: world)
                #expect(rest.items.isEmpty && rest.next == nil)
            }
        }
    }

    @Test func `what a search looks at is bounded, and read by index`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await seed(world)
            let (walk, last) = (Limits.boardSearch.walk, "9223372036854775807")
            let walks: [(Boards.SearchRange, String, String)] = [
                (.everywhere, "post_search_pkey", ""),
                (.onBoard, "post_search_of_board", ", place: \(scene.book)"),
                (.inThread, "post_search_of_thread", ", place: \(scene.thread.id)"),
            ]
            for (range, index, place) in walks {
                for (direction, from) in [(Direction.onward, last), (Direction.back, "0")] {
                    let statement = Boards.Statements.Walked.prepared(Both(range, direction))
                    for word in ["water", "unheard"] {
                        let plan = try await world.executed(
                            statement,
                            "viewer: 0, exact: '''\(word)''', span.place: \(from), limit: 21, depth: \(walk)\(place)")
                        #expect(plan.scans(of: Self.tables).isEmpty, "\(statement.name):\n\(plan)")
                        let rows = try #require(plan.rows(through: index), "\(statement.name):\n\(plan)")
                        // Once for the words, once for where it ends.
                        #expect(rows <= 2 * walk, "\(statement.name): \(rows)\n\(plan)")
                        if word == "unheard" || from == last {
                            #expect(plan.rows(through: "post_pkey") ?? 0 <= 3 * 21, "\(statement.name):\n\(plan)")
                        }
                    }
                }
            }
            let indexed = try await world.executed(
                Boards.Statements.Indexed.prepared(.onward),
                "viewer: 0, exact: '''rare''', place: \(last), limit: 21, loose: '''#\(scene.book)'' & ''rare'''")
            #expect(indexed.uses("post_search_words") && indexed.scans(of: Self.tables).isEmpty, "\(indexed)")
            let posts = "viewer: 0, ids: '{\(scene.post(1)), \(scene.post(2))}'"
            for statement: any Statement.Type in [
                Boards.Statements.FoundPosts.self, Boards.Statements.FoundThreads.self,
            ] {
                let plan = try await world.executed(statement, posts)
                #expect(plan.scans(of: ["post", "post_text"]).isEmpty, "\(statement.name):\n\(plan)")
            }
        }
    }
}
