import Postgres
import TestSupport
import Testing

@testable import Community

/// Readers who are past a point say that a post gives it away.
@Suite(.database) struct GateMarkTests {
    /// Two such marks, or one by a moderator: who marks where, and the scope that follows.
    @Test(
        arguments: [
            // marks of readers, of moderators, the scope before and after
            ([], [], 2000, 2000), ([9000], [], 2000, 2000), ([9000, 9000], [], 2000, 9000),
            ([3000, 9000], [], 2000, 3000), ([9000, 4000, 6000], [], 2000, 6000), ([1000, 1000], [], 2000, 2000),
            ([1000, 9000], [], 2000, 2000), ([], [5000], 2000, 5000), ([3000], [5000], 2000, 5000),
            ([7000], [5000], 2000, 5000), ([7000, 8000], [5000], 2000, 7000), ([10_000, 10_000], [], 0, 10_000),
            ([], [1000], 2000, 2000),
        ] as [([Int], [Int], Int, Int)])
    func `two marks or one by a moderator raise the scope, to where they agree, and never lower it`(
        readers: [Int], moderators: [Int], before: Int, after: Int
    ) async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let book = try await world.given.book()
            let author = try await world.given.reader()
            let thread = try await world.given.thread(on: book, by: author, scope: try world.upto(before))
            var last = before
            for (position, role) in readers.map({ ($0, Accounts.Role.member) }) + moderators.map({ ($0, .moderator) }) {
                // Moderators need not have read the book.
                let reader =
                    role == .member ? try await world.given.finisher(of: book) : try await world.given.elder(role: role)
                let marked = try await world.community.gate.mark(thread.post, at: position, by: reader.identity)
                #expect(marked.position == position)
                #expect(Int(marked.scope.position) >= last)
                last = Int(marked.scope.position)
            }
            #expect(try await world.scope(of: thread.post) == after)
            #expect(try await world.boardIsExact())
            #expect(try await world.database.differences(of: Gate.self, "sources") == [])
        }
    }

    @Test func `only who is past that point, and may know of the post, can say so`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let gate = world.community.gate
            let (book, author) = (try await world.given.book(), try await world.given.elder())
            let thread = try await world.given.thread(on: book, by: author.id, scope: try world.upto(1000))
            let (ann, blocked) = (try await world.given.elder(), try await world.given.finisher(of: book))
            try await world.community.friends.block(blocked.username, by: author.id)
            try await world.given.position(.part(5000), in: book, by: ann.id)
            let refused = Failure.forbidden(
                code: .notThereYet, "only readers past that point of the book can say so")

            await #expect(throws: refused) { _ = try await gate.mark(thread.post, at: 5001, by: ann.identity) }
            #expect(try await gate.mark(thread.post, at: 5000, by: ann.identity).scope == world.upto(1000))
            // A reader who has but revealed it is not there either.
            let ben = try await world.given.elder()
            try await gate.reveal(.post(thread.post), by: ben.id)
            await #expect(throws: refused) { _ = try await gate.mark(thread.post, at: 2000, by: ben.identity) }
            await #expect(throws: Failure.notFound("post \(thread.post)")) {
                _ = try await gate.mark(thread.post, at: 2000, by: blocked.identity)
            }
            await #expect(throws: Failure.forbidden(code: .ownThing, "this post is your own")) {
                _ = try await gate.mark(thread.post, at: 2000, by: author.identity)
            }
            for position in [0, -1, 10_001] {
                await #expect(throws: Failure.self) {
                    _ = try await gate.mark(thread.post, at: position, by: ann.identity)
                }
            }
            let frozen = try await world.given.account(state: .frozen)
            let unverified = try await world.given.account(isVerified: false)
            for reader in [frozen, unverified] {
                await #expect(throws: Failure.self) { _ = try await gate.mark(thread.post, at: 1, by: reader.identity) }
            }
            #expect(try await world.asSuperuser("select count(*) from spoiler_mark") == [["1"]])
        }
    }

    @Test func `one reader counts once, nobody in their first day, and nobody who is suspended`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let gate = world.community.gate
            let (book, author) = (try await world.given.book(), try await world.given.reader())
            let thread = try await world.given.thread(on: book, by: author)
            let ann = try await world.given.finisher(of: book)
            for position in [4000, 5000, 5000] { _ = try await gate.mark(thread.post, at: position, by: ann.identity) }
            let new = try await world.given.account()
            try await world.given.shelved(book, .read, by: new.id)
            _ = try await gate.mark(thread.post, at: 5000, by: new.identity)
            let gone = try await world.given.finisher(of: book)
            try await world.asSuperuser("update account set state = 'suspended' where id = \(gone.id)")
            try await world.asSuperuser(
                """
                insert into spoiler_mark (post_id, reader_id, position, by_moderator, at)
                values (\(thread.post), \(gone.id), 5000, false, '\(world.clock.now().text)')
                """)
            _ = try await gate.mark(thread.post, at: 5000, by: ann.identity)
            #expect(try await world.scope(of: thread.post) == 0)

            // What was said in the first day does not come to count later; saying it again does.
            world.clock.advance(by: .seconds(2 * 86_400))
            _ = try await gate.mark(thread.post, at: 5000, by: ann.identity)
            #expect(try await world.scope(of: thread.post) == 0)
            _ = try await gate.mark(thread.post, at: 5000, by: new.identity)
            #expect(try await world.scope(of: thread.post) == 5000)
        }
    }

    @Test func `a mark is taken back, and the scope that it raised stays`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let gate = world.community.gate
            let (book, author) = (try await world.given.book(), try await world.given.reader())
            let thread = try await world.given.thread(on: book, by: author)
            let readers = [try await world.given.finisher(of: book), try await world.given.finisher(of: book)]
            _ = try await gate.mark(thread.post, at: 5000, by: readers[0].identity)
            try await gate.unmark(thread.post, by: readers[0].id)
            _ = try await gate.mark(thread.post, at: 5000, by: readers[1].identity)
            #expect(try await world.scope(of: thread.post) == 0)
            _ = try await gate.mark(thread.post, at: 5000, by: readers[0].identity)
            for reader in readers { try await gate.unmark(thread.post, by: reader.id) }
            try await gate.unmark(thread.post, by: readers[0].id)
            #expect(try await world.scope(of: thread.post) == 5000)
            #expect(try await world.asSuperuser("select count(*) from spoiler_mark") == [["0"]])
            await #expect(throws: Failure.notFound("post 7")) {
                try await gate.unmark(ID(rawValue: 7), by: readers[0].id)
            }
        }
    }

    @Test func `a reader marks no more posts in a day than the limit`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let gate = world.community.gate
            let (book, author) = (try await world.given.book(), try await world.given.reader())
            let thread = try await world.given.thread(on: book, by: author)
            let ann = try await world.given.finisher(of: book)
            for _ in 0..<Limits.gate.marksPerDay {
                let post = try await world.given.post(in: thread.id, by: author)
                _ = try await gate.mark(post, at: 1, by: ann.identity)
            }
            let limited = Failure.limited(policy: "spoiler_marks", retryAfter: .seconds(3600))
            await #expect(throws: limited) { _ = try await gate.mark(thread.post, at: 1, by: ann.identity) }
            world.clock.advance(by: .seconds(86_401))
            _ = try await gate.mark(thread.post, at: 1, by: ann.identity)
        }
    }

    @Test func `the author is told, and the followers of the thread`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (book, author) = (try await world.given.book(), try await world.given.reader())
            let thread = try await world.given.thread(on: book, by: author)
            let readers = [try await world.given.finisher(of: book), try await world.given.finisher(of: book)]
            _ = try await world.community.gate.mark(thread.post, at: 5000, by: readers[0].identity)
            try await world.clearOutbox()
            _ = try await world.community.gate.mark(thread.post, at: 6000, by: readers[1].identity)

            let events = try await world.outbox()
            #expect(events.map(\.kind) == ["post.raised", "post.raised"])
            #expect(events.map(\.topics) == ["{inbox:\(author)}", "{thread:\(thread.id)}"])
            let data = #"{"post": {"id": "\#(thread.post)", "thread_id": "\#(thread.id)"}, "scope": {"upto": 5000}}"#
            #expect(events.map(\.data) == [data, data])
            // Who said so is told to nobody, and the second is shown as the post's text is.
            let subjects = try await world.asSuperuser(
                "select owner_id, subject_kind, subject_id from outbox order by position")
            let text = try await world.asSuperuser("select text_id from post where id = \(thread.post)")[0][0]
            #expect(subjects == [[nil, nil, nil], [author.text, "text", text]])
        }
    }
}

extension World {
    /// Whether the board counts at each scope what stands there.
    func boardIsExact() async throws -> Bool {
        try await asSuperuser(
            """
            select 1
              from (select work_id, scope, posts from board_scope where posts > 0) stored
              full join (select thread.work_id, post.scope, count(*) as posts
                           from post
                           join thread on thread.id = post.thread_id
                          where thread.group_id is null and thread.hidden_at is null
                            and post.deleted_at is null and post.hidden_at is null
                          group by 1, 2) counted using (work_id, scope)
             where stored.posts is distinct from counted.posts
            """
        ).isEmpty
    }
}
