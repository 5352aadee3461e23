import Postgres
import TestSupport
import Testing

@testable import Community

/// What counts, and that the sums are what was done.
@Suite(.database)
struct RankingFoldTests {
    @Test func `a reader counts once a day for a book, with the largest weight of what stands`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, ben) = (try await world.given.reader(), try await world.given.reader())
            let book = try await world.given.book()
            try await world.given.shelved(book, .want, by: ann)
            #expect(try await world.folded(book) == [Sum(1, of: 1)])
            try await world.given.shelved(book, .reading, by: ann)
            #expect(try await world.folded(book) == [Sum(2, of: 1)])
            try await world.given.review(by: ann, of: book, body: "Good.")
            try await world.given.praised(book, by: ann)
            try await world.given.praised(book, .favourite, by: ben)
            #expect(try await world.folded(book) == [Sum(3, of: 1)])
            try await world.given.shelved(book, .want, by: ben)
            #expect(try await world.folded(book) == [Sum(4, of: 2)])

            try await world.community.praise.remove(.recommendation, on: book, by: ann)
            try await world.community.reviews.remove(on: book, by: ann)
            #expect(try await world.folded(book) == [Sum(3, of: 2)])
            try await world.community.library.remove(book, by: ann)
            try await world.community.library.remove(book, by: ben)
            #expect(try await world.folded(book) == [])
            #expect(try await world.differences() == [])
        }
    }

    @Test func `a weight is new once in 28 days, taken back or not, and a larger one is new at once`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let ann = try await world.given.reader()
            let book = try await world.given.book()
            try await world.community.feed.upkeep()
            try await world.given.shelved(book, .want, by: ann)
            try await world.community.library.remove(book, by: ann)
            world.clock.advance(by: .seconds(86_400))
            try await world.given.shelved(book, .want, by: ann)
            #expect(try await world.folded(book) == [])
            try await world.given.shelved(book, .reading, by: ann)
            #expect(try await world.folded(book) == [Sum(2, of: 1)])
            world.clock.advance(by: .seconds(27 * 86_400))
            try await world.given.shelved(book, .want, by: ann)
            #expect(try await world.folded(book) == [])
            world.clock.advance(by: .seconds(86_400))
            try await world.given.shelved(book, .reading, by: ann)
            #expect(try await world.folded(book) == [Sum(2, of: 1)])
            let explanation = try await world.community.ranking.explain(book, .week)
            // Of what was removed with its entry nobody knows who might have seen it: it is in no number.
            #expect(explanation.leftOut.notNew == 1 && explanation.leftOut.undone == 2)
        }
    }

    @Test func `of what a reader does in a day thirty books count`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let ann = try await world.given.reader()
            let books = try await world.given.books((0..<31).map { Catalog.NewBook(key: "k\($0)", title: "B \($0)") })
            for book in books { try await world.given.shelved(book, .want, by: ann) }
            // A book that counted goes on counting.
            try await world.given.shelved(books[0], .reading, by: ann)
            try await world.community.ranking.fold()
            let sums = try await world.asSuperuser("select work_id, units from work_bucket order by work_id")
            #expect(sums.count == 30 && sums.first == [books[0].text, "2"])
            #expect(try await world.community.ranking.explain(books[30], .week).leftOut.tooMany == 1)
        }
    }

    @Test func `a reading that ended long ago, or vaguely, counts nothing`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let ann = try await world.given.reader()
            let today = world.clock.now().day
            func day(_ ago: Int32) -> PartialDate { PartialDate(CalendarDate(days: today.days - ago), .day) }
            let vague = try #require(PartialDate(text: "2020-05"))
            for (ends, units) in [(day(0), 3), (day(2), 3), (day(3), 0), (vague, 0)] {
                let book = try await world.given.book()
                try await world.given.shelved(book, .read, by: ann, finished: ends)
                #expect(try await world.folded(book) == (units == 0 ? [] : [Sum(units, of: 1)]), "\(ends)")
            }
        }
    }

    @Test func `who is new, unverified or limited counts nothing until they are not, and what is private never`()
        async throws
    {
        try await withWorld(leaving: [.outbox, .jobs], settings: { $0.isLoopback = false }) { world in
            let book = try await world.given.book()
            let new = try await world.given.reader(bornHoursAgo: 1)
            let unverified = try await world.given.reader(isVerified: false)
            let shy = try await world.given.reader()
            let ann = try await world.given.account("ann").id
            try await world.asSuperuser("update account set created_at = now() - interval '3 days' where id = \(ann)")
            try await world.given.shelved(book, .want, by: new)
            try await world.given.shelved(book, .want, by: unverified)
            try await world.given.shelved(book, .want, by: shy, visibility: .friends)
            try await world.given.review(by: shy, of: book, body: "For friends.", visibility: .friends)
            #expect(try await world.folded(book) == [])
            try await world.given.shelved(book, .reading, by: ann)
            #expect(try await world.folded(book) == [Sum(2, of: 1)])
            let explanation = try await world.community.ranking.explain(book, .week)
            #expect(explanation.leftOut.uncounted == 4)

            try await world.community.accounts.limit("ann", by: World.terminal, reason: "test")
            try await world.work()
            #expect(try await world.folded(book) == [])
            try await world.community.accounts.restore("ann", by: World.terminal, reason: "test")
            try await world.work()
            #expect(try await world.folded(book) == [Sum(2, of: 1)])
            #expect(try await world.differences() == [])
        }
    }

    @Test func `a merged book's acts go over, and an account that ends was never there`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, ben) = (try await world.given.reader(), try await world.given.reader())
            let (one, two) = (try await world.given.book(), try await world.given.book())
            try await world.given.shelved(one, .want, by: ann)
            try await world.given.shelved(two, .read, by: ann)
            try await world.given.shelved(one, .reading, by: ben)
            try await world.community.ranking.fold()
            try await world.community.catalog.merge(
                .book(one), into: .book(two), by: Catalog.Helper(World.terminal))
            #expect(try await world.folded(one) == [])
            #expect(try await world.folded(two) == [Sum(5, of: 2)])
            try await world.community.accounts.close(ben)
            #expect(try await world.folded(two) == [Sum(3, of: 1)])
            #expect(try await world.community.ranking.rebuild() == 0)
            #expect(try await world.differences() == [])
        }
    }

    @Test func `a fold that nobody finished is done again, and one with nothing to do changes nothing`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let book = try await world.given.book()
            try await world.given.shelved(book, .want, by: try await world.given.reader())
            #expect(try await world.community.ranking.fold() == 1)
            #expect(try await world.community.ranking.fold() == 0)
            try await world.asSuperuser("update work_bucket set units = 7")
            #expect(try await world.differences() != [])
            #expect(try await world.community.ranking.rebuild() == 1)
            #expect(try await world.differences() == [])
        }
    }
}

/// The sums of a book on one day.
struct Sum: Hashable, CustomStringConvertible {
    let units: Int
    let readers: Int

    init(_ units: Int, of readers: Int) {
        self.units = units
        self.readers = readers
    }

    var description: String { "\(units) of \(readers)" }
}

extension World {
    /// Folds, and gives the sums of a book today (of the test's clock), of the day and of its hours, which are to be the same.
    func folded(_ book: ID<Catalog.Work>) async throws -> [Sum] {
        try await community.ranking.fold()
        let today = clock.now().day.text
        let days = try await asSuperuser(
            "select units, readers from work_bucket where work_id = \(book) and day = '\(today)'")
        let hours = try await asSuperuser(
            """
            select sum(units), sum(readers) from work_bucket_hour
             where work_id = \(book) and (hour at time zone 'UTC')::date = '\(today)' having count(*) > 0
            """)
        #expect(days == hours)
        return days.map { Sum(Int($0[0] ?? "") ?? 0, of: Int($0[1] ?? "") ?? 0) }
    }
}
