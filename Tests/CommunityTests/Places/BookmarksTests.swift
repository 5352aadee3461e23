import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database)
struct BookmarksTests {
    @Test func `a book holds several bookmarks, which are called and moved as one likes`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let reader = try await world.given.reader()
            let book = try await world.given.book("Emma")
            let store = world.community.places

            let late = try await store.mark(.page(90, of: 100), label: "Box Hill", in: book, by: reader)
            let early = try await store.mark(.part(100), label: nil, in: book, by: reader)
            #expect((late.position, late.page, late.label, late.version) == (9000, 90, "Box Hill", 1))
            func found() async throws -> [Places.Bookmark] {
                try await store.bookmarks(in: book, of: reader, page: PageRequest()).items
            }
            #expect(try await found() == [early, late])

            let moved = try await store.change(early.id, to: .part(9500), label: .set("End"), by: reader)
            #expect((moved.position, moved.label, moved.version) == (9500, "End", 2))
            #expect(try await store.change(early.id, to: nil, label: .keep, by: reader) == moved)
            await #expect(throws: Failure.preconditionFailed("it has changed since you read it")) {
                try await store.change(early.id, to: nil, label: .set(nil), by: reader, ifVersion: .version(1))
            }
            #expect(try await found().map(\.id) == [late.id, early.id])
            try await store.remove(late.id, by: reader)
            #expect(try await found() == [moved])
        }
    }

    @Test func `without a place the bookmark is where the reader left off`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let reader = try await world.given.reader()
            let book = try await world.given.book()
            let store = world.community.places
            await #expect(throws: Failure.self) { try await store.mark(nil, label: nil, in: book, by: reader) }
            try await world.given.position(.page(37, of: 200), in: book, by: reader)

            let mark = try await store.mark(nil, label: nil, in: book, by: reader)

            #expect((mark.position, mark.page) == (1850, 37))
            // A page alone counts in the reader's own copy.
            #expect(try await store.mark(.page(100, of: nil), label: nil, in: book, by: reader).position == 5000)
        }
    }

    @Test func `bookmarks are listed across books, page by page, for their reader alone`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (reader, other) = (try await world.given.reader(), try await world.given.reader())
            try await world.given.friendship(reader, other)
            let store = world.community.places
            var marks: [Places.Bookmark] = []
            for number in 0..<5 {
                let book = try await world.given.book("Book \(number)")
                marks.append(try await store.mark(.part(number), label: nil, in: book, by: reader))
            }
            let first = try await store.bookmarks(of: reader, page: PageRequest(limit: 3))
            #expect(first.items == Array(marks.reversed().prefix(3)))
            let second = try await store.bookmarks(
                of: reader, page: PageRequest(.after(try #require(first.next)), limit: 3))
            #expect(second.items == marks.prefix(2).reversed())
            let back = PageRequest<ID<Places.Bookmark>>(.before(try #require(second.previous)), limit: 3)
            #expect(try await store.bookmarks(of: reader, page: back).items == first.items)

            #expect(try await store.bookmarks(of: other, page: PageRequest()).items == [])
            let mark = try #require(marks.first)
            await #expect(throws: Failure.notFound("bookmark \(mark.id)")) {
                try await store.bookmark(mark.id, of: other)
            }
            await #expect(throws: Failure.notFound("bookmark \(mark.id)")) {
                try await store.remove(mark.id, by: other)
            }
        }
    }

    @Test func `bookmarks and positions go with the account`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let reader = try await world.given.account()
            let book = try await world.given.book()
            _ = try await world.community.places.mark(.part(10), label: "Mine", in: book, by: reader.id)
            try await world.given.position(.part(20), in: book, by: reader.id)

            try await world.community.accounts.close(reader.id)

            #expect(try await world.asSuperuser("select id from bookmark union all select id from progress") == [])
        }
    }
}
