import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database)
struct LibraryMergeTests {
    private func merge(_ from: ID<Catalog.Work>, into target: ID<Catalog.Work>, in world: World) async throws {
        try await world.community.catalog.merge(.book(from), into: .book(target), by: Catalog.Helper(World.terminal))
    }

    @Test func `entries and lists follow a book into the one that it was merged into`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let reader = try await world.given.account()
            world.clock.advance(by: .seconds(100 * 3600))
            let (from, target) = (try await world.given.book("Old"), try await world.given.book("New"))
            let store = world.community.library
            try await world.given.shelved(from, .read, by: reader.id)
            let list = try await store.make(Library.NewList(title: "Mine"), by: reader.identity)
            _ = try await store.put(from, on: list.id, at: .keep, by: reader.identity)

            try await merge(from, into: target, in: world)

            #expect(try await world.titles(.read, of: reader.id) == ["New"])
            #expect(try await store.shelved(from, of: reader.id).entry.book.title == "New")
            #expect(try await store.readers(of: target) == (0, 0, 1))
            #expect(
                try await store.books(on: list.id, for: reader.viewer, page: PageRequest()).items.map(\.book.title)
                    == ["New"])
            #expect(try await world.differences() == [])
            // A call that still names the old one reaches the new one.
            let moved = try await store.put(Library.Move(.reading), on: from, by: reader.id).shelved
            #expect((moved.entry.book.id, moved.entry.timesRead) == (target, 1))
        }
    }

    @Test(arguments: Library.Status.allCases, Library.Status.allCases)
    func `who has both keeps one, with the status chosen last and every reading`(
        earlier: Library.Status, later: Library.Status
    ) async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let reader = try await world.given.reader()
            let (from, target) = (try await world.given.book("Old"), try await world.given.book("New"))
            let store = world.community.library
            let year = try #require(PartialDate(text: "2020"))
            func begun(_ status: Library.Status) -> PartialDate? { status == .want ? nil : year }
            // Both orders: the newer status may be that of either book.
            for (first, second) in [(from, target), (target, from)] {
                try await world.given.shelved(first, earlier, by: reader, started: begun(earlier))
                world.clock.advance(by: .seconds(60))
                try await world.given.shelved(second, later, by: reader, started: begun(later), visibility: .friends)
                let list = try await world.given.listed([from, target], by: reader)

                try await merge(from, into: target, in: world)

                let kept = try await store.shelved(target, of: reader)
                #expect(kept.entry.status == later)
                #expect(kept.entry.own?.visibility == .friends)
                #expect(kept.readings.count == [earlier, later].count { $0 != .want })
                #expect(try await world.titles(later, of: reader) == ["New"])
                #expect(try await store.list(list, for: .reader(reader)).bookCount == 1)
                #expect(try await world.differences() == [])

                try await world.asSuperuser("update work set merged_into = null where id = \(from)")
                try await store.remove(target, by: reader)
                try await store.remove(list, by: reader)
            }
        }
    }
}

extension Given {
    /// A list of these books, made by an account that may.
    fileprivate func listed(
        _ books: [ID<Catalog.Work>], by reader: ID<Accounts.Account>
    ) async throws -> ID<Library.List> {
        let identity = Accounts.Identity(
            account: reader, session: .min, username: "", role: .member, state: .active, isVerified: true,
            createdAt: world.clock.now(), lastUsedAt: world.clock.now(), scopes: nil)
        let list = try await world.community.library.make(Library.NewList(title: "Both"), by: identity).id
        for book in books { _ = try await world.community.library.put(book, on: list, at: .keep, by: identity) }
        return list
    }
}
