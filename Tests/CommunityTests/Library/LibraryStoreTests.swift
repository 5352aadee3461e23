import EventLog
import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database)
struct LibraryStoreTests {
    @Test func `a book is shelved, moved and taken out, and the counters follow`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let reader = try await world.given.reader()
            let book = try await world.given.book("Emma")
            let store = world.community.library

            let added = try await store.put(Library.Move(.want), on: book, by: reader)
            guard case .added(let first) = added else { return try #require(Bool(false), "\(added)") }
            #expect((first.entry.status, first.entry.version, first.readings.count) == (.want, 1, 0))
            #expect(try await store.readers(of: book) == (1, 0, 0))

            let moved = try await store.put(Library.Move(.reading), on: book, by: reader).shelved
            #expect((moved.entry.id, moved.entry.status, moved.entry.version) == (first.entry.id, .reading, 2))
            #expect(try await store.readers(of: book) == (0, 1, 0))
            let read = try await store.put(Library.Move(.read), on: book, by: reader).shelved
            #expect(read.readings.map(\.outcome) == [.finished])
            #expect((read.entry.started, read.entry.finished, read.entry.timesRead) == (nil, world.today, 1))
            #expect(try await store.readers(of: book) == (0, 0, 1))
            let counts = try await store.counts(of: reader, for: .reader(reader))
            #expect((counts.all, counts[.read], counts[.reading], counts[.want]) == (1, 1, 0, 0))

            try await store.remove(book, by: reader)
            #expect(try await store.statuses(of: [book], for: reader).isEmpty)
            #expect(try await store.readers(of: book) == (0, 0, 0))
            #expect(try await store.counts(of: reader, for: .reader(reader)).all == 0)
            #expect(try await world.differences().isEmpty)
            try await world.clearOutbox()
            try await store.remove(book, by: reader)
            #expect(try await world.outbox().isEmpty)
            await #expect(throws: Failure.notFound("book 1")) {
                try await store.remove(ID<Catalog.Work>(rawValue: 1), by: reader)
            }
        }
    }

    @Test func `a book that is read again is on reading and stays on read, and counts one reader`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let reader = try await world.given.reader()
            let book = try await world.given.book()
            let store = world.community.library
            let year = try #require(PartialDate(text: "2019"))

            try await world.given.shelved(book, .read, by: reader, finished: year)
            try await world.given.shelved(book, .reading, by: reader)

            #expect(try await world.titles(.read, of: reader).count == 1)
            #expect(try await world.titles(.reading, of: reader).count == 1)
            let counts = try await store.counts(of: reader, for: .reader(reader))
            #expect((counts.all, counts[.read], counts[.reading]) == (1, 1, 1))
            #expect(try await store.readers(of: book) == (0, 1, 1))

            let again = try await store.put(Library.Move(.read), on: book, by: reader).shelved
            #expect(again.entry.timesRead == 2)
            #expect(again.readings.map(\.finished) == [world.today, year])
            #expect(try await store.readers(of: book) == (0, 0, 1))
            #expect(try await world.differences().isEmpty)
        }
    }

    @Test func `a book that is read ended today where its reader is`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (reader, book) = (try await world.given.reader(), try await world.given.book())
            let store = world.community.library
            world.clock.set(try #require(Timestamp(text: "2030-06-01T22:30:00Z")))
            for (zone, day) in [("UTC", "2030-06-01"), ("Europe/Berlin", "2030-06-02"), ("America/Lima", "2030-06-01")]
            {
                try await world.community.profiles.put(timeZone: zone, of: reader)
                let read = try await store.put(Library.Move(.read), on: book, by: reader).shelved
                #expect(read.entry.finished?.text == day, "\(zone)")
                try await store.remove(book, by: reader)
            }
            let open = try await store.put(Library.Move(.read, finished: .set(nil)), on: book, by: reader).shelved
            #expect(open.entry.finished == nil)
        }
    }

    @Test func `dates are changed and cleared, and none is made up by moving but the day of the end`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let reader = try await world.given.reader()
            let book = try await world.given.book()
            let store = world.community.library
            let (may, day) = (try #require(PartialDate(text: "2024-05")), try #require(PartialDate(text: "2024-06-01")))

            let begun = try await store.put(Library.Move(.reading, started: .set(may)), on: book, by: reader).shelved
            #expect((begun.entry.started, begun.entry.finished) == (may, nil))
            let ended = try await store.put(Library.Move(.read, finished: .set(day)), on: book, by: reader).shelved
            #expect((ended.entry.started, ended.entry.finished) == (may, day))
            let cleared = try await store.put(Library.Move(.read, started: .set(nil)), on: book, by: reader).shelved
            #expect((cleared.entry.started, cleared.entry.finished) == (nil, day))
            #expect(cleared.readings.count == 1)
        }
    }

    @Test func `two devices that move one book at once end in one status`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let reader = try await world.given.reader()
            let store = world.community.library
            for _ in 0..<ProofCount.of(100) {
                let book = try await world.given.book()
                let outcomes = try await withThrowingTaskGroup(of: Library.Store.Outcome.self) { group in
                    for status in [Library.Status.reading, .read, .want, .paused] {
                        group.addTask { try await store.put(Library.Move(status), on: book, by: reader) }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(Set(outcomes.map(\.shelved.entry.id)).count == 1)
                #expect(Set(outcomes.map(\.shelved.entry.version)) == [1, 2, 3, 4])
                let last = outcomes.max { $0.shelved.entry.version < $1.shelved.entry.version }
                #expect(try await store.statuses(of: [book], for: reader)[book] == last?.shelved.entry.status)
            }
            #expect(try await world.differences().isEmpty)
        }
    }

    @Test func `putting the same again changes nothing and tells nobody`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let reader = try await world.given.reader()
            let book = try await world.given.book()
            let move = Library.Move(.want, note: .set("Ben said so."))
            let first = try await world.community.library.put(move, on: book, by: reader).shelved
            try await world.clearOutbox()

            #expect(try await world.community.library.put(move, on: book, by: reader) == .unchanged(first))
            #expect(try await world.outbox().isEmpty)
        }
    }

    @Test func `counters are exact under many writers of books, ratings and settings`() async throws {
        try await withWorld(leaving: .outbox) { world in
            var readers: [ID<Accounts.Account>] = []
            for _ in 0..<6 { readers.append(try await world.given.reader()) }
            var books: [ID<Catalog.Work>] = []
            for _ in 0..<3 { books.append(try await world.given.book()) }
            let (store, works) = (world.community.library, books)
            try await withThrowingTaskGroup { group in
                // Two devices for each reader.
                for reader in readers + readers {
                    let random = world.random.fork()
                    group.addTask {
                        var random = random
                        for _ in 0..<ProofCount.of(600) {
                            let book = works[Int.random(in: 0..<works.count, using: &random)]
                            switch Int.random(in: 0..<10, using: &random) {
                            case 0:
                                try await store.remove(book, by: reader)
                            case 1:
                                let level = Visibility.allCases.randomElement(using: &random) ?? .members
                                try await world.community.profiles.change([.shelves: level], for: reader)
                            case 2: try await world.given.review(by: reader, of: book, rating: 3)
                            case 3:
                                try await world.community.reviews.remove(on: book, by: reader)
                            default:
                                let status = Library.Status.allCases.randomElement(using: &random) ?? .want
                                let level: FieldChange<Visibility> =
                                    Bool.random(using: &random)
                                    ? .set(Visibility.allCases.randomElement(using: &random)) : .keep
                                _ = try await store.put(
                                    Library.Move(status, visibility: level), on: book, by: reader)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await world.differences() == [])
        }
    }

    @Test func `a move is an act and an event, undone when the book is taken out`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let reader = try await world.given.reader()
            let book = try await world.given.book()
            for status in [Library.Status.want, .reading, .want, .reading] {
                try await world.given.shelved(book, status, by: reader)
            }
            func acts() async throws -> [String] {
                try await world.asSuperuser("select kind from activity where undone_at is null order by kind")
                    .compactMap(\.first).compactMap(\.self)
            }
            #expect(try await acts() == ["shelf.reading", "shelf.want"])
            let events = try await world.outbox()
            #expect(events.map(\.kind) == Array(repeating: "shelf.moved", count: 4))
            #expect(events.allSatisfy { $0.topics == "{reader:\(reader)}" })

            try await world.community.library.remove(book, by: reader)
            #expect(try await acts() == [])
            #expect(try await world.outbox().last?.kind == "shelf.removed")
            #expect(try await world.differences() == [])
        }
    }

    @Test func `what turns out not to have been read is no longer told`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let reader = try await world.given.reader()
            let book = try await world.given.book()
            try await world.given.shelved(book, .read, by: reader)
            try await world.given.shelved(book, .want, by: reader)
            #expect(
                try await world.asSuperuser("select kind from activity where undone_at is null") == [["shelf.want"]])
            #expect(try await world.community.library.readers(of: book) == (1, 0, 0))
        }
    }

    @Test func `an edition must be one of the book's`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let reader = try await world.given.reader()
            let (book, other) = (try await world.given.book(), try await world.given.book())
            func edition(of work: ID<Catalog.Work>) async throws -> ID<Catalog.Edition> {
                let rows = try await world.asSuperuser("select id from edition where work_id = \(work)")
                return try #require(rows.first?.first.flatMap(\.self).flatMap { ID(text: $0) })
            }
            let own = try await edition(of: book)
            let foreign = try await edition(of: other)
            let store = world.community.library

            let shelved = try await store.put(Library.Move(.reading, edition: .set(own)), on: book, by: reader).shelved
            #expect(shelved.entry.edition == own)
            await #expect(throws: Failure.invalid("/edition_id", .unknown, "is no edition of this book")) {
                try await store.put(Library.Move(.reading, edition: .set(foreign)), on: book, by: reader)
            }
            let kept = try await store.put(Library.Move(.read), on: book, by: reader).shelved
            #expect(kept.entry.edition == own)
        }
    }

    @Test func `who may not write does not shelve, and what does not exist is not shelved`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let frozen = try await world.given.account(state: .frozen)
            let book = try await world.given.book()
            let store = world.community.library
            await #expect(throws: Failure.self) { try await store.put(Library.Move(.want), on: book, by: frozen.id) }
            let reader = try await world.given.reader()
            await #expect(throws: Failure.notFound("book 1")) {
                try await store.put(Library.Move(.want), on: ID(rawValue: 1), by: reader)
            }
        }
    }

    @Test func `a book that the catalogue no longer shows is taken out by who has it`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let reader = try await world.given.reader()
            let book = try await world.given.book()
            let store = world.community.library
            try await world.given.shelved(book, by: reader)
            try await world.asSuperuser("update work set withdrawn_at = now() where id = \(book)")
            await #expect(throws: Failure.notFound("book \(book)")) {
                try await store.put(Library.Move(.read), on: book, by: reader)
            }
            try await store.remove(book, by: reader)
            #expect(try await store.counts(of: reader, for: .reader(reader)).all == 0)
            #expect(try await world.differences() == [])
        }
    }

    @Test func `an account counts from the day it comes of age, and not while it is suspended`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let reader = try await world.given.reader(bornHoursAgo: 1)
            let book = try await world.given.book()
            let store = world.community.library
            try await world.given.shelved(book, by: reader)
            #expect(try await store.readers(of: book) == (0, 0, 0))
            #expect(
                try await world.asSuperuser("select kind, unique_key from job") == [
                    ["library.count_reader", reader.text]
                ])

            world.clock.advance(by: .seconds(24 * 3600))
            try await store.countChanged()
            #expect(try await store.readers(of: book) == (1, 0, 0))

            try await world.asSuperuser("update account set state = 'suspended' where id = \(reader)")
            try await store.countChanged()
            #expect(try await store.readers(of: book) == (0, 0, 0))
            #expect(try await world.differences() == [])
        }
    }

    @Test func `an account that ends leaves nothing of its library behind`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let reader = try await world.given.account()
            let book = try await world.given.book()
            world.clock.advance(by: .seconds(100 * 3600))
            try await world.given.shelved(book, .read, by: reader.id)
            let list = try await world.community.library.make(Library.NewList(title: "Mine"), by: reader.identity)
            _ = try await world.community.library.put(book, on: list.id, at: .keep, by: reader.identity)
            try await world.community.profiles.change([.shelves: .public], for: reader.id)

            try await world.community.accounts.close(reader.id)

            for table in [
                "shelf_entry", "reading", "shelf_tally", "privacy", "book_list", "book_list_item", "activity",
            ] {
                #expect(try await world.asSuperuser("select 1 from \(table)").isEmpty, "\(table)")
            }
            #expect(try await world.community.library.readers(of: book) == (0, 0, 0))
            #expect(try await world.differences() == [])
        }
    }

    @Test func `a work that somebody shelved is not withdrawn by an import`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let reader = try await world.given.reader()
            let book = try await world.given.book()
            try await world.given.shelved(book, by: reader)
            let outcome = try await world.community.catalog.remove(from: "test")
            #expect((outcome.removed, outcome.kept) == (0, 1))
        }
    }
}

extension World {
    /// The username behind an account.
    func name(of reader: ID<Accounts.Account>) async throws -> String {
        try await asSuperuser("select username from account where id = \(reader)").first?.first?.flatMap(\.self) ?? ""
    }

    /// Titles on a shelf, as `viewer` (the reader where it is left out) sees it.
    func titles(
        _ status: Library.Status, of reader: ID<Accounts.Account>, for viewer: Viewer? = nil,
        sort: Library.Sort = .added, filter: Library.Filter = Library.Filter(), withPaused: Bool = false
    ) async throws -> [String] {
        try await community.library.shelf(
            Library.Shelf(status, withPaused: withPaused), of: try await name(of: reader),
            for: viewer ?? .reader(reader), sort: sort, filter: filter, page: PageRequest(limit: 100)
        ).page.items.map(\.book.title)
    }
}

extension World {
    /// In UTC.
    fileprivate var today: PartialDate { PartialDate(clock.now().day, .day) }
}
