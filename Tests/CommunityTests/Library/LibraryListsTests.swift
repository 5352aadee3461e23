import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database)
struct LibraryListsTests {
    @Test func `a list is made, filled, reordered, changed and deleted`() async throws {
        try await withWorld { world in
            let reader = try await world.given.account()
            let store = world.community.library
            let list = try await store.make(
                Library.NewList(title: "Sea", description: "Wet ones.", visibility: .public), by: reader.identity)
            var books: [ID<Catalog.Work>] = []
            for title in ["One", "Two", "Three"] { books.append(try await world.given.book(title)) }
            func titles() async throws -> [String] {
                try await store.books(on: list.id, for: .anonymous, page: PageRequest()).items.map(\.book.title)
            }
            for book in books { #expect(try await store.put(book, on: list.id, at: .keep, by: reader.identity).isNew) }
            #expect(try await titles() == ["One", "Two", "Three"])

            #expect(try await !store.put(books[2], on: list.id, at: .first, by: reader.identity).isNew)
            #expect(try await titles() == ["Three", "One", "Two"])
            _ = try await store.put(
                books[2], on: list.id, at: .after(books[0]), note: .set("Third."), by: reader.identity)
            #expect(try await titles() == ["One", "Three", "Two"])
            #expect(try await store.list(list.id, for: .anonymous).bookCount == 3)

            try await store.take(books[0], off: list.id, by: reader.identity)
            #expect(try await titles() == ["Three", "Two"])
            let changed = try await store.change(
                list.id, Library.ListChange(title: "Shore", description: .set(nil)), by: reader.identity)
            #expect((changed.title, changed.description, changed.bookCount) == ("Shore", nil, 2))
            #expect(changed.version > list.version)
            #expect(try await world.differences() == [])
            try await store.remove(list.id, by: reader.id)
            await #expect(throws: Failure.notFound("list \(list.id)")) {
                try await store.list(list.id, for: .anonymous)
            }
        }
    }

    @Test func `any order can be made, also where there is no room between two books`() async throws {
        try await withWorld { world in
            let reader = try await world.given.account()
            let store = world.community.library
            let list = try await store.make(Library.NewList(title: "Order"), by: reader.identity)
            var order: [ID<Catalog.Work>] = []
            for _ in 0..<6 {
                let book = try await world.given.book()
                _ = try await store.put(book, on: list.id, at: .keep, by: reader.identity)
                order.append(book)
            }
            var random = world.random.fork()
            // Moving in behind the first again and again halves one gap until it is used up.
            for round in 0..<ProofCount.of(1_200) {
                let place = round % 2 == 0 ? 5 : Int.random(in: 1..<6, using: &random)
                let book = order.remove(at: place)
                let target = Int.random(in: 0...2, using: &random)
                order.insert(book, at: target)
                _ = try await store.put(
                    book, on: list.id, at: target == 0 ? .first : .after(order[target - 1]), by: reader.identity)
            }
            try await world.asSuperuser("update book_list_item set place = 0")
            let tied = try await store.books(on: list.id, for: reader.viewer, page: PageRequest()).items.map(\.book.id)
            let last = try #require(tied.last)
            _ = try await store.put(last, on: list.id, at: .after(tied[0]), by: reader.identity)
            let now = try await store.books(on: list.id, for: reader.viewer, page: PageRequest()).items.map(\.book.id)
            #expect(now == [tied[0], last] + tied[1..<5])
            #expect(Set(now) == Set(order))
            #expect(try await world.differences() == [])
        }
    }

    @Test func `moves keep the order that was asked for`() async throws {
        try await withWorld { world in
            let reader = try await world.given.account()
            let store = world.community.library
            let list = try await store.make(Library.NewList(title: "Order"), by: reader.identity)
            var order: [ID<Catalog.Work>] = []
            for _ in 0..<5 {
                let book = try await world.given.book()
                _ = try await store.put(book, on: list.id, at: .keep, by: reader.identity)
                order.append(book)
            }
            var random = world.random.fork()
            for _ in 0..<60 {
                let book = order.remove(at: Int.random(in: 0..<5, using: &random))
                let target = Int.random(in: 0...4, using: &random)
                order.insert(book, at: target)
                _ = try await store.put(
                    book, on: list.id, at: target == 0 ? .first : .after(order[target - 1]), by: reader.identity)
                let now = try await store.books(on: list.id, for: reader.viewer, page: PageRequest()).items
                #expect(now.map(\.book.id) == order)
            }
        }
    }

    @Test func `a list is seen at its level, else at the reader's setting, and changed by its reader alone`()
        async throws
    {
        try await withWorld(leaving: .outbox) { world in
            let (reader, friend, other) = (
                try await world.given.account(), try await world.given.account(), try await world.given.account()
            )
            try await world.given.friendship(reader.id, friend.id)
            let store = world.community.library
            for level in Visibility.allCases {
                _ = try await store.make(Library.NewList(title: "\(level)", visibility: level), by: reader.identity)
            }
            let usual = try await store.make(Library.NewList(title: "usual"), by: reader.identity)
            func seen(_ viewer: Viewer) async throws -> Set<String> {
                Set(try await store.lists(of: reader.username, for: viewer, page: PageRequest()).items.map(\.title))
            }
            let all: Set = ["private", "friends", "members", "public", "usual"]
            #expect(try await seen(reader.viewer) == all)
            #expect(try await seen(friend.viewer) == all.subtracting(["private"]))
            #expect(try await seen(other.viewer) == ["members", "public", "usual"])
            #expect(try await seen(.anonymous) == ["public"])
            try await world.community.profiles.change([.lists: .private], for: reader.id)
            #expect(try await seen(friend.viewer) == ["friends", "members", "public"])

            let gone = Failure.notFound("list \(usual.id)")
            let book = try await world.given.book()
            await #expect(throws: gone) { try await store.list(usual.id, for: friend.viewer) }
            await #expect(throws: gone) { try await store.books(on: usual.id, for: friend.viewer, page: PageRequest()) }
            await #expect(throws: gone) {
                try await store.change(usual.id, Library.ListChange(title: "Mine"), by: friend.identity)
            }
            await #expect(throws: gone) { try await store.put(book, on: usual.id, at: .keep, by: friend.identity) }
            await #expect(throws: gone) { try await store.take(book, off: usual.id, by: friend.identity) }
            await #expect(throws: gone) { try await store.remove(usual.id, by: friend.id) }
        }
    }

    @Test func `an unverified account's lists are for its friends`() async throws {
        try await withWorld { world in
            let reader = try await world.given.account(isVerified: false)
            let store = world.community.library
            await #expect(throws: Failure.self) {
                try await store.make(Library.NewList(title: "For all", visibility: .public), by: reader.identity)
            }
            let list = try await store.make(
                Library.NewList(title: "For friends", visibility: .friends), by: reader.identity)
            await #expect(throws: Failure.self) {
                try await store.change(list.id, Library.ListChange(visibility: .set(.members)), by: reader.identity)
            }
        }
    }

    @Test func `lists and their books page by keyset`() async throws {
        try await withWorld { world in
            let reader = try await world.given.account()
            let store = world.community.library
            for number in 0..<5 {
                _ = try await store.make(Library.NewList(title: "List \(number)"), by: reader.identity)
            }
            let whole = try await store.lists(of: reader.id, for: reader.viewer, page: PageRequest(limit: 100)).items
            #expect(whole.map(\.title) == (0..<5).reversed().map { "List \($0)" })
            let first = try await store.lists(of: reader.id, for: reader.viewer, page: PageRequest(limit: 2))
            let second = try await store.lists(
                of: reader.id, for: reader.viewer, page: PageRequest(.after(try #require(first.next)), limit: 2))
            let back = try await store.lists(
                of: reader.id, for: reader.viewer, page: PageRequest(.before(try #require(second.previous)), limit: 2))
            #expect(first.items + second.items == Array(whole.prefix(4)))
            #expect(back.items == first.items)

            let list = whole[0].id
            for _ in 0..<5 {
                _ = try await store.put(
                    try await world.given.book(), on: list, at: .keep, by: reader.identity)
            }
            let all = try await store.books(on: list, for: reader.viewer, page: PageRequest(limit: 100)).items
            let one = try await store.books(on: list, for: reader.viewer, page: PageRequest(limit: 2))
            let two = try await store.books(
                on: list, for: reader.viewer, page: PageRequest(.after(try #require(one.next)), limit: 2))
            let again = try await store.books(
                on: list, for: reader.viewer, page: PageRequest(.before(try #require(two.previous)), limit: 2))
            #expect(one.items + two.items == Array(all.prefix(4)))
            #expect(again.items == one.items)
        }
    }
}
