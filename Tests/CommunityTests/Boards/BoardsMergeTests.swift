import Postgres
import TestSupport
import Testing

@testable import Community

/// What becomes of boards where two books turn out to be one.
@Suite(.database)
struct BoardsMergeTests {
    private let librarian = Catalog.Helper(World.terminal)

    @Test func `the board of a merged book is that of the other, counts and all`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, ben) = (try await world.given.reader(), try await world.given.reader())
            let (from, into, later) = (
                try await world.given.book("Old"), try await world.given.book("New"),
                try await world.given.book("Later")
            )
            let boards = world.community.boards
            let moved = try await world.given.thread(on: from, by: ann, title: "Moved", scope: .finished)
            _ = try await world.given.post(in: moved.id, by: ben, scope: .finished)
            _ = try await world.given.thread(on: into, by: ann, title: "Stays")
            let also = try await world.given.thread(
                on: later, by: ben, also: Boards.Also(book: from, scope: .finished))
            try await boards.watch(boardOf: from, as: .followed, by: ann)
            try await boards.watch(boardOf: from, as: .followed, by: ben)
            try await boards.watch(boardOf: into, as: .muted, by: ben)
            try await world.asSuperuser(
                "update thread set pinned_at = now() where id = \(moved.id)")
            for place in 0..<5 {
                let pinned = try await world.given.thread(on: into, by: ann)
                try await world.asSuperuser(
                    "update thread set pinned_at = now() - interval '\(place + 1) hours' where id = \(pinned.id)")
            }

            try await world.community.catalog.merge(.book(from), into: .book(into), by: librarian)

            for book in [from, into] {
                let page = try await boards.threads(on: book, for: .reader(ann), page: PageRequest())
                #expect(page.pinned.count == 5 && page.page.items.count == 2)
                #expect(page.board.posts == 8 && page.board.ahead == 2)
            }
            #expect(try await world.asSuperuser("select count(*) from thread where work_id = \(from)") == [["0"]])
            #expect(
                try await world.asSuperuser("select work_id, posts from board_scope where scope = 10000 and posts > 0")
                    == [[into.text, "2"]])
            #expect(
                try await world.asSuperuser("select work_id, watching from board_reader order by reader_id")
                    == [[into.text, "followed"], [into.text, "muted"]])
            #expect(
                try await world.asSuperuser("select also_work_id from post where id = \(also.post)") == [[into.text]])
            #expect(try await world.database.differences(of: Boards.self) == [])
        }
    }

    @Test func `replies to a thread while its book is merged away are counted on the other's board`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let ann = try await world.given.reader()
            let boards = world.community.boards
            for isReplyFirst in [true, false] {
                let (from, into) = (try await world.given.book("Old"), try await world.given.book("New"))
                let thread = try await world.given.thread(on: from, by: ann).id
                let reply: @Sendable () async throws -> Void = {
                    _ = try await boards.reply(Boards.NewPost(body: "Yes.", scope: .scope(.free)), in: thread, by: ann)
                }
                let merge: @Sendable () async throws -> Void = {
                    try await world.community.catalog.merge(
                        .book(from), into: .book(into), by: Catalog.Helper(World.terminal))
                }
                try await world.meeting(isReplyFirst ? reply : merge, isReplyFirst ? merge : reply)
                #expect(
                    try await world.asSuperuser(
                        "select scope, posts from board_scope where work_id = \(into) and posts > 0") == [["0", "2"]])
                #expect(try await world.database.differences(of: Boards.self) == [])
            }
        }
    }

    @Test func `a reply that names a book which is being merged away names the other`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let ann = try await world.given.reader()
            let works = try await world.given.series(of: 3)
            let (from, into) = (works[1], works[2])
            let thread = try await world.given.thread(on: works[0], by: ann).id
            let new = Boards.NewPost(body: "He is back.", scope: .scope(.free), also: Boards.SaidAlso(book: from))
            let post = try await world.meeting {
                try await world.community.catalog.merge(.book(from), into: .book(into), by: librarian)
            } _: {
                try await world.community.boards.reply(new, in: thread, by: ann).post
            }
            #expect(post.also?.book == into)
            #expect(
                try await world.asSuperuser("select also_work_id from post where id = \(post.id)") == [[into.text]])
        }
    }
}
