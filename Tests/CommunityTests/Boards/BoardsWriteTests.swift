import EventLog
import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database)
struct BoardsWriteTests {
    private func position(_ place: Int) throws -> Gate.Scope { try #require(Gate.Scope(position: place)) }

    @Test func `a thread is its first post, counted, marked and told`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let ann = try await world.given.account("ann", name: "Ann")
            let book = try await world.given.book()
            let new = Boards.NewThread(
                title: " Who is it? ", kind: .question, body: "**Who?**", scope: .scope(try position(4200)))

            let made = try await world.community.boards.open(new, on: book, by: ann.id)

            #expect(made.scopeReason == .said)
            #expect(made.thread.title == "Who is it?" && made.thread.kind == .question && made.thread.book == book)
            #expect(made.thread.posts == 1 && made.thread.replies == 0 && made.thread.unread == 0)
            #expect(made.post.number == 1 && made.post.opens == .question && made.post.scope.position == 4200)
            #expect(made.post.author.name == "Ann" && made.post.text.body == "**Who?**")
            let stored = try await world.asSuperuser(
                """
                select thread.work_id, kind, title, posts, thread.replies, hot, last_post_id = post.id, number, depth, path = lpad(to_hex(post.id), 16, '0'),
                       scope, parent_id
                  from thread join post on post.thread_id = thread.id
                """)
            #expect(
                stored == [
                    [book.text, "question", "Who is it?", "1", "0", "0", "t", "1", "0", "t", "4200", nil]
                ])
            #expect(
                try await world.asSuperuser("select title, body, scope from post_text")
                    == [["Who is it?", "**Who?**", nil]])
            #expect(try await world.asSuperuser("select scope, posts from board_scope") == [["4200", "1"]])
            #expect(
                try await world.asSuperuser("select reader_id, read_number, watching from thread_reader")
                    == [[ann.id.text, "1", "followed"]])
            #expect(try await world.community.accounts.own(ann.id).comments == 1)
            #expect(try await world.boardMiscounts() == [])
            let events = try await world.asSuperuser(
                """
                select kind, array_to_string(topics, ','), owner_id = \(ann.id), subject_kind,
                       subject_id = (select text_id from post), data -> 'thread' ->> 'title', data -> 'post' ->> 'body', data ->> 'is_cut'
                  from outbox
                """)
            #expect(
                events == [["thread.opened", "book:\(book)", "t", "text", "t", "Who is it?", "**Who?**", "false"]])
        }
    }

    @Test func `a reply has the next number, its place in the tree and its event`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, ben) = (try await world.given.reader(), try await world.given.reader())
            let thread = try await world.given.thread(on: try await world.given.book(), by: ann)
            let boards = world.community.boards
            let one = try await boards.reply(.init(body: "One", scope: .scope(.free)), in: thread.id, by: ben).post
            let two = try await boards.reply(
                .init(body: "Two", parent: one.id, scope: .scope(.free)), in: thread.id, by: ann
            ).post
            let three = try await boards.reply(
                .init(body: "Three", parent: thread.post, quoted: two.id, scope: .scope(.free)), in: thread.id, by: ben
            ).post

            #expect([one, two, three].map(\.number) == [2, 3, 4])
            #expect([one, two, three].map(\.parent) == [nil, one.id, thread.post])
            #expect([one, two, three].map(\.depth) == [0, 1, 1])
            #expect(three.quoted == two.id && three.opens == nil)
            #expect(
                try await world.asSuperuser("select posts, replies, last_post_id, hot > 0 from thread")
                    == [["4", "3", three.id.text, "t"]])
            #expect(
                try await world.asSuperuser("select replies from post order by number")
                    == [["1"], ["1"], ["0"], ["0"]])
            let tree = try await world.asSuperuser("select number from post order by path")
            #expect(tree == [["1"], ["4"], ["2"], ["3"]])
            #expect(
                try await world.asSuperuser("select read_number from thread_reader order by reader_id")
                    == [["3"], ["4"]])
            let events = try await world.asSuperuser(
                """
                select kind, array_to_string(topics, ','), data -> 'post' ->> 'number', data -> 'thread' ? 'title',
                       subject_id = (select text_id from post where id = (data -> 'post' ->> 'id')::bigint)
                  from outbox order by position
                """)
            #expect(events == ["2", "3", "4"].map { ["post.created", "thread:\(thread.id)", $0, "f", "t"] })
            #expect(try await world.boardMiscounts() == [])
        }
    }

    @Test func `below depth six an answer stands beside what it answers`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let ann = try await world.given.reader()
            let thread = try await world.given.thread(on: try await world.given.book(), by: ann)
            var last = thread.post
            var depths: [Int] = []
            for _ in 0..<8 {
                let post = try await world.community.boards.reply(
                    .init(body: "b", parent: last), in: thread.id, by: ann
                ).post
                depths.append(post.depth)
                last = post.id
            }
            #expect(depths == [1, 2, 3, 4, 5, 6, 6, 6])
            #expect(try await world.boardMiscounts() == [])
        }
    }

    /// The parent of the two may be gone, or give away more than a moderator says of the answered one.
    @Test func `below depth six it is what is answered that must stand`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, moderator) = (try await world.given.reader(), try await world.given.account(role: .moderator))
            let (boards, book) = (world.community.boards, try await world.given.book())
            let thread = try await world.given.thread(on: book, by: ann)
            let scope = try #require(Gate.Scope(position: 4000))
            var above = thread.post
            for _ in 1...5 {
                above = try await world.given.post(in: thread.id, by: ann, answering: above, scope: scope)
            }
            let deepest = try await world.given.post(in: thread.id, by: ann, answering: above, scope: scope)
            try await world.community.gate.setScope(
                of: deepest, to: .free, reason: "Says nothing", by: moderator.identity)
            let new = Boards.NewPost(body: "b", parent: deepest, scope: .scope(.free))

            let lower = try await boards.reply(new, in: thread.id, by: ann).post
            #expect(lower.scope == .free && lower.parent == above && lower.depth == 6)
            try await boards.delete(above, by: ann)
            #expect(try await boards.reply(new, in: thread.id, by: ann).post.parent == above)
            #expect(try await world.figure("select replies from post where id = \(above)") == 3)
            #expect(try await world.boardMiscounts() == [])

            let refused = try await world.meeting {
                try await boards.delete(deepest, by: ann)
            } _: {
                await refusal { _ = try await boards.reply(new, in: thread.id, by: moderator.id) }
            }
            #expect(refused == "no post")
        }
    }

    @Test func `without a scope a post takes its author's place, else all of the book`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let ann = try await world.given.reader()
            let boards = world.community.boards
            let (read, unread) = (try await world.given.book(), try await world.given.book())
            try await world.given.position(.part(3700), in: read, by: ann)
            let new = Boards.NewThread(title: "t", body: "b")
            let here = try await boards.open(new, on: read, by: ann)
            #expect(here.scopeReason == .position && here.post.scope.position == 3700)
            let far = try await boards.open(new, on: unread, by: ann)
            #expect(far.scopeReason == .finished && far.post.scope == .finished)
            let free = try await boards.open(
                Boards.NewThread(title: "t", body: "b", scope: .scope(.free)), on: unread, by: ann)
            #expect(free.scopeReason == .said && free.post.scope == .free)

            // A reply says at least as much as what it answers, whatever its author says of it.
            let said = try await boards.reply(
                .init(body: "b", scope: .scope(.free)), in: here.thread.id, by: ann)
            #expect(said.scopeReason == .source && said.post.scope.position == 3700)
            let more = try await boards.reply(
                .init(body: "b", scope: .scope(try position(5000))), in: here.thread.id, by: ann)
            #expect(more.scopeReason == .said && more.post.scope.position == 5000)
            let quote = try await boards.reply(.init(body: "b", quoted: more.post.id), in: here.thread.id, by: ann)
            #expect(quote.scopeReason == .source && quote.post.scope.position == 5000)
            let usual = try await boards.reply(.init(body: "b"), in: far.thread.id, by: ann)
            #expect(usual.scopeReason == .source && usual.post.scope == .finished)
        }
    }

    @Test func `a chapter counts as its end, in an edition whose chapters are known`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let ann = try await world.given.reader()
            let book = try await world.given.book()
            func open(_ chapter: Int) async throws -> Int {
                let new = Boards.NewThread(title: "t", body: "b", scope: .chapter(chapter))
                return Int(try await world.community.boards.open(new, on: book, by: ann).post.scope.position)
            }
            #expect(await refusal { _ = try await open(1) } == "/scope/chapter chapters_unknown")
            try await world.given.chapters([0, 2500, 8000], of: book, for: ann)
            #expect(try await open(1) == 2500)
            #expect(try await open(2) == 8000)
            #expect(try await open(3) == 10_000)
            #expect(await refusal { _ = try await open(4) } == "/scope/chapter out_of_range")
        }
    }

    @Test func `a post may name a later book of the series, which its answers take over`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let ann = try await world.given.reader()
            let works = try await world.given.series(of: 3)
            let boards = world.community.boards
            func open(_ also: Boards.SaidAlso) async throws -> Boards.Opened {
                let new = Boards.NewThread(title: "t", body: "b", scope: .scope(.free), also: also)
                return try await boards.open(new, on: works[1], by: ann)
            }
            let made = try await open(Boards.SaidAlso(book: works[2]))
            #expect(made.post.also == Boards.Also(book: works[2], scope: .finished))
            let reply = try await boards.reply(.init(body: "b"), in: made.thread.id, by: ann).post
            #expect(reply.also == made.post.also)
            let outside = try await world.given.book()
            for book in [works[0], works[1], outside] {
                #expect(await refusal { _ = try await open(.init(book: book)) } == "/also/book_id not_in_series")
            }
            #expect(await refusal { _ = try await open(.init(book: ID(rawValue: 7))) } == "/also/book_id unknown")
            #expect(
                await refusal { _ = try await open(.init(book: works[2], scope: .scope(.free))) }
                    == "/also/scope out_of_range")
        }
    }

    @Test func `a thread stands on the board of what its book was merged into`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let ann = try await world.given.reader()
            let (gone, kept) = (try await world.given.book(), try await world.given.book())
            try await world.asSuperuser("update work set merged_into = \(kept) where id = \(gone)")
            let made = try await world.community.boards.open(.init(title: "t", body: "b"), on: gone, by: ann)
            #expect(made.thread.book == kept)
        }
    }

    @Test func `its author reads a spoiler, and what is told holds no word of it`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let ann = try await world.given.reader()
            let thread = try await world.given.thread(on: try await world.given.book(), by: ann)
            let boards = world.community.boards
            let post = try await boards.reply(.init(body: "It was >!the butler!<."), in: thread.id, by: ann).post
            #expect(post.text.body.contains("butler") && post.text.html.contains("butler") && !post.text.isVeiled)
            _ = try await boards.edit(post.id, Boards.Change(body: "It >!was the butler!<."), by: ann)
            let told = try await world.asSuperuser(
                "select kind, data::text like '%butler%', data -> 'post' ->> 'is_veiled' from outbox order by position")
            #expect(told == [["post.created", "f", "true"], ["post.edited", "f", "true"]])
        }
    }

    @Test func `what is told is no more than an event takes, and no name that is kept from others`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let ann = try await world.given.account("ann", name: "Ann")
            try await world.asSuperuser("insert into privacy (reader_id, name) values (\(ann.id), 1)")
            let thread = try await world.given.thread(on: try await world.given.book(), by: ann.id)
            let long = String(repeating: "\"&<é ", count: 1900)
            let post = try await world.community.boards.reply(.init(body: long), in: thread.id, by: ann.id).post
            #expect(post.text.body.utf8.count > 9000 && post.author.name == "Ann")
            let told = try await world.asSuperuser(
                """
                select octet_length(data::text) <= 16384, data ->> 'is_cut', data -> 'post' -> 'author' ->> 'name',
                       octet_length(data -> 'post' ->> 'body') > 500
                  from outbox
                """)
            #expect(told == [["t", "true", nil, "t"]])
        }
    }
}
