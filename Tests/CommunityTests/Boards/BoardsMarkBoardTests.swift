import Postgres
import TestSupport
import Testing

@testable import Community

/// A board that is marked as read as a whole.
@Suite(.database)
struct BoardsMarkBoardTests {
    /// Longer than a post may be on its way.
    private static let settled = Duration.seconds(600)

    /// What `reader` has not read, by thread; `nil` where nothing is said of it.
    private func unread(
        on book: ID<Catalog.Work>, by reader: ID<Accounts.Account>, in world: World
    ) async throws -> [ID<Boards.Thread>: Int?] {
        let page = try await world.community.boards.threads(
            on: book, sort: .oldest, for: .reader(reader), page: PageRequest(limit: 100)
        ).page
        return Dictionary(
            uniqueKeysWithValues: page.items.compactMap {
                if case .whole(let thread) = $0 { (thread.id, thread.unread) } else { nil }
            })
    }

    @Test(arguments: [Duration.zero, settled])
    func `all that stands on a board is read, what was never opened, too, and nothing that comes after`(
        age: Duration
    ) async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (given, boards) = (world.given, world.community.boards)
            let (ann, ben) = (try await given.reader(), try await given.reader())
            let (book, elsewhere) = (try await given.book(), try await given.book())
            let opened = try await given.thread(on: book, by: ann).id
            let never = try await given.thread(on: book, by: ann).id
            let other = try await given.thread(on: elsewhere, by: ann).id
            for _ in 0..<4 { _ = try await given.post(in: opened, by: ann) }
            try await boards.markRead(opened, upTo: 2, by: ben)
            world.clock.advance(by: age)

            try await boards.markRead(boardOf: book, by: ben)

            #expect(try await unread(on: book, by: ben, in: world) == [opened: 0, never: 0])
            #expect(try await unread(on: elsewhere, by: ben, in: world) == [other: nil])
            #expect(try await unread(on: book, by: try await given.reader(), in: world) == [opened: nil, never: nil])
            for _ in 0..<3 { _ = try await given.post(in: never, by: ann) }
            _ = try await given.post(in: opened, by: ann)
            let later = try await given.thread(on: book, by: ann).id
            #expect(try await unread(on: book, by: ben, in: world) == [opened: 1, never: 3, later: nil])
            let start = try await boards.posts(in: never, for: .reader(ben), start: .unread(limit: 10))
            #expect(start.page.items.count == 3)
            #expect(try await boards.open(opened, for: .reader(ben)).readNumber == 5)

            // The further marker holds, whichever it is.
            try await boards.markRead(never, upTo: 2, by: ben)
            #expect(try await unread(on: book, by: ben, in: world)[never] == 2)
            try await boards.markRead(never, upTo: 1, by: ben)
            #expect(try await unread(on: book, by: ben, in: world)[never] == 2)
            try await boards.markRead(boardOf: book, by: ben)
            #expect(try await unread(on: book, by: ben, in: world) == [opened: 0, never: 0, later: 0])
            #expect(try await world.boardMiscounts() == [])
        }
    }

    @Test func `a board takes one row, whatever stands on it`() async throws {
        try await withWorld { world in
            let (ann, ben) = (try await world.given.reader(), try await world.given.reader())
            let book = try await world.given.book()
            for _ in 0..<5 { _ = try await world.given.thread(on: book, by: ann) }
            world.clock.advance(by: Self.settled)
            for _ in 0..<2 { try await world.community.boards.markRead(boardOf: book, by: ben) }
            #expect(try await world.figure("select count(*) from thread_reader where reader_id = \(ben)") == 0)
            #expect(try await world.asSuperuser("select board_id, marks from board_read") == [[book.text, "2"]])
            await #expect(throws: Failure.notFound("book 7")) {
                try await world.community.boards.markRead(boardOf: ID<Catalog.Work>(rawValue: 7), by: ben)
            }
        }
    }

    @Test func `where more was written lately than is marked one by one, all is read the same`() async throws {
        try await withWorld { world in
            let (ann, ben) = (try await world.given.reader(), try await world.given.reader())
            let (book, bound) = (try await world.given.book(), Limits.boards.markedThreads)
            let first = IDMaker.first(at: world.clock.now(), Boards.Post.self).rawValue
            try await world.asSuperuser(
                """
                set session_replication_role = replica;
                insert into thread (id, work_id, author_id, kind, title, last_post_id, last_post_at, created_at)
                select \(first) + n * 2, \(book), \(ann), 'discussion', 'Title', \(first) + n * 2 + 1, now(), now()
                  from generate_series(1, \(bound + 90)) n;
                insert into post (id, thread_id, number, author_id, depth, path, scope, text_id, created_at)
                select last_post_id, id, 1, author_id, 0, lpad(to_hex(last_post_id), 16, '0'), 0, last_post_id, now() from thread
                """)
            try await world.community.boards.markRead(boardOf: book, by: ben)
            #expect(try await world.figure("select count(*) from thread_reader") == bound)
            // The oldest hundred: most of them have no marker of their own.
            let unread = try await unread(on: book, by: ben, in: world)
            #expect(unread.count == 100 && unread.values.allSatisfy { $0 == 0 })
        }
    }

    @Test func `a post that was on its way when its board was marked is not read`() async throws {
        try await withWorld { world in
            let (ann, ben) = (try await world.given.reader(), try await world.given.reader())
            let book = try await world.given.book()
            let (busy, quiet) = (
                try await world.given.thread(on: book, by: ann).id, try await world.given.thread(on: book, by: ann).id
            )
            _ = try await world.given.post(in: busy, by: ann)
            // It gets its number a minute after its identifier.
            world.clock.advance(by: .seconds(60))
            try await world.community.boards.markRead(boardOf: book, by: ben)
            world.clock.advance(by: .seconds(-60))
            for thread in [busy, quiet] { _ = try await world.given.post(in: thread, by: ann) }
            world.clock.advance(by: Self.settled)
            #expect(try await unread(on: book, by: ben, in: world) == [busy: 1, quiet: 1])
        }
    }

    @Test func `a thread of which nothing shall be read stays so until the board is marked again`() async throws {
        try await withWorld { world in
            let boards = world.community.boards
            let (ann, ben) = (try await world.given.reader(), try await world.given.reader())
            let book = try await world.given.book()
            let thread = try await world.given.thread(on: book, by: ann).id
            _ = try await world.given.post(in: thread, by: ann)
            try await boards.markUnread(thread, by: ben)
            #expect(try await unread(on: book, by: ben, in: world) == [thread: nil])
            world.clock.advance(by: Self.settled)
            for _ in 0..<2 {
                try await boards.markRead(boardOf: book, by: ben)
                #expect(try await unread(on: book, by: ben, in: world) == [thread: 0])
                for _ in 0..<2 { try await boards.markUnread(thread, by: ben) }
                #expect(try await unread(on: book, by: ben, in: world) == [thread: 2])
            }
            try await boards.markRead(thread, upTo: 1, by: ben)
            #expect(try await unread(on: book, by: ben, in: world) == [thread: 1])
        }
    }

    @Test func `threads that are followed say the same`() async throws {
        try await withWorld { world in
            let boards = world.community.boards
            let (ann, ben) = (try await world.given.reader(), try await world.given.reader())
            let book = try await world.given.book()
            let (one, two) = (
                try await world.given.thread(on: book, by: ann).id, try await world.given.thread(on: book, by: ann).id
            )
            for thread in [one, two] { try await boards.watch(thread, as: .followed, by: ben) }
            world.clock.advance(by: Self.settled)
            try await boards.markRead(boardOf: book, by: ben)
            for _ in 0..<2 { _ = try await world.given.post(in: two, by: ann) }
            let followed = try await boards.followedThreads(of: ben, page: PageRequest()).items
            let unread = followed.map { shown -> Int? in
                if case .whole(let thread) = shown { thread.unread } else { nil }
            }
            #expect(unread == [2, 0])
        }
    }

    @Test func `boards that become one keep apart what was read of each`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let boards = world.community.boards
            let (ann, ben) = (try await world.given.reader(), try await world.given.reader())
            let (from, into) = (try await world.given.book("Old"), try await world.given.book("New"))
            let (moved, stays) = (
                try await world.given.thread(on: from, by: ann).id, try await world.given.thread(on: into, by: ann).id
            )
            world.clock.advance(by: Self.settled)
            try await boards.markRead(boardOf: from, by: ann)
            try await boards.markRead(boardOf: into, by: ben)
            _ = try await world.given.post(in: moved, by: ben)
            try await world.asSuperuser("delete from thread_reader")

            try await world.community.catalog.merge(.book(from), into: .book(into), by: Catalog.Helper(World.terminal))

            #expect(try await unread(on: into, by: ann, in: world) == [moved: 1, stays: nil])
            #expect(try await unread(on: into, by: ben, in: world) == [moved: nil, stays: 0])
            // Marked as one they are read as one, under either name; so is what comes later.
            let later = try await world.given.thread(on: into, by: ann).id
            world.clock.advance(by: Self.settled)
            try await boards.markRead(boardOf: from, by: ben)
            #expect(try await unread(on: into, by: ben, in: world) == [moved: 0, stays: 0, later: 0])
            #expect(try await world.boardMiscounts() == [])
        }
    }

    @Test func `readers of a group's board may mark it`() async throws {
        try await withWorld { world in
            let boards = world.community.boards
            let (ann, ben, eve) = (
                try await world.given.reader(), try await world.given.reader(), try await world.given.reader()
            )
            let book = try await world.given.book()
            let club = try await world.given.club(by: ann, .private, with: [(ben, .member)])
            let thread = try await world.given.thread(on: book, by: ann).id
            // About the book, but not on its board.
            try await world.asSuperuser("update thread set group_id = \(club) where id = \(thread)")
            func unread() async throws -> Int? {
                let shown = try await boards.thread(thread, for: .reader(ben), in: world.database)
                return if case .whole(let thread) = shown { thread.unread } else { nil }
            }
            world.clock.advance(by: Self.settled)
            try await boards.markRead(boardOf: book, by: ben)
            #expect(try await unread() == nil)
            try await boards.markRead(boardOf: club, by: ben)
            #expect(try await unread() == 0)
            #expect(await refusal { try await boards.markRead(boardOf: club, by: eve) } == "no group")
            try await world.asSuperuser(
                "insert into group_invitation (group_id, reader_id, inviter_id, at) values (\(club), \(eve), \(ann), now())"
            )
            #expect(await refusal { try await boards.markRead(boardOf: club, by: eve) } == "not_a_member")
        }
    }

    @Test func `marks, replies and threads at once leave counts that add up`() async throws {
        try await withWorld(leaving: [.outbox, .jobs], settings: { $0.limitsRates = false }) { world in
            let boards = world.community.boards
            let (ann, ben) = (try await world.given.reader(), try await world.given.reader())
            let book = try await world.given.book()
            let thread = try await world.given.thread(on: book, by: ann).id
            for _ in 0..<ProofCount.of(10) {
                try await withThrowingDiscardingTaskGroup { group in
                    for _ in 0..<3 {
                        group.addTask { try await boards.markRead(boardOf: book, by: ben) }
                        group.addTask { try await boards.markUnread(thread, by: ben) }
                        group.addTask {
                            _ = try await boards.reply(.init(body: "Now", scope: .scope(.free)), in: thread, by: ann)
                        }
                    }
                }
                try await boards.markRead(boardOf: book, by: ben)
                #expect(try await unread(on: book, by: ben, in: world) == [thread: 0])
            }
            _ = try await boards.reply(.init(body: "After", scope: .scope(.free)), in: thread, by: ann)
            #expect(try await unread(on: book, by: ben, in: world) == [thread: 1])
            #expect(try await world.boardMiscounts() == [])
        }
    }

    @Test func `markers of boards go with the account`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, ben) = (try await world.given.account(), try await world.given.account())
            let book = try await world.given.book()
            for reader in [ann, ben] { try await world.community.boards.markRead(boardOf: book, by: reader.id) }
            try await world.community.accounts.close(ann.id)
            #expect(try await world.asSuperuser("select reader_id from board_read") == [[ben.id.text]])
        }
    }
}
