import Jobs
import Postgres
import TestSupport
import Testing

@testable import Community

/// When neighbours are worked out, and what is left where that goes wrong.
@Suite(.database)
struct SuggestionsRefreshTests {
    @Test func `an empty server has an empty generation, and no list that is empty without a reason`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (book, reader) = (try await world.given.book(), try await world.given.reader())
            let store = world.community.suggestions
            let unmade = try await store.related(to: book)
            #expect(unmade.items.isEmpty && unmade.emptiness == .notMade && unmade.asOf == nil)
            try await store.refreshWhereDue()
            let made = try await store.related(to: book)
            #expect(made.items.isEmpty && made.emptiness == .noData && made.asOf == world.clock.now())
            // The one book that there is, is popular.
            let own = try await store.suggestions(for: reader, of: .all)
            #expect(own.items.map(\.book.id) == [book] && own.emptiness == nil)
            try await world.given.shelved(book, .read, by: reader)
            #expect(try await store.suggestions(for: reader, of: .all).emptiness == .noData)
            #expect(try await store.suggestions(for: reader, of: .friends).emptiness == .noFriends)
            let generation = try #require(try await store.generation())
            #expect(generation.rows == 0 && generation.readers == 0)
            #expect(try await world.database.differences(of: Suggestions.self) == [])
        }
    }

    @Test func `neighbours are made anew each hour while readers are few, then each day, at once where there are none`()
        async throws
    {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let store = world.community.suggestions
            func made() async throws -> Timestamp? { try await store.generation()?.asOf }
            world.clock.set(CalendarDate(days: world.clock.now().day.days - 2).beginning + .seconds(36_000))
            let first = world.clock.now()
            try await store.refreshWhereDue()
            world.clock.advance(by: .seconds(600))
            try await store.refreshWhereDue()
            #expect(try await made() == world.clock.now(), "it was empty")

            let books = [try await world.given.book(), try await world.given.book()]
            for _ in 0..<2 {
                let reader = try await world.given.reader()
                for book in books { try await world.given.shelved(book, .read, by: reader) }
            }
            world.clock.advance(by: .seconds(600))
            try await store.refreshWhereDue()
            let filled = try #require(try await made())
            #expect(filled == world.clock.now())
            world.clock.advance(by: .seconds(3_599))
            try await store.refreshWhereDue()
            #expect(try await made() == filled)
            world.clock.advance(by: .seconds(1))
            try await store.refreshWhereDue()
            #expect(try await made() == world.clock.now())

            try await world.asSuperuser("update related_generation set readers = 1000")
            let grown = try #require(try await made())
            world.clock.advance(by: .seconds(7_200))
            try await store.refreshWhereDue()
            #expect(try await made() == grown && grown.day == first.day)
            world.clock.advance(by: .seconds(43_200))
            try await store.refreshWhereDue()
            #expect(try await made() == world.clock.now())
        }
    }

    @Test func `each tenth suggestion is not made of the reader's shelves, and the others stand behind`() {
        func mixed(_ own: Int, _ others: Int) -> [Int] {
            Suggestions.Store.mixed((0..<own).map { $0 + 1 }, (0..<others).map { $0 + 101 })
        }
        #expect(mixed(0, 2) == [101, 102])
        #expect(mixed(9, 1) == Array(1...9) + [101])
        #expect(mixed(10, 1) == Array(1...9) + [101, 10])
        #expect(mixed(25, 3) == Array(1...9) + [101] + Array(10...18) + [102] + Array(19...25) + [103])
        #expect(mixed(25, 0) == Array(1...25))
    }

    @Test func `what a run left that was killed is shown to nobody, and taken away by the next`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (books, reader) = try await world.pairOfBooks()
            let store = world.community.suggestions
            try await store.refresh()
            let good = try #require(try await store.generation())
            let shown = try await store.related(to: books[0])
            #expect(shown.items.map(\.book.id) == [books[1]])

            // As a process leaves it that ends before the last step.
            let other = try await world.given.book("Half")
            let half = try await world.database.one(Suggestions.Statements.Begin(asOf: world.clock.now()))
            try await world.asSuperuser(
                """
                insert into related_work (generation_id, work_id, other_id, score, readers, rank)
                values (\(half), \(books[0]), \(other), 0.9, 7, 1)
                """)
            world.clock.advance(by: .seconds(60))
            #expect(try await store.generation() == good)
            let again = try await store.related(to: books[0])
            #expect(again.items.map(\.book.id) == [books[1]] && again.asOf == good.asOf)
            #expect(try await world.database.differences(of: Suggestions.self) == [])

            try await store.refresh()
            let generations = try await world.asSuperuser("select count(*) from related_generation")
            let left = try await world.asSuperuser("select count(distinct generation_id) from related_work")
            #expect(generations == [["1"]] && left == [["1"]])
            #expect(try await store.generation()?.asOf == world.clock.now())
            #expect(try await store.suggestions(for: reader, of: .all).asOf == world.clock.now())
        }
    }

    @Test func `a run whose generation another took away shows nothing`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            _ = try await world.pairOfBooks()
            let store = world.community.suggestions
            try await store.refresh()
            let good = try await store.generation()
            let begun = try await world.database.one(Suggestions.Statements.Begin(asOf: world.clock.now()))
            try await world.database.run(Suggestions.Statements.DropGenerations())
            let shows = Suggestions.Statements.Show(generation: begun, readers: 1, rows: 1)
            #expect(try await world.database.run(shows) == 0)
            #expect(try await store.generation() == good)
        }
    }

    @Test func `the job works out neighbours once, however often it is asked for`() async throws {
        try await withWorld(leaving: [.outbox]) { world in
            let (books, _) = try await world.pairOfBooks()
            try await world.asSuperuser("delete from job")
            let worker = Jobs.Worker(database: world.database, logger: world.logger)
            Suggestions.register(on: worker, community: world.community)
            try await Suggestions.Refresh().enqueue(in: world.database)
            try await Suggestions.Refresh().enqueue(in: world.database)
            let drained = try await worker.drain()
            #expect(drained.done == 1 && drained.failures.isEmpty)
            #expect(try await world.related().map(\.work) == books.sorted())
        }
    }

    @Test func `a book that merges is neither a neighbour nor asked for, and dismissals of it go over`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (books, reader) = try await world.pairOfBooks()
            let store = world.community.suggestions
            let (into, other) = (try await world.given.book("Kept"), try await world.given.reader())
            try await store.refresh()
            for dismisser in [reader, other] { try await store.dismiss(books[1], by: dismisser) }
            try await store.dismiss(into, by: other)
            let librarian = Catalog.Helper(World.terminal)
            try await world.community.catalog.merge(.book(books[1]), into: .book(into), by: librarian)

            #expect(try await store.related(to: books[0]).items.isEmpty)
            // The one that stays is asked: it has no neighbours yet.
            #expect(try await store.related(to: books[1]).emptiness == .noData)
            let dismissed = try await world.asSuperuser("select reader_id, work_id from dismissed_book order by 1")
            #expect(dismissed == [reader, other].sorted().map { [$0.text, into.text] })
            try await store.refresh()
            #expect(try await store.related(to: books[0]).items.map(\.book.id) == [into])
            #expect(try await store.related(to: books[1]).items.map(\.book.id) == [books[0]])
            #expect(try await world.database.differences(of: Community.domains) == [])
        }
    }

    @Test func `a book that is merged while it is dismissed is dismissed as the one that stays`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (from, into) = (try await world.given.book("Old"), try await world.given.book("New"))
            let reader = try await world.given.reader()
            let librarian = Catalog.Helper(World.terminal)
            try await world.meeting {
                try await world.community.catalog.merge(.book(from), into: .book(into), by: librarian)
            } _: {
                try await world.community.suggestions.dismiss(from, by: reader)
            }
            #expect(try await world.asSuperuser("select work_id from dismissed_book") == [[into.text]])
        }
    }

    @Test func `a check finds rows that are missing, out of order or told otherwise from elsewhere`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            _ = try await world.pairOfBooks()
            try await world.community.suggestions.refresh()
            func found(_ change: String) async throws -> [String] {
                try await world.asSuperuser(change)
                let lines = try await world.database.differences(of: Suggestions.self)
                try await world.community.suggestions.refresh()
                return lines
            }
            #expect(try await world.database.differences(of: Suggestions.self) == [])
            #expect(try await found("update related_generation set row_count = 3").count == 1)
            #expect(try await found("update related_generation set made_at = null").count == 1)
            #expect(try await found("update related_work set rank = 2").count == 2)
            let odd = "set readers = 5 where work_id = (select min(work_id) from related_work)"
            #expect(try await found("update related_work " + odd).count == 1)
        }
    }
}

extension World {
    /// Two books that two readers read, by different authors, and a third reader who read the first.
    func pairOfBooks() async throws -> (books: [ID<Catalog.Work>], reader: ID<Accounts.Account>) {
        let books = [try await given.book("One", by: "Ann One"), try await given.book("Two", by: "Tom Two")]
        for _ in 0..<2 {
            let reader = try await given.reader()
            for book in books { try await given.shelved(book, .read, by: reader) }
        }
        let reader = try await given.reader()
        try await given.shelved(books[0], .read, by: reader)
        return (books, reader)
    }
}
