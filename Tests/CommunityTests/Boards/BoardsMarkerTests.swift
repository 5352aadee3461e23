import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database)
struct BoardsMarkerTests {
    private func followed(by reader: ID<Accounts.Account>, in world: World) async throws -> [Boards.Thread] {
        try await world.community.boards.followedThreads(of: reader, page: PageRequest()).items.compactMap {
            if case .whole(let thread) = $0 { thread } else { nil }
        }
    }

    @Test func `a marker never goes back by itself, nor beyond the last post`() async throws {
        try await withWorld { world in
            let (ann, ben) = (try await world.given.reader(), try await world.given.reader())
            let thread = try await world.given.thread(on: try await world.given.book(), by: ann).id
            for _ in 0..<4 { _ = try await world.given.post(in: thread, by: ann) }
            let boards = world.community.boards
            func unread() async throws -> Int? {
                guard case .whole(let shown) = try await boards.thread(thread, for: .reader(ben), in: world.database)
                else { return nil }
                return shown.unread
            }
            #expect(try await unread() == nil)
            try await boards.markRead(thread, upTo: 3, by: ben)
            #expect(try await unread() == 2)
            try await boards.markRead(thread, upTo: 1, by: ben)
            #expect(try await unread() == 2)
            await #expect(throws: Failure.invalid("/number", .outOfRange, "the thread has posts 1 to 5")) {
                try await boards.markRead(thread, upTo: 6, by: ben)
            }
            try await boards.markRead(thread, upTo: 5, by: ben)
            #expect(try await unread() == 0)
            try await boards.markUnread(thread, by: ben)
            #expect(try await unread() == 5)
            await #expect(throws: Failure.notFound("thread 7")) {
                try await boards.markRead(ID(rawValue: 7), upTo: 0, by: ben)
            }
        }
    }

    @Test func `what one sees no more is unfollowed, unmuted and unmarked all the same`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, ben) = (try await world.given.account(), try await world.given.account())
            let (boards, book) = (world.community.boards, try await world.given.book())
            let thread = try await world.given.thread(on: book, by: ann.id).id
            let muted = try await world.given.thread(on: book, by: ann.id).id
            try await boards.markRead(thread, upTo: 1, by: ben.id)
            try await boards.watch(thread, as: .followed, by: ben.id)
            try await boards.watch(muted, as: .muted, by: ben.id)
            try await boards.watch(boardOf: book, as: .followed, by: ben.id)
            try await world.community.friends.block(ben.username, by: ann.id)
            try await world.asSuperuser("update work set withdrawn_at = now() where id = \(book)")

            for _ in 0..<2 {
                try await boards.unwatch(thread, as: .followed, by: ben.id)
                try await boards.unwatch(muted, as: .muted, by: ben.id)
                try await boards.unwatch(boardOf: book, as: .followed, by: ben.id)
                try await boards.markUnread(thread, by: ben.id)
            }
            let nowhere = ID<Boards.Thread>(rawValue: 7)
            try await boards.markUnread(nowhere, by: ben.id)
            try await boards.unwatch(nowhere, as: .followed, by: ben.id)
            try await boards.unwatch(boardOf: ID<Catalog.Work>(rawValue: 7), as: .muted, by: ben.id)

            let left = """
                select 1 from thread_reader where reader_id = \(ben.id) and (watching is not null or read_number > 0)
                union all select 1 from board_reader where reader_id = \(ben.id)
                """
            #expect(try await world.asSuperuser(left).isEmpty)
        }
    }

    @Test func `two devices that mark at once leave the further marker`() async throws {
        try await withWorld { world in
            let (ann, ben) = (try await world.given.reader(), try await world.given.reader())
            let thread = try await world.given.thread(on: try await world.given.book(), by: ann).id
            for _ in 0..<9 { _ = try await world.given.post(in: thread, by: ann) }
            let boards = world.community.boards
            try await withThrowingDiscardingTaskGroup { group in
                for number in 0...10 {
                    group.addTask { try await boards.markRead(thread, upTo: number, by: ben) }
                }
            }
            let row = try await world.asSuperuser("select read_number from thread_reader where reader_id = \(ben)")
            #expect(row == [["10"]])
        }
    }

    @Test func `threads that are followed are listed last written in first, with what came since`() async throws {
        try await withWorld { world in
            let (ann, ben) = (try await world.given.reader(), try await world.given.reader())
            let boards = world.community.boards
            let book = try await world.given.book()
            var threads: [ID<Boards.Thread>] = []
            for title in ["One", "Two", "Three"] {
                let thread = try await world.given.thread(on: book, by: ann, title: title).id
                try await boards.watch(thread, as: .followed, by: ben)
                threads.append(thread)
            }
            try await boards.markRead(threads[0], upTo: 1, by: ben)
            for _ in 0..<2 { _ = try await world.given.post(in: threads[0], by: ann) }

            #expect(try await followed(by: ben, in: world).map(\.title) == ["One", "Three", "Two"])
            #expect(try await followed(by: ben, in: world).first?.unread == 2)
            let first = try await boards.followedThreads(of: ben, page: PageRequest(limit: 2))
            let key = try #require(first.next)
            let rest = try await boards.followedThreads(of: ben, page: PageRequest(.after(key), limit: 2))
            #expect(rest.items.count == 1 && rest.next == nil)
            let back = try await boards.followedThreads(
                of: ben, page: PageRequest(.before(try #require(rest.previous)), limit: 2))
            #expect(back.items == first.items)

            try await boards.watch(threads[0], as: .muted, by: ben)
            // Taking away what is not so changes nothing.
            try await boards.unwatch(threads[0], as: .followed, by: ben)
            try await boards.unwatch(threads[1], as: .followed, by: ben)
            #expect(try await followed(by: ben, in: world).map(\.title) == ["Three"])
            let watching = try await world.asSuperuser(
                "select coalesce(watching, 'none'), read_number from thread_reader where reader_id = \(ben) order by thread_id"
            )
            #expect(watching == [["muted", "1"], ["none", "0"], ["followed", "0"]])
        }
    }

    @Test func `a followed thread that lies ahead is a placeholder, and one that is not seen is not there`()
        async throws
    {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, ben) = (try await world.given.account(), try await world.given.account())
            let book = try await world.given.book()
            let thread = try await world.given.thread(on: book, by: ann.id, title: "The end", scope: .finished)
            let boards = world.community.boards
            try await boards.watch(thread.id, as: .followed, by: ben.id)
            let shown = try await boards.followedThreads(of: ben.id, page: PageRequest()).items
            #expect(
                shown == [
                    .gated(Gate.Placeholder(id: thread.id.rawValue, kind: "discussion", position: 10_000))
                ])
            try await world.community.friends.block(ben.username, by: ann.id)
            #expect(try await boards.followedThreads(of: ben.id, page: PageRequest()).items.isEmpty)
            for act in [Boards.Watching.followed, .muted] {
                await #expect(throws: Failure.notFound("thread \(thread.id)")) {
                    try await boards.watch(thread.id, as: act, by: ben.id)
                }
            }
            // One's own is let go of all the same.
            try await boards.unwatch(thread.id, as: .followed, by: ben.id)
        }
    }

    @Test func `the board of a book is followed or muted, under the book that it was merged into`() async throws {
        try await withWorld { world in
            let ben = try await world.given.reader()
            let (from, into) = (try await world.given.book("Old"), try await world.given.book("New"))
            let boards = world.community.boards
            try await boards.watch(boardOf: from, as: .followed, by: ben)
            try await boards.watch(boardOf: from, as: .muted, by: ben)
            try await world.community.catalog.merge(.book(from), into: .book(into), by: Catalog.Helper(World.terminal))
            #expect(
                try await world.asSuperuser("select work_id, watching from board_reader") == [[into.text, "muted"]])
            try await boards.watch(boardOf: from, as: .followed, by: ben)
            try await boards.unwatch(boardOf: from, as: .muted, by: ben)
            #expect(try await world.asSuperuser("select watching from board_reader") == [["followed"]])
            try await boards.unwatch(boardOf: from, as: .followed, by: ben)
            #expect(try await world.asSuperuser("select watching from board_reader") == [])
            await #expect(throws: Failure.notFound("book 7")) {
                try await boards.watch(boardOf: ID<Catalog.Work>(rawValue: 7), as: .followed, by: ben)
            }
        }
    }

    @Test func `as many threads and boards are followed as the limit says`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, ben) = (try await world.given.reader(), try await world.given.reader())
            let book = try await world.given.book()
            let thread = try await world.given.thread(on: book, by: ann)
            try await world.asSuperuser(
                """
                set session_replication_role = replica;
                insert into thread_reader (reader_id, thread_id, watching, at)
                select \(ben), n, 'muted', now() from generate_series(1, \(Limits.boards.watchedThreads)) n;
                insert into board_reader (reader_id, work_id, watching, at)
                select \(ben), n, 'muted', now() from generate_series(1, \(Limits.boards.watched)) n
                """)
            let boards = world.community.boards
            func full(_ bound: Int) -> Failure {
                .conflict(code: .tooManyWatched, "at most \(bound) can be followed or muted")
            }
            await #expect(throws: full(Limits.boards.watchedThreads)) {
                try await boards.watch(thread.id, as: .followed, by: ben)
            }
            await #expect(throws: full(Limits.boards.watched)) {
                try await boards.watch(boardOf: book, as: .followed, by: ben)
            }
            try await boards.markRead(thread.id, upTo: 1, by: ben)
            // Writing does not fail for it: the thread is read so far, and not followed.
            _ = try await boards.reply(.init(body: "Yes"), in: thread.id, by: ben)
            let own = try await world.asSuperuser(
                "select read_number, watching from thread_reader where reader_id = \(ben) and thread_id = \(thread.id)")
            #expect(own == [["2", nil]])
            try await boards.unwatch(ID(rawValue: 1), as: .muted, by: ben)
            _ = try await boards.reply(.init(body: "No"), in: thread.id, by: ben)
            #expect(try await followed(by: ben, in: world).map(\.id) == [thread.id])
        }
    }
}
