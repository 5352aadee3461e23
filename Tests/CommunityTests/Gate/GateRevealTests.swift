import Postgres
import TestSupport
import Testing

@testable import Community

/// What lies ahead, one call away: shown because a reader asked for it, and undone.
@Suite(.database) struct GateRevealTests {
    private func isOpen(
        _ post: ID<Boards.Post>, to reader: ID<Accounts.Account>, in world: World
    ) async throws -> Bool {
        if case .whole = try await world.community.boards.post(post, for: .reader(reader)) { true } else { false }
    }

    @Test func `a post, a thread or all of a book is revealed, once, and that is undone`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, author) = (try await world.given.reader(), try await world.given.reader())
            let book = try await world.given.book()
            let thread = try await world.given.thread(on: book, by: author, scope: .finished)
            let reply = try await world.given.post(in: thread.id, by: author, scope: .finished)
            let other = try await world.given.thread(on: book, by: author, scope: .finished)
            let gate = world.community.gate
            let opened: [(Thing, [Bool])] = [
                (.post(reply), [false, true, false]), (.thread(thread.id), [true, true, false]),
                (.book(book), [true, true, true]),
            ]
            for (subject, expected) in opened {
                try await gate.reveal(subject, by: ann)
                try await gate.reveal(subject, by: ann)
                var seen: [Bool] = []
                for post in [thread.post, reply, other.post] { seen.append(try await isOpen(post, to: ann, in: world)) }
                #expect(seen == expected, "\(subject)")
                #expect(try await gate.reveals(of: ann, page: PageRequest()).items.map(\.subject) == [subject])
                try await gate.unreveal(subject, by: ann)
                try await gate.unreveal(subject, by: ann)
                for post in [thread.post, reply, other.post] { #expect(try await !isOpen(post, to: ann, in: world)) }
            }
            #expect(try await gate.reveals(of: ann, page: PageRequest()).items.isEmpty)
        }
    }

    @Test func `what was revealed is listed, last first, with where it stands`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, ben) = (try await world.given.reader(), try await world.given.reader())
            let book = try await world.given.book()
            let thread = try await world.given.thread(on: book, by: ben, scope: .finished)
            let gate = world.community.gate
            let subjects: [Thing] = [.post(thread.post), .thread(thread.id), .book(book)]
            for subject in subjects { try await gate.reveal(subject, by: ann) }

            let first = try await gate.reveals(of: ann, page: PageRequest(limit: 2))
            #expect(first.items.map(\.subject) == [.book(book), .thread(thread.id)])
            let rest = try await gate.reveals(of: ann, page: PageRequest(.after(try #require(first.next)), limit: 2))
            #expect(rest.items.map(\.subject) == [.post(thread.post)])
            #expect((rest.items.first?.thread, rest.items.first?.book, rest.next) == (thread.id, book, nil))
            #expect((first.items.first?.thread, first.items.first?.book) == (nil, book))
            let back = try await gate.reveals(
                of: ann, page: PageRequest(.before(try #require(rest.previous)), limit: 2))
            #expect(back.items == first.items)
            #expect(try await gate.reveals(of: ben, page: PageRequest()).items.isEmpty)
        }
    }

    @Test func `what is not there for a reader cannot be revealed, and what was can be undone`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, author) = (try await world.given.account(), try await world.given.account())
            let book = try await world.given.book()
            let thread = try await world.given.thread(on: book, by: author.id, scope: .finished)
            let gate = world.community.gate
            try await gate.reveal(.post(thread.post), by: ann.id)
            try await world.community.friends.block(ann.username, by: author.id)

            for subject: Thing in [
                .thread(thread.id), .thread(ID(rawValue: 7)), .post(ID(rawValue: 7)), .book(ID(rawValue: 7)),
            ] {
                await #expect(throws: Failure.self) { try await gate.reveal(subject, by: ann.id) }
                await #expect(throws: Failure.self) { try await gate.unreveal(subject, by: ann.id) }
            }
            try await gate.unreveal(.post(thread.post), by: ann.id)
            await #expect(throws: Failure.notFound("post \(thread.post)")) {
                try await gate.unreveal(.post(thread.post), by: ann.id)
            }
            let frozen = try await world.given.account(state: .frozen)
            await #expect(throws: Failure.self) { try await gate.reveal(.book(book), by: frozen.id) }
            #expect(try await world.asSuperuser("select count(*) from reveal") == [["0"]])
        }
    }

    @Test func `a reader reveals no more than the limit`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let ann = try await world.given.reader()
            let book = try await world.given.book()
            let thread = try await world.given.thread(on: book, by: ann)
            try await world.asSuperuser(
                """
                begin;
                set local session_replication_role = replica;
                insert into reveal (id, reader_id, post_id, at)
                select number, \(ann), number, now() from generate_series(1, \(Limits.gate.reveals - 1)) number;
                commit;
                """)
            try await world.community.gate.reveal(.book(book), by: ann)
            await #expect(
                throws: Failure.conflict(
                    code: .tooManyReveals, "a reader has at most \(Limits.gate.reveals); take one back first")
            ) { try await world.community.gate.reveal(.thread(thread.id), by: ann) }
            // What is there already is no more.
            try await world.community.gate.reveal(.book(book), by: ann)
        }
    }

    @Test func `a merged book stays revealed, once, and so it is said of a merged one`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, ben) = (try await world.given.reader(), try await world.given.reader())
            let (from, into) = (try await world.given.book(), try await world.given.book())
            let gate = world.community.gate
            try await gate.reveal(.book(from), by: ann)
            try await gate.reveal(.book(from), by: ben)
            try await gate.reveal(.book(into), by: ben)

            try await world.community.catalog.merge(.book(from), into: .book(into), by: Catalog.Helper(World.terminal))

            for reader in [ann, ben] {
                #expect(try await gate.reveals(of: reader, page: PageRequest()).items.map(\.subject) == [.book(into)])
                for book in [from, into] { #expect(try await world.gate(of: reader, in: book) == Gate.end) }
            }
            try await gate.unreveal(.book(from), by: ann)
            #expect(try await world.gate(of: ann, in: into) == 0)
            try await gate.reveal(.book(from), by: ann)
            #expect(try await gate.reveals(of: ann, page: PageRequest()).items.map(\.subject) == [.book(into)])
        }
    }

    @Test func `nothing of it is left of an account that is gone, but the scopes that it raised`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let book = try await world.given.book()
            let author = try await world.given.reader()
            let thread = try await world.given.thread(on: book, by: author)
            let readers = [try await world.given.finisher(of: book), try await world.given.finisher(of: book)]
            let gate = world.community.gate
            for reader in readers { _ = try await gate.mark(thread.post, at: 5000, by: reader.identity) }
            _ = try await gate.change(gatesRereads: true, by: readers[0].id)
            try await gate.reveal(.book(book), by: readers[0].id)

            try await world.community.accounts.close(readers[0].id)

            for table in ["gate_setting", "reveal", "spoiler_mark"] {
                let left = try await world.asSuperuser(
                    "select count(*) from \(table) where reader_id = \(readers[0].id)")
                #expect(left == [["0"]], "\(table)")
            }
            #expect(try await world.asSuperuser("select count(*) from spoiler_mark") == [["1"]])
            #expect(try await world.scope(of: thread.post) == 5000)
        }
    }
}
