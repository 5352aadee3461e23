import Postgres
import TestSupport
import Testing

@testable import Community

/// Which of the server's reviews fill feeds that hold little.
@Suite(.database)
struct FeedFillingTests {
    /// The acts of as many reviews as there are `seconds` in the range, each posted so long ago, of a book of its own;
    /// last first. Numbers of rows begin at `base`.
    @discardableResult
    private func post(
        _ seconds: ClosedRange<Int>, from base: Int64, by reader: ID<Accounts.Account>, _ level: Visibility,
        in world: World
    ) async throws -> [Int64] {
        let each = "generate_series(\(seconds.lowerBound), \(seconds.upperBound)) n"
        try await world.asSuperuser(
            """
            insert into work (id, title) select \(base) + n, 'Title ' || n from \(each);
            insert into review (id, reader_id, work_id, body, visibility, counted, created_at)
            select \(base) + n, \(reader), \(base) + n, 'A text', \(level.rawValue), true, now() from \(each);
            insert into activity (id, reader_id, work_id, kind, at, subject)
            select \(base) + n, \(reader), \(base) + n, 'review.posted',
                   timestamptz '\(world.clock.now().text)' - n * interval '1 s', \(base) + n
              from \(each)
            """)
        return seconds.map { base + Int64($0) }
    }

    private func feed(of reader: ID<Accounts.Account>, in world: World) async throws -> [Int64] {
        try await world.community.feed.home(of: reader, page: PageRequest(limit: 20)).page.items.map(\.id)
    }

    @Test func `thousands of reviews of one author, kept private or muted, empty nobody's feed`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let ann = try await world.given.reader()
            var expected: [Int64] = []
            for author in 0..<10 {
                let first = 10_000 + author * 10
                expected += try await post(
                    first...first + 1, from: Int64(author + 1) * 1_000_000, by: try await world.given.reader(),
                    .public, in: world)
            }
            try await post(1...3_000, from: 100_000_000, by: try await world.given.reader(), .private, in: world)
            #expect(try await feed(of: ann, in: world) == expected)

            let loud = try await world.given.account("loud")
            try await world.asSuperuser("update account set created_at = created_at - interval '9 days'")
            let newest = try await post(3_001...6_000, from: 200_000_000, by: loud.id, .public, in: world)
            #expect(try await feed(of: ann, in: world) == Array((newest.prefix(3) + expected).prefix(20)))
            try await world.community.friends.mute("loud", by: ann)
            #expect(try await feed(of: ann, in: world) == expected)
        }
    }

    @Test func `on the server's first day new accounts fill feeds, and no longer on the next`() async throws {
        try await withWorld { world in
            let (ann, bob) = (
                try await world.given.reader(bornHoursAgo: 2), try await world.given.reader(bornHoursAgo: 1)
            )
            let bobs = try await post(60...61, from: 1_000_000, by: bob, .public, in: world)
            #expect(try await feed(of: ann, in: world) == bobs)

            world.clock.advance(by: .seconds(81_000))
            let eve = try await world.given.reader(bornHoursAgo: 1)
            try await post(60...61, from: 2_000_000, by: eve, .public, in: world)
            // The oldest account is a day old, the other not yet.
            #expect(try await feed(of: ann, in: world) == [])
            world.clock.advance(by: .seconds(3600))
            #expect(try await feed(of: ann, in: world) == bobs)
        }
    }

    /// What fills feeds, and what should: of each author the newest three public reviews with a text.
    private func filling(in world: World) async throws -> (kept: [[String?]], expected: [[String?]]) {
        let kept = try await world.asSuperuser("select id, reader_id from filling_review order by id")
        let expected = try await world.asSuperuser(
            """
            select id, reader_id
              from (select activity.id, activity.reader_id,
                           row_number() over (partition by activity.reader_id
                                              order by activity.at desc, activity.id desc) as place
                      from activity
                      join review on review.id = activity.subject
                     where activity.kind = 'review.posted' and activity.undone_at is null
                       and review.visibility = 3 and review.body is not null) ranked
             where place <= \(Limits.feed.ofEachAuthor)
             order by id
            """)
        return (kept, expected)
    }

    @Test func `whatever is said, taken back, hidden, shown or merged, of each author the newest three fill`()
        async throws
    {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let readers = [try await world.given.reader(), try await world.given.reader()]
            var books = try await world.given.books(
                (0..<12).map { Catalog.NewBook(key: "b\($0)", title: "Title \($0)") })
            let (reviews, profiles) = (world.community.reviews, world.community.profiles)
            for step in 0..<ProofCount.of(160) {
                world.clock.advance(by: .seconds(1))
                let reader = try #require(world.random.element(of: readers))
                let book = try #require(world.random.element(of: books))
                switch world.random.number(in: 0..<12) {
                case 0: do { try await reviews.remove(on: book, by: reader) } catch is Failure {}
                case 1:
                    let level = world.random.once(in: 3) ? Visibility.private : .public
                    try await profiles.change([.reviews: level], for: reader)
                case 2 where books.count > 6:
                    books.removeAll { $0 == book }
                    let into = try #require(world.random.element(of: books))
                    try await world.community.catalog.merge(
                        .book(book), into: .book(into), by: Catalog.Helper(World.terminal))
                case 2...4:
                    let level = world.random.number(in: Visibility.private.rawValue...Visibility.public.rawValue)
                    try await world.given.review(
                        by: reader, of: book, body: "Text \(step)", visibility: Visibility(rawValue: level))
                case 5: try await world.given.review(by: reader, of: book, body: nil)
                default: try await world.given.review(by: reader, of: book, body: "Text \(step)")
                }
                let (kept, expected) = try await filling(in: world)
                #expect(kept == expected, "step \(step), seed \(TestRandom.seed)")
            }
            #expect(try await world.database.differences(of: Feed.self, "filling").isEmpty)

            try await world.database.transaction { transaction in
                try await Reviews.accountEnds(readers[0], of: world.community.services, in: transaction)
            }
            #expect(try await filling(in: world).kept.allSatisfy { $0[1] == "\(readers[1])" })
        }
    }

    @Test func `an older review fills again where newer ones are taken back, and none beyond what is looked through`()
        async throws
    {
        try await withWorld { world in
            let author = try await world.given.reader()
            let many = try await post(2_000...2_009, from: 1_000_000, by: author, .public, in: world)
            func kept() async throws -> [Int64] {
                try await world.asSuperuser("select id from filling_review order by at desc, id desc")
                    .compactMap { $0[0].flatMap { Int64($0) } }
            }
            #expect(try await kept() == Array(many[0..<3]))
            try await world.asSuperuser("update review set visibility = 1 where id in (\(many[0]), \(many[2]))")
            #expect(try await kept() == [many[1], many[3], many[4]])
            let above = Limits.feed.refilledFrom - 6
            try await post(1...above, from: 2_000_000, by: author, .friends, in: world)
            try await world.asSuperuser("update review set body = null, rating = 1 where id = \(many[4])")
            #expect(try await kept() == [many[1], many[3], many[5]])
            // Those that were there stay, and what comes next lies beyond.
            try await post(1_500...1_505, from: 3_000_000, by: author, .friends, in: world)
            try await world.asSuperuser("update review set visibility = 0 where id = \(many[1])")
            #expect(try await kept() == [many[3], many[5]])
        }
    }

    @Test func `the database counts as the table of limits says`() async throws {
        try await withWorld { world in
            let texts = try await world.asSuperuser(
                """
                select prosrc from pg_proc
                 where proname in ('refill_reviews', 'trim_filling_reviews')
                 order by proname
                """
            ).map { $0[0] ?? "" }
            #expect(texts.count == 2)
            #expect(texts.first?.contains("limit \(Limits.feed.refilledFrom)) act") == true)
            #expect(texts.first?.contains("limit \(Limits.feed.ofEachAuthor)) newest") == true)
            #expect(texts.last?.contains("place > \(Limits.feed.ofEachAuthor))") == true)
        }
    }

    @Test func `what fills ends with its act's keeping`() async throws {
        try await withWorld(leaving: .jobs) { world in
            let author = try await world.given.reader()
            try await post(1...2, from: 1_000_000, by: author, .public, in: world)
            try await world.community.feed.upkeep()
            #expect(try await world.asSuperuser("select count(*) from filling_review") == [["2"]])
            world.clock.advance(by: .seconds(Limits.feed.keptDays * 86_400 + 60))
            try await world.community.feed.upkeep()
            #expect(try await world.asSuperuser("select count(*) from filling_review") == [["0"]])
        }
    }
}
