import Jobs
import Postgres
import TestSupport
import Testing

@testable import Community

/// When a gate opens, one event tells the reader's inbox what opened.
@Suite(.database) struct GateUnlockTests {
    @Test func `a step through the book tells of what it opened, once`() async throws {
        try await withWorld(leaving: [.outbox]) { world in
            let ann = try await world.given.reader()
            let board = try await GateBoard(in: world)
            func log(_ part: Int) async throws -> [String] {
                try await world.given.position(.part(part), in: board.book, by: ann)
                return try await world.told(ann)
            }
            #expect(try await log(999) == [])
            #expect(try await log(1000) == [board.data([1000])])
            #expect(try await log(1000) == [])
            #expect(try await log(1999) == [])
            #expect(try await log(4500) == [board.data([2000, 3000, 4000])])
            // Back and on again: nothing was closed, and nothing opens.
            #expect(try await log(3500) == [])
            #expect(try await log(4000) == [])
            // A mistake that is put right: what is open again is told of again.
            try await world.given.position(.part(3500), in: board.book, by: ann, meant: .mine)
            #expect(try await world.told(ann) == [])
            #expect(try await log(4000) == [board.data([4000])])
            #expect(try await log(10_000) == [board.data([5000, 6000, 7000, 8000, 9000, 10_000])])
            // Read once, the book stays open.
            #expect(try await log(2000) == [])
            #expect(try await log(10_000) == [])
        }
    }

    @Test func `a burst of steps makes one job and one event`() async throws {
        try await withWorld(leaving: [.outbox]) { world in
            let ann = try await world.given.reader()
            let board = try await GateBoard(in: world)
            for part in stride(from: 500, through: 6500, by: 500) {
                try await world.given.position(.part(part), in: board.book, by: ann)
            }
            #expect(try await world.jobs("gate.unlock") == 1)
            #expect(try await world.told(ann) == [board.data([1000, 2000, 3000, 4000, 5000, 6000])])
        }
    }

    /// Every way in which a gate opens.
    enum Way: String, CaseIterable, Sendable {
        case shelf, log, finish, off, reveal, reading, endOfGatedReread, rereadsNoLongerGated

        /// What stands before; then what opens the gate, from 2000 on where `isPartly`.
        func prepare(_ book: ID<Catalog.Work>, _ reader: ID<Accounts.Account>, in world: World) async throws {
            let given = world.given
            switch self {
            case .reading:
                try await given.position(.part(2000), in: book, by: reader)
                try await given.shelved(book, .stopped, by: reader)
            case .endOfGatedReread, .rereadsNoLongerGated:
                _ = try await world.community.gate.change(gatesRereads: true, by: reader)
                try await given.position(.part(10_000), in: book, by: reader)
                try await given.position(.part(2000), in: book, by: reader, meant: .mine)
            default: try await given.position(.part(2000), in: book, by: reader)
            }
        }

        func open(_ book: ID<Catalog.Work>, for reader: ID<Accounts.Account>, in world: World) async throws {
            let (given, community) = (world.given, world.community)
            switch self {
            case .shelf: try await given.shelved(book, .read, by: reader)
            case .log, .finish: try await given.position(.part(self == .log ? 9999 : 10_000), in: book, by: reader)
            case .off: _ = try await community.gate.change(isOff: true, by: reader)
            case .reveal: try await community.gate.reveal(.book(book), by: reader)
            case .endOfGatedReread: try await given.shelved(book, .stopped, by: reader)
            case .rereadsNoLongerGated: _ = try await community.gate.change(gatesRereads: false, by: reader)
            case .reading:
                let shelved = try await community.library.shelved(book, of: reader)
                let reading = try #require(shelved.readings.first).id
                _ = try await community.library.change(
                    reading, of: book, Library.ReadingChange(outcome: .finished), by: reader)
            }
        }
    }

    @Test(arguments: Way.allCases)
    func `whatever opens the gate is told of`(way: Way) async throws {
        try await withWorld(leaving: [.outbox]) { world in
            let ann = try await world.given.reader()
            let board = try await GateBoard(in: world)
            let silent = try await world.given.book()
            for book in [board.book, silent] { try await way.prepare(book, ann, in: world) }
            _ = try await world.told(ann)

            // Of the other book nothing is said, and no job asks.
            try await way.open(silent, for: ann, in: world)
            if way != .off, way != .rereadsNoLongerGated { #expect(try await world.jobs("gate.unlock") == 0) }
            if way != .off, way != .rereadsNoLongerGated { try await way.open(board.book, for: ann, in: world) }

            let opened = [3000, 4000, 5000, 6000, 7000, 8000, 9000] + (way == .log ? [] : [10_000])
            #expect(try await world.told(ann) == [board.data(opened)])
        }
    }

    @Test func `what the reader may not see, wrote or had revealed is not told of`() async throws {
        // Accounts of today leave the job that counts them tomorrow.
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, hidden) = (try await world.given.account(), try await world.given.account())
            let board = try await GateBoard(in: world)
            let scope = try world.upto(500)
            _ = try await world.given.post(in: board.thread, by: hidden.id, scope: scope)
            _ = try await world.given.post(in: board.thread, by: ann.id, scope: scope)
            let known = try await world.given.post(in: board.thread, by: board.author, scope: scope)
            let gone = try await world.given.post(in: board.thread, by: board.author, scope: scope)
            let other = Boards.Also(book: try await world.given.book(), scope: .finished)
            _ = try await world.given.post(in: board.thread, by: board.author, scope: scope, also: other)
            try await world.community.gate.reveal(.post(known), by: ann.id)
            try await world.community.friends.block(ann.username, by: hidden.id)
            try await world.asSuperuser("update post set hidden_at = now() where id = \(gone)")

            try await world.given.position(.part(500), in: board.book, by: ann.id)
            #expect(try await world.told(ann.id) == [])
            try await world.given.position(.part(1000), in: board.book, by: ann.id)
            #expect(try await world.told(ann.id) == [board.data([1000])])
        }
    }

    @Test func `what gives a later book away opens with that book's gate`() async throws {
        try await withWorld(leaving: [.outbox]) { world in
            let ann = try await world.given.reader()
            let board = try await GateBoard(in: world)
            let later = try await world.given.book()
            let post = try await world.given.post(
                in: board.thread, by: board.author, also: Boards.Also(book: later, scope: try world.upto(3000)))
            try await world.given.position(.part(3000), in: later, by: ann)
            let data = #"{"ids": ["\#(post)"], "book": {"id": "\#(later)"}, "has_more": false, "post_count": 1}"#
            #expect(try await world.told(ann) == [data])
        }
    }

    @Test func `at most fifty are named and a thousand counted`() async throws {
        try await withWorld(leaving: [.outbox]) { world in
            let ann = try await world.given.reader()
            let board = try await GateBoard(in: world)
            try await world.asSuperuser(
                """
                begin;
                insert into post (id, thread_id, number, author_id, depth, path, scope, text_id, created_at, work_id)
                select number, \(board.thread), number, \(board.author), 0, lpad(to_hex(number), 16, '0'), 500, number, now(),
                       \(board.book)
                  from generate_series(100, 1200) number;
                insert into post_text (id, post_id, body, html, at)
                select number, number, 'text', '<p>text</p>', now() from generate_series(100, 1200) number;
                insert into board_scope (work_id, scope, posts) values (\(board.book), 500, 1101);
                commit;
                """)
            try await world.given.position(.part(500), in: board.book, by: ann)
            let data = try #require(try await world.told(ann).first)
            #expect(data.contains(#""post_count": 1000"#) && data.contains(#""has_more": true"#))
            #expect(data.contains(#""ids": ["1200", "1199", "#) && data.contains(#""1151"]"#))
        }
    }

    @Test func `a gate that has shut again before it was told of says nothing`() async throws {
        try await withWorld(leaving: [.outbox]) { world in
            let ann = try await world.given.reader()
            let board = try await GateBoard(in: world)
            try await world.community.gate.reveal(.book(board.book), by: ann)
            try await world.community.gate.unreveal(.book(board.book), by: ann)
            #expect(try await world.told(ann) == [])
        }
    }

    @Test func `a step that is taken back leaves no job`() async throws {
        struct Stop: Error {}
        try await withWorld(leaving: [.outbox]) { world in
            let ann = try await world.given.reader()
            let board = try await GateBoard(in: world)
            await #expect(throws: Stop.self) {
                try await world.database.transaction { _ in
                    try await world.given.position(.part(5000), in: board.book, by: ann)
                    throw Stop()
                }
            }
            #expect(try await world.jobs("gate.unlock") == 0)
        }
    }
}
