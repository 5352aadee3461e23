import Foundation
import Postgres
import TestSupport
import Testing

@testable import Community

/// What holds of sums and scores, whatever was done.
@Suite(.database)
struct RankingPropertyTests {
    @Test func `acts that come in another order and in other portions, or are folded twice, make the same sums`()
        async throws
    {
        try await withWorld(leaving: .outbox) { world in
            try await world.community.feed.upkeep()
            let books = [try await world.given.book(), try await world.given.book(), try await world.given.book()]
            let now = world.clock.now()
            for reader in try await world.readers(6) {
                for ago in [30, 2, 0] {
                    world.clock.set(now - .seconds(ago * 86_400 + world.random.number(in: 0...7200)))
                    guard let book = world.random.element(of: books) else { continue }
                    try await world.everything(on: book, by: reader)
                }
            }
            world.clock.set(now)
            let sums = try await world.rankings()
            try await world.asSuperuser("create table kept as select * from activity; delete from activity")
            try await world.community.ranking.fold()
            #expect(try await world.asSuperuser("select count(*) from work_bucket") == [["0"]])
            let ids = try await world.asSuperuser("select id from kept").compactMap(\.first).compactMap(\.self)
            var left = ids.sorted { _, _ in world.random.once(in: 2) }
            while !left.isEmpty {
                let portion = left.prefix(world.random.number(in: 1...9))
                left.removeFirst(portion.count)
                try await world.asSuperuser(
                    "insert into activity select * from kept where id in (\(portion.joined(separator: ",")))")
                if world.random.once(in: 3) { try await world.community.ranking.fold() }
            }
            #expect(try await world.rankings() == sums)
            try await world.asSuperuser(
                """
                insert into ranking_mark (work_id, day) select work_id, (at at time zone 'UTC')::date from kept;
                drop table kept
                """)
            #expect(try await world.rankings() == sums)
            #expect(try await world.differences() == [])
        }
    }

    @Test func `the same sums make the same lists, equals by their ids, and rebuilding changes none`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let readers = try await world.readers(4)
            var books: [ID<Catalog.Work>] = []
            for number in 0..<6 { books.append(try await world.given.book("Equal \(number)", genres: ["Fantasy"])) }
            for book in books.reversed() { for reader in readers { try await world.act(on: book, by: reader) } }
            let usual = try await world.given.book("Usual")
            world.clock.advance(by: .seconds(-40 * 86_400))
            try await world.community.feed.upkeep()
            for reader in readers { try await world.act(on: usual, by: reader) }
            world.clock.advance(by: .seconds(40 * 86_400))
            let lists = try await world.rankings()
            for span in Ranking.Span.allCases {
                let unusual = try await world.list(span).filter { !$0.entry.isPopular }
                #expect(unusual.map(\.entry.work) == books.sorted())
            }
            #expect(try await world.rankings() == lists)
            try await world.asSuperuser("truncate work_bucket, work_bucket_hour")
            #expect(try await world.community.ranking.rebuild() > 0)
            #expect(try await world.rankings() == lists)

            // What is listed no longer is in none.
            try await world.asSuperuser("update work_popularity set listed = false where work_id = \(books[0])")
            for genre in [nil, "fantasy"] {
                #expect(try await !world.list(.week, genre: genre).map(\.entry.work).contains(books[0]))
            }
            try await world.community.ranking.refresh(asOf: world.clock.now())
            #expect(try await world.list(.week, genre: "fantasy").first?.entry.work == books[1])
            try await world.asSuperuser("update work_popularity set listed = true where work_id = \(books[0])")
        }
    }

    @Test func `one reader more lifts a book's score and no other's`() async throws {
        try await withWorld { world in
            let works = 12
            try await world.sums(of: works, days: 60) { _, _ in world.random.number(in: 0...9) }
            for _ in 0..<ProofCount.of(200) {
                let span = world.random.element(of: Ranking.Span.allCases) ?? .week
                let book = world.random.number(in: 1...works)
                let before = try await world.scores(span)
                let table = span == .day ? "work_bucket_hour" : "work_bucket"
                let key = span == .day ? "hour" : "day"
                let today = span == .day ? "date_trunc('hour', now(), 'UTC')" : "'\(world.clock.now().day.text)'::date"
                try await world.asSuperuser(
                    """
                    insert into \(table) (work_id, \(key), units, readers) values (\(book), \(today), 3, 1)
                        on conflict (work_id, \(key)) do update
                       set units = \(table).units + 3, readers = \(table).readers + 1;
                    update site_bucket set units = units + 3 where '\(table)' = 'work_bucket' and day = '\(world.clock.now().day.text)'
                    """)
                let after = try await world.scores(span)
                for (work, score) in after {
                    let former = try #require(before[work])
                    #expect(work == Int64(book) ? score > former : score <= former + 1e-12, "\(span), book \(work)")
                }
            }
        }
    }

    @Test func `without new readers a book falls from day to day, and is gone on the day that its half-lives say`()
        async throws
    {
        try await withWorld { world in
            // The first is read on one day alone; the others each day alike.
            try await world.sums(of: 30, days: 120) { work, ago in work == 1 ? (ago == 30 ? 40 : 0) : 10 }
            let start = world.clock.now() - .seconds(30 * 86_400)
            let (fast, slow) = Ranking.Span.week.halfLives
            var last = Double.infinity
            var gone: Int?
            var expected: Double?
            for day in 0...30 {
                let moment = Ranking.Moment(.week, at: start + .seconds(day * 86_400), in: world.services)
                let terms = try #require(
                    try await world.database.first(Ranking.Statements.Score(moment: moment, book: ID(rawValue: 1))))
                let share = terms.siteFast / terms.siteSlow
                let ratio = terms.fast / (terms.slow * share)
                #expect(ratio < last)
                last = ratio
                if day == 0 { expected = log2(ratio) / (1 / fast - 1 / slow) }
                if gone == nil, ratio <= 1 { gone = day }
            }
            // What all have in common hardly changes meanwhile.
            let (left, computed) = (try #require(gone), try #require(expected))
            #expect(abs(Double(left) - computed.rounded(.up)) <= 1, "\(left), \(computed)")
        }
    }

    @Test func `where books are read at steady rates none stands out`() async throws {
        try await withWorld { world in
            let works = ProofCount.isFull ? 10_000 : 600
            try await world.sums(of: works, days: 200) { work, _ in
                world.random.poisson(0.2 * pow(100, Double(work) / Double(works)))
            }
            let scores = try await world.scores(.week)
            let often = scores.filter { Double($0.key) / Double(works) > log(25) / log(100) }.map(\.value)
            let mean = scores.values.reduce(0, +) / Double(scores.count)
            let deviation = (often.reduce(0) { $0 + $1 * $1 } / Double(often.count)).squareRoot()
            // Of fewer books the mean scatters more.
            #expect(abs(mean) < (ProofCount.isFull ? 0.02 : 0.08), "\(mean)")
            #expect(deviation <= 0.7, "\(deviation)")
            #expect((scores.values.max() ?? 9) < 3)
        }
    }
}

extension TestRandom {
    /// By Knuth's method, for small means.
    fileprivate func poisson(_ mean: Double) -> Int {
        let limit = exp(-mean)
        var (count, product) = (0, 1.0)
        while true {
            product *= Double(number(in: 1...UInt64(1) << 53)) / 0x1p53
            guard product > limit else { return count }
            count += 1
        }
    }
}

/// F, B and what all books have, of every book with a sum, from the text of which lists are made.
private struct AllScores: Statement {
    static let name = "test.all_scores"
    static let sql: SQL<Self> = """
        with site as materialized (\(Ranking.Statements.site.of(\.moment))), summed as (\(Ranking.Statements.sums(of: "").of(\.moment)))
        select work_id, (fast - slow * share) / sqrt(slow * share + \(Limits.ranking.damping)) as score
          from summed cross join (select site.fast / site.slow as share from site) common
         order by work_id
        """
    let moment: Ranking.Moment

    static func decode(_ columns: inout Columns) throws -> (work: Int64, score: Double) {
        (try columns("work_id"), try columns("score"))
    }
}

extension World {
    /// Works 1 to `count`, with so many readers of one unit each day; those of the last days stand in the present hour.
    fileprivate func sums(of count: Int, days: Int, _ readers: (_ work: Int, _ ago: Int) -> Int) async throws {
        let (now, hour) = (clock.now(), clock.now().microseconds / 3_600_000_000 * 3600)
        try await asSuperuser(
            """
            insert into work (id, title) select n, 'Book ' || n from generate_series(1, \(count)) n;
            insert into work_popularity (work_id, listed) select n, true from generate_series(1, \(count)) n
                on conflict (work_id) do nothing
            """)
        var rows: [String] = []
        for work in 1...count {
            for ago in 0..<days {
                let readers = readers(work, ago)
                if readers > 0 { rows.append("(\(work),\(ago),\(readers))") }
            }
            guard work == count || rows.count > 20_000 else { continue }
            try await asSuperuser(
                """
                with row (work_id, ago, readers) as (values \(rows.joined(separator: ","))), hours as (
                    insert into work_bucket_hour (work_id, hour, units, readers)
                    select work_id, to_timestamp(\(hour) - ago * 86400), readers, readers from row where ago < 3
                )
                insert into work_bucket (work_id, day, units, readers)
                select work_id, date '\(now.day.text)' - ago, readers, readers from row
                """)
            rows = []
        }
        try await asSuperuser(
            "insert into site_bucket (day, units, is_stale) select day, sum(units), false from work_bucket group by day"
        )
    }

    fileprivate func scores(_ span: Ranking.Span) async throws -> [Int64: Double] {
        let all = try await database.all(AllScores(moment: Ranking.Moment(span, at: clock.now(), in: services)))
        return Dictionary(uniqueKeysWithValues: all.map { ($0.work, $0.score) })
    }
}
