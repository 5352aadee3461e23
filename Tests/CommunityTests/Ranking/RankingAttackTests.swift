import Postgres
import TestSupport
import Testing

@testable import Community

/// What those can move who are not meant to, and what honest readers can.
@Suite(.database)
struct RankingAttackTests {
    @Test func `twenty new and twenty unproven accounts move nothing, ten honest readers do`() async throws {
        try await withWorld(leaving: [.outbox, .jobs], settings: { $0.isLoopback = false }) { world in
            let (pushed, usual) = (try await world.given.book("Pushed"), try await world.given.book("Usual"))
            for reader in try await world.readers(5) { try await world.act(on: usual, by: reader) }
            let before = try await world.rankings()
            for _ in 0..<20 {
                let new = try await world.given.reader(bornHoursAgo: 23)
                let unproven = try await world.given.reader(isVerified: false)
                try await world.everything(on: pushed, by: new)
                // Who proved no address may shelve, and say nothing.
                do { try await world.everything(on: pushed, by: unproven) } catch is Failure {}
            }
            #expect(try await world.folded(pushed) == [])
            #expect(try await world.rankings() == before)
            #expect(try await world.community.ranking.explain(pushed, .day).leftOut.uncounted >= 120)

            for reader in try await world.readers(10) { try await world.everything(on: pushed, by: reader) }
            #expect(try await world.folded(pushed) == [Sum(30, of: 10)])
            try await world.community.ranking.refresh(asOf: world.clock.now())
            for span in Ranking.Span.allCases {
                #expect(try await world.list(span).first?.entry.work == pushed)
                #expect(try await world.list(span).first?.entry.readers == 10)
            }
            #expect(try await world.differences() == [])
        }
    }

    @Test func `accounts that count nothing do not raise how many readers a book needs`() async throws {
        try await withWorld(leaving: [.outbox, .jobs], settings: { $0.isLoopback = false }) { world in
            let (book, other) = (try await world.given.book("Read by two"), try await world.given.book("Pushed"))
            try await world.usual()
            // With 400 a book needs two readers, with 401 three.
            try await world.active(398)
            for reader in try await world.readers(2) { try await world.act(on: book, by: reader) }
            let before = try await world.rankings()
            #expect(try await world.list(.week).map { !$0.entry.isPopular } == [true])
            for _ in 0..<20 {
                for reader in [
                    try await world.given.reader(bornHoursAgo: 23), try await world.given.reader(isVerified: false),
                ] {
                    try await world.given.shelved(other, .want, by: reader)
                }
            }
            #expect(try await world.rankings() == before)
            let honest = try await world.given.reader()
            try await world.given.shelved(other, .want, by: honest)
            try await world.community.ranking.refresh(asOf: world.clock.now())
            #expect(try await world.list(.week).first?.entry.isPopular == true)
        }
    }

    @Test func `a reader who says that a book was read long ago counts nothing by rating and recommending it either`()
        async throws
    {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let book = try await world.given.book()
            let reader = try await world.given.reader()
            try await world.given.shelved(
                book, .read, by: reader,
                finished: PartialDate(CalendarDate(days: world.clock.now().day.days - 9000), .day))
            try await world.given.review(by: reader, of: book, body: "As I remember it.")
            try await world.given.praised(book, by: reader)
            #expect(try await world.folded(book) == [])
            #expect(try await world.community.ranking.explain(book, .week).leftOut.longAgo >= 3)
            // Read again it is read now.
            try await world.given.shelved(book, .reading, by: reader)
            #expect(try await world.folded(book) == [Sum(2, of: 1)])
        }
    }

    @Test func `a book is new once, whatever is taken back, and one reader of three days is one`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let book = try await world.given.book()
            let reader = try await world.given.reader()
            let now = world.clock.now()
            world.clock.set(now - .seconds(40 * 86_400))
            try await world.community.feed.upkeep()
            let (other, former) = (try await world.given.book(), try await world.given.reader())
            for old in [book, other] { try await world.given.shelved(old, .read, by: former) }
            try await world.community.ranking.refresh(asOf: world.clock.now())
            #expect(try await world.asSuperuser("select count(*) from ranking_new") == [["2"]])
            for old in [book, other] { try await world.community.library.remove(old, by: former) }
            world.clock.set(now - .seconds(2 * 86_400))
            let new = try await world.given.book()
            for status: Library.Status in [.want, .reading, .read] {
                for each in [book, new] { try await world.given.shelved(each, status, by: reader) }
                world.clock.advance(by: .seconds(86_400))
            }
            world.clock.set(now)
            // A double of a book that is old is old.
            let double = try await world.given.book()
            try await world.given.shelved(double, .read, by: reader)
            try await world.community.catalog.merge(
                .book(other), into: .book(double), by: Catalog.Helper(World.terminal))
            try await world.community.ranking.refresh(asOf: now)
            #expect(try await world.asSuperuser("select work_id, readers from ranking_new") == [[new.text, "1"]])
        }
    }

    @Test func `five readers who do the same again and again for weeks count once`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            try await world.community.feed.upkeep()
            // What the five do once with both books they do again and again with the first.
            let (pushed, twin) = (try await world.given.book("Pushed"), try await world.given.book("Twin"))
            let five = try await world.readers(5)
            for reader in five { for book in [pushed, twin] { try await world.everything(on: book, by: reader) } }
            let first = try await world.places(of: [pushed, twin])
            #expect(first[0].days.map(\.units) == [15] && first[0] == first[1])
            for round in 1...8 {
                world.clock.advance(by: .seconds(3 * 86_400))
                for reader in five { try await Self.again(pushed, by: reader, round, in: world) }
                let places = try await world.places(of: [pushed, twin])
                // What they take back is gone, and nothing comes instead.
                #expect(places[1].days.map(\.units) == [15])
                #expect(places[0].days.count <= 1 && places[0].days.allSatisfy { $0.units <= 15 }, "round \(round)")
                #expect(zip(places[0].scores, places[1].scores).allSatisfy { $0 <= $1 }, "round \(round)")
            }
            #expect(try await world.places(of: [pushed])[0].days.isEmpty)
            // The double of the book brings nothing that was not there.
            let double = try await world.given.book("Pushed, again")
            for reader in five { try await world.given.shelved(double, .want, by: reader) }
            try await world.community.catalog.merge(
                .book(double), into: .book(pushed), by: Catalog.Helper(World.terminal))
            #expect(try await world.folded(pushed).map(\.units).reduce(0, +) <= 5)
            #expect(try await world.differences() == [])
        }
    }

    /// Takes the book off and puts it on, moves it to and fro, writes the review anew, edits dates, hides it and shows it.
    private static func again(
        _ book: ID<Catalog.Work>, by reader: ID<Accounts.Account>, _ round: Int, in world: World
    ) async throws {
        let community = world.community
        switch round % 4 {
        case 0:
            try await community.library.remove(book, by: reader)
            for status: Library.Status in [.want, .reading, .read] {
                try await world.given.shelved(book, status, by: reader)
            }
        case 1:
            try await world.given.shelved(book, .stopped, by: reader)
            try await world.given.shelved(book, .read, by: reader, finished: PartialDate(world.clock.now().day, .day))
            try await community.praise.remove(.recommendation, on: book, by: reader)
            try await world.given.praised(book, by: reader)
        case 2:
            try await community.reviews.remove(on: book, by: reader)
            try await world.given.review(by: reader, of: book, body: "Anew, for the time \(round).")
        default:
            for level: Visibility in [.private, .public] {
                try await world.given.shelved(book, .reading, by: reader, visibility: level)
                try await world.given.shelved(book, .read, by: reader, visibility: level)
            }
        }
    }

    @Test func `an account that is suspended or leaves counts nothing until it is back`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let book = try await world.given.book()
            let (ann, ben) = (try await world.given.account("ann"), try await world.given.account("ben"))
            try await world.asSuperuser("update account set created_at = now() - interval '3 days'")
            for reader in [ann, ben] { try await world.everything(on: book, by: reader.id) }
            #expect(try await world.folded(book) == [Sum(6, of: 2)])
            try await world.community.accounts.suspend("ann", by: World.terminal, reason: "test")
            try await world.work()
            #expect(try await world.folded(book) == [Sum(3, of: 1)])
            try await world.community.accounts.leave(ben.id)
            try await world.work()
            #expect(try await world.folded(book) == [])
            try await world.community.accounts.unsuspend("ann", by: World.terminal, reason: "test")
            try await world.work()
            #expect(try await world.folded(book) == [Sum(3, of: 1)])
            #expect(try await world.differences() == [])
        }
    }

    @Test func `a private shelf is in no list, no reason and no number, even before it was taken back`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (hidden, open) = (try await world.given.book("Hidden"), try await world.given.book("Open"))
            try await world.community.feed.upkeep()
            let readers = try await world.readers(3)
            for reader in readers { try await world.act(on: open, by: reader) }
            let before = try await world.rankings()
            let explained = try await world.places(of: [hidden])
            for reader in readers {
                try await world.given.shelved(hidden, .read, by: reader, visibility: .private)
                try await world.given.review(by: reader, of: hidden, body: "For me.", visibility: .private)
                try await world.given.praised(hidden, by: reader, visibility: .private)
            }
            #expect(try await world.rankings() == before)
            #expect(try await world.places(of: [hidden]) == explained)
            // Hidden later is hidden all the same.
            try await world.given.shelved(open, .reading, by: readers[0], visibility: .private)
            #expect(try await world.folded(open) == [Sum(4, of: 2)])
            #expect(try await world.community.ranking.explain(open, .week).leftOut.uncounted == 0)
        }
    }

    @Test func `a book that somebody shelved in private is new all the same`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let book = try await world.given.book()
            let now = world.clock.now()
            world.clock.set(now - .seconds(20 * 86_400))
            try await world.community.feed.upkeep()
            try await world.given.shelved(book, .read, by: try await world.given.reader(), visibility: .private)
            world.clock.set(now)
            for reader in try await world.readers(3) { try await world.act(on: book, by: reader) }
            try await world.community.ranking.refresh(asOf: now)
            #expect(try await world.asSuperuser("select work_id, readers from ranking_new") == [[book.text, "3"]])
        }
    }

    @Test func `what a clock dates ahead is in no list until then, and what it dated back stays where it is`()
        async throws
    {
        try await withWorld(leaving: .outbox) { world in
            try await world.community.feed.upkeep()
            let (book, other) = (try await world.given.book("Ahead"), try await world.given.book("Today"))
            let now = world.clock.now()
            for reader in try await world.readers(3) { try await world.act(on: other, by: reader) }
            let before = try await world.shown()
            world.clock.advance(by: .seconds(3 * 86_400))
            let ahead = try await world.readers(4)
            for reader in ahead { try await world.act(on: book, by: reader) }
            try await world.community.ranking.fold()
            world.clock.set(now)
            #expect(try await world.folded(book) == [])
            #expect(try await world.shown() == before)
            world.clock.advance(by: .seconds(3 * 86_400))
            #expect(try await world.folded(book) == [Sum(8, of: 4)])
            try await world.community.ranking.refresh(asOf: world.clock.now())
            #expect(try await world.list(.day).map(\.entry.work) == [book, other])
        }
    }

    @Test func `of books that a reader reviews all at once thirty count`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let ann = try await world.given.reader()
            let books = try await world.given.books((0..<40).map { Catalog.NewBook(key: "k\($0)", title: "B \($0)") })
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, book) in books.enumerated() {
                    group.addTask {
                        switch index % 3 {
                        case 0: try await world.given.review(by: ann, of: book)
                        case 1: try await world.given.shelved(book, .read, by: ann)
                        default: try await world.given.praised(book, by: ann)
                        }
                    }
                }
                try await group.waitForAll()
            }
            try await world.community.ranking.fold()
            #expect(try await world.asSuperuser("select count(*), sum(units) from work_bucket") == [["30", "90"]])
        }
    }

    @Test func `an account that ends is as if it had never been`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            try await world.community.feed.upkeep()
            let books = [try await world.given.book(), try await world.given.book(), try await world.given.book()]
            let now = world.clock.now()
            let readers = try await world.readers(4)
            let leaving = try await world.readers(2)
            func live(_ who: [ID<Accounts.Account>]) async throws {
                for ago in [9, 3, 0] {
                    world.clock.set(now - .seconds(ago * 86_400))
                    for (index, reader) in who.enumerated() {
                        try await world.everything(on: books[(index + ago) % books.count], by: reader)
                    }
                }
            }
            try await live(readers)
            let before = try await world.rankings()
            try await live(leaving)
            #expect(try await world.rankings() != before)
            for reader in leaving { try await world.community.accounts.close(reader) }
            #expect(try await world.rankings() == before)
            #expect(try await world.differences() == [])
        }
    }

    @Test func `a merge of merged books carries acts and the longer hold along`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            var books: [ID<Catalog.Work>] = []
            for name in ["One", "Two", "Three"] { books.append(try await world.given.book(name)) }
            let readers = try await world.readers(3)
            for (book, reader) in zip(books, readers) { try await world.everything(on: book, by: reader) }
            let moderator = try await world.given.account(role: .moderator)
            let now = world.clock.now()
            for (book, hours) in [(books[0], 5), (books[2], 1)] {
                _ = try await world.community.ranking.hold(
                    book, until: now + .seconds(hours * 3600), by: moderator.identity, reason: "test")
            }
            for index in 0..<2 {
                try await world.community.catalog.merge(
                    .book(books[index]), into: .book(books[index + 1]), by: Catalog.Helper(World.terminal))
            }
            #expect(try await world.folded(books[2]) == [Sum(9, of: 3)])
            let explained = try await world.community.ranking.explain(books[0], .week)
            #expect(explained.bookID == books[2])
            #expect(explained.heldUntil == now + .seconds(5 * 3600))
            #expect(try await world.community.ranking.rebuild() == 0)
            #expect(try await world.differences() == [])
        }
    }
}

extension World {
    /// Whatever counts.
    func everything(on book: ID<Catalog.Work>, by reader: ID<Accounts.Account>) async throws {
        try await given.shelved(book, .want, by: reader)
        try await given.shelved(book, .read, by: reader)
        try await given.review(by: reader, of: book, body: "Words.")
        try await given.praised(book, by: reader)
    }

    /// All sums and lists as of the clock, as text.
    func rankings() async throws -> [[String?]] {
        let shown = try await shown()
        return try await shown
            + rows(
                "select work_id, day, units, readers from work_bucket order by 1, 2",
                "select work_id, hour, units, readers from work_bucket_hour order by 1, 2",
                "select day, units from site_bucket where units > 0 order by 1")
    }

    /// All lists as of the clock, as text.
    func shown() async throws -> [[String?]] {
        try await community.ranking.refresh(asOf: clock.now())
        return try await rows(
            """
            select span, genre_id, place, work_id, readers, usual, moved, is_popular
              from ranking_current join ranking_entry using (generation_id) order by 1, 2, 3
            """,
            "select place, work_id, readers from ranking_new order by 1")
    }

    private func rows(_ queries: String...) async throws -> [[String?]] {
        var rows: [[String?]] = []
        for sql in queries { rows += try await asSuperuser(sql) }
        return rows
    }

    /// What is told of each book, and differs between no two that were read alike.
    func places(of books: [ID<Catalog.Work>]) async throws -> [BookPlace] {
        try await community.ranking.refresh(asOf: clock.now())
        var places: [BookPlace] = []
        for book in books {
            var explained: [Ranking.Explanation] = []
            for span in Ranking.Span.allCases { explained.append(try await community.ranking.explain(book, span)) }
            places.append(
                BookPlace(
                    scores: explained.flatMap { [$0.fast, $0.slow, max(0, $0.score), Double($0.readers)] },
                    days: explained[0].days.map { Sum($0.units, of: $0.readers) },
                    uncounted: explained[0].leftOut.uncounted))
        }
        return places
    }
}

/// What is told of a book but for its place among equals.
struct BookPlace: Hashable {
    let scores: [Double]
    let days: [Sum]
    let uncounted: Int
}
