import Postgres
import TestSupport
import Testing

@testable import Community

/// A reply or quote gives away at least what its source does, also when that turns out to be more.
@Suite(.database) struct GateRaiseTests {
    private func moderate(_ post: ID<Boards.Post>, to scope: Gate.Scope, in world: World) async throws {
        let moderator = try await world.given.account(role: .moderator)
        try await world.community.gate.setScope(of: post, to: scope, reason: "It says more", by: moderator.identity)
    }

    @Test func `what answers or quotes a post rises with it, however far, and nothing else`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (book, author) = (try await world.given.book(), try await world.given.reader())
            let thread = try await world.given.thread(on: book, by: author)
            func post(
                to parent: ID<Boards.Post>? = nil, quoting quoted: ID<Boards.Post>? = nil, _ position: Int = 0
            ) async throws -> ID<Boards.Post> {
                try await world.given.post(
                    in: thread.id, by: author, answering: parent, quoting: quoted, scope: try world.upto(position))
            }
            let root = try await post()
            let child = try await post(to: root)
            let further = try await post(to: child, 7000)
            let grandchild = try await post(to: child, 1000)
            let quote = try await post(quoting: grandchild)
            let answer = try await post(to: quote)
            let (beside, above) = (try await post(), thread.post)

            try await moderate(root, to: try world.upto(5000), in: world)

            for raised in [root, child, grandchild, quote, answer] {
                #expect(try await world.scope(of: raised) == 5000)
            }
            #expect(try await world.scope(of: further) == 7000)
            for other in [beside, above] { #expect(try await world.scope(of: other) == 0) }
            #expect(try await world.boardIsExact())
            // Only what rose has another version.
            let versions = try await world.asSuperuser("select count(*) from post where version = 2")
            #expect(versions == [["5"]])
            #expect(try await world.database.differences(of: Gate.self, "sources") == [])
        }
    }

    @Test func `with the post that opens a thread rise its title and all that answers it`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (book, author) = (try await world.given.book(), try await world.given.reader())
            let thread = try await world.given.thread(on: book, by: author)
            let reply = try await world.given.post(in: thread.id, by: author)
            let deeper = try await world.given.post(in: thread.id, by: author, answering: reply)
            let elsewhere = try await world.given.thread(on: book, by: author)

            try await moderate(thread.post, to: .finished, in: world)

            for raised in [thread.post, reply, deeper] { #expect(try await world.scope(of: raised) == 10_000) }
            #expect(try await world.scope(of: elsewhere.post) == 0)
            #expect(try await world.asSuperuser("select version from thread where id = \(thread.id)") == [["2"]])
            let shown = try await world.community.boards.thread(thread.id, for: .anonymous, in: world.database)
            #expect(shown == .gated(Gate.Placeholder(id: thread.id.rawValue, kind: "discussion", position: 10_000)))
            #expect(try await world.boardIsExact())
        }
    }

    @Test func `beside a post at the greatest depth, what answers it rises with it, and nothing else`() async throws {
        try await withWorld(leaving: [.outbox, .jobs], settings: { $0.limitsRates = false }) { world in
            let (book, author) = (try await world.given.book(), try await world.given.reader())
            let thread = try await world.given.thread(on: book, by: author)
            var chain = [try await world.given.post(in: thread.id, by: author)]
            for _ in 0..<Limits.boards.depth {
                chain.append(try await world.given.post(in: thread.id, by: author, answering: chain.last))
            }
            let (parent, raised) = (chain[Limits.boards.depth - 1], chain[Limits.boards.depth])
            func answer(_ post: ID<Boards.Post>) async throws -> ID<Boards.Post> {
                let new = Boards.NewPost(body: "So it is.", parent: post, scope: .scope(.free))
                let made = try await world.community.boards.reply(new, in: thread.id, by: author).post
                // Below the same post in the tree, and each says what it answers.
                #expect(made.parent == parent && made.answers == post && made.depth == Limits.boards.depth)
                let shown = try await world.community.boards.post(made.id, for: .reader(author))
                guard case .whole(let whole) = shown else { throw Failure.notFound("post") }
                #expect(whole.parent == parent && whole.answers == post)
                return made.id
            }
            let beside = try await answer(parent)
            let first = try await answer(raised)
            let other = try await answer(beside)
            let second = try await answer(first)
            // From before answers said what they answer.
            let unknown = try await answer(beside)
            try await world.asSuperuser("update post set answers_id = null where id = \(unknown)")
            let quote = try await world.given.post(in: thread.id, by: author, quoting: second)

            try await moderate(raised, to: .finished, in: world)

            for post in [raised, first, second, unknown, quote] {
                #expect(try await world.scope(of: post) == 10_000)
            }
            for post in [parent, beside, other] { #expect(try await world.scope(of: post) == 0) }
            #expect(try await world.boardIsExact())
            #expect(try await world.database.differences(of: Gate.self, "sources") == [])
            try await world.asSuperuser("update post set scope = 0 where id = \(first)")
            #expect(try await world.database.differences(of: Gate.self, "sources").count == 1)
        }
    }

    @Test func `at the greatest depth an answer takes the scope of what it answers`() async throws {
        try await withWorld(leaving: [.outbox, .jobs], settings: { $0.limitsRates = false }) { world in
            let (book, author) = (try await world.given.book(), try await world.given.reader())
            let thread = try await world.given.thread(on: book, by: author)
            var chain = [try await world.given.post(in: thread.id, by: author)]
            for _ in 0..<Limits.boards.depth {
                chain.append(try await world.given.post(in: thread.id, by: author, answering: chain.last))
            }
            let (parent, deepest) = (chain[Limits.boards.depth - 1], chain[Limits.boards.depth])
            try await moderate(parent, to: .finished, in: world)
            try await moderate(deepest, to: .free, in: world)

            let new = Boards.NewPost(body: "So it is.", parent: deepest, scope: .scope(.free))
            let made = try await world.community.boards.reply(new, in: thread.id, by: author).post

            #expect(made.parent == parent && made.scope == .free)
            #expect(try await world.database.differences(of: Gate.self, "sources") == [])
            // What is said of the one above holds for all below it.
            try await moderate(parent, to: .free, in: world)
            try await moderate(parent, to: .finished, in: world)
            for post in [deepest, made.id] { #expect(try await world.scope(of: post) == 10_000) }
            #expect(try await world.database.differences(of: Gate.self, "sources") == [])
            #expect(try await world.boardIsExact())
        }
    }

    @Test func `below a post at the greatest depth, a chain of answers rises with it`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (book, author) = (try await world.given.book(), try await world.given.reader())
            let thread = try await world.given.thread(on: book, by: author)
            var chain = [try await world.given.post(in: thread.id, by: author)]
            for _ in 0..<(Limits.boards.depth + 2) {
                chain.append(try await world.given.post(in: thread.id, by: author, answering: chain.last))
            }
            try await moderate(chain[Limits.boards.depth + 1], to: .finished, in: world)
            let scopes = try await world.asSuperuser(
                "select scope from post where thread_id = \(thread.id) and number > 1 order by number")
            let expected = Array(repeating: "0", count: Limits.boards.depth + 1) + ["10000", "10000"]
            #expect(scopes.map { $0[0] } == expected)
        }
    }

    @Test func `deleted and hidden posts rise uncounted`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (book, author) = (try await world.given.book(), try await world.given.reader())
            let thread = try await world.given.thread(on: book, by: author)
            let hidden = try await world.given.post(in: thread.id, by: author)
            let deleted = try await world.given.post(in: thread.id, by: author)
            try await world.asSuperuser(
                """
                update post set hidden_at = now() where id = \(hidden);
                update post set deleted_at = now(), text_id = null where id = \(deleted);
                update board_scope set posts = 1
                """)
            try await moderate(thread.post, to: try world.upto(3000), in: world)
            for raised in [hidden, deleted] { #expect(try await world.scope(of: raised) == 3000) }
            #expect(try await world.boardIsExact())
        }
    }

    @Test func `two marks at the same instant raise the scope, once`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (book, author) = (try await world.given.book(), try await world.given.reader())
            let thread = try await world.given.thread(on: book, by: author)
            let readers = [try await world.given.finisher(of: book), try await world.given.finisher(of: book)]
            let gate = world.community.gate
            for round in 1...ProofCount.of(200) {
                let post = try await world.given.post(in: thread.id, by: author)
                try await world.clearOutbox()
                try await withThrowingDiscardingTaskGroup { group in
                    for reader in readers {
                        group.addTask { _ = try await gate.mark(post, at: 5000, by: reader.identity) }
                    }
                }
                #expect(try await world.scope(of: post) == 5000, "round \(round)")
                #expect(try await world.outbox().map(\.kind) == ["post.raised", "post.raised"])
                // Within the limit of a day.
                world.clock.advance(by: .seconds(3600))
            }
            #expect(try await world.boardIsExact())
        }
    }

    @Test func `the second of two marks waits for the first, and counts with it`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (book, author) = (try await world.given.book(), try await world.given.reader())
            let thread = try await world.given.thread(on: book, by: author)
            let (ann, ben) = (try await world.given.finisher(of: book), try await world.given.finisher(of: book))
            let gate = world.community.gate
            let marked = try await world.meeting {
                _ = try await gate.mark(thread.post, at: 5000, by: ann.identity)
            } _: {
                try await gate.mark(thread.post, at: 6000, by: ben.identity)
            }
            #expect(try marked.scope == world.upto(5000))
        }
    }

    /// What is written while its source is raised.
    enum Link: String, CaseIterable, Sendable { case top, answer, deepest, quote }

    @Test(arguments: Link.allCases)
    func `a reply that is written while its source is raised rises, too`(link: Link) async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (book, author) = (try await world.given.book(), try await world.given.reader())
            let thread = try await world.given.thread(on: book, by: author)
            var last = link == .top ? thread.post : try await world.given.post(in: thread.id, by: author)
            for _ in 0..<(link == .deepest ? Limits.boards.depth : 0) {
                last = try await world.given.post(in: thread.id, by: author, answering: last)
            }
            let source = last
            let reader = try await world.given.finisher(of: book)
            let new = Boards.NewPost(
                body: "So it is.", parent: link == .answer || link == .deepest ? source : nil,
                quoted: link == .quote ? source : nil, scope: .scope(.free))
            let moderator = try await world.given.account(role: .moderator)
            let scope = try world.upto(5000)
            let replied = try await world.meeting {
                try await world.community.gate.setScope(
                    of: source, to: scope, reason: "It says more", by: moderator.identity)
            } _: {
                try await world.community.boards.reply(new, in: thread.id, by: reader.id)
            }
            #expect(replied.post.scope == scope)
            #expect(replied.scopeReason == .source)
            #expect(try await world.boardIsExact())
            #expect(try await world.database.differences(of: Gate.self, "sources") == [])
        }
    }

    @Test func `what answers a post rises, too, where its author says that it gives away more`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (book, author) = (try await world.given.book(), try await world.given.elder())
            let thread = try await world.given.thread(on: book, by: author.id)
            let post = try await world.given.post(in: thread.id, by: author.id)
            let answer = try await world.given.post(in: thread.id, by: author.id, answering: post)
            _ = try await world.community.boards.edit(
                post, Boards.Change(scope: .scope(.finished)), by: author.id)
            for raised in [post, answer] { #expect(try await world.scope(of: raised) == 10_000) }
            #expect(try await world.scope(of: thread.post) == 0)
            #expect(try await world.boardIsExact())
        }
    }

    @Test func `a thousand answers rise in one go`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (book, author) = (try await world.given.book(), try await world.given.reader())
            let thread = try await world.given.thread(on: book, by: author)
            try await world.asSuperuser(
                """
                begin;
                insert into post (id, thread_id, number, author_id, parent_id, depth, path, scope, text_id, created_at,
                                  work_id)
                select number, \(thread.id), number, \(author), case when number > 100 then number - 99 end, 0,
                       lpad(to_hex(number), 16, '0'), 0, number, now(), \(book)
                  from generate_series(2, 1001) number;
                insert into post_text (id, post_id, body, html, at)
                select number, number, 'text', '<p>text</p>', now() from generate_series(2, 1001) number;
                update board_scope set posts = 1001;
                commit;
                """)
            try await moderate(thread.post, to: .finished, in: world)
            #expect(try await world.asSuperuser("select count(*) from post where scope = 10000") == [["1001"]])
            #expect(try await world.boardIsExact())
        }
    }
}
