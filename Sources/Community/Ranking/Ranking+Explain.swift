import FoundationEssentials
import Glibc
import Postgres

extension Ranking {
    /// Why a book stands where it does: the terms of its score as of a moment, in numbers, and no names.
    package struct Explanation: Sendable, Encodable {
        /// What was done on a day (UTC).
        package struct Day: Sendable, Encodable {
            package let day: CalendarDate
            package let units: Int
            package let readers: Int

            private enum CodingKeys: String, CodingKey {
                case day
                case units = "unit_count"
                case readers = "reader_count"
            }
        }

        /// Acts of the last `Limits.ranking.explainedDays` that do not count, by cause.
        package struct LeftOutActs: Sendable, Encodable {
            /// Taken back, or another move came after it.
            package let undone: Int
            /// By somebody whose doings do not count, or for friends alone.
            package let uncounted: Int
            package let longAgo: Int
            package let notNew: Int
            package let tooMany: Int

            private enum CodingKeys: String, CodingKey {
                case undone, uncounted
                case longAgo = "long_ago"
                case notNew = "not_new"
                case tooMany = "too_many"
            }
        }

        package let bookID: ID<Catalog.Work>
        package let window: String
        package let asOf: Timestamp
        /// F, B, G, E and S of the page `Ranking`.
        package let fast: Double
        package let slow: Double
        package let growth: Double
        package let expected: Double
        package let score: Double
        /// Readers in the last ⌈2f⌉ days, and how many a book needs.
        package let readers: Int
        package let minimum: Int
        /// In the list of all books that is shown; `nil` where it is not in it.
        package let place: Int?
        package let heldUntil: Timestamp?
        package let days: [Day]
        package let leftOut: LeftOutActs

        private enum CodingKeys: String, CodingKey {
            case window, fast, slow, growth, expected, score, minimum, place, days
            case readers = "reader_count"
            case bookID = "book_id"
            case asOf = "made_at"
            case heldUntil = "hold_ends_at"
            case leftOut = "left_out"
        }
    }
}

extension Ranking.Store {
    /// Throws `.notFound`. Of a merged book the one that stays is explained.
    package func explain(
        _ book: ID<Catalog.Work>, _ span: Ranking.Span, at time: Timestamp? = nil
    ) async throws -> Ranking.Explanation {
        let moment = Ranking.Moment(span, at: time ?? services.clock.now(), in: services)
        let from = CalendarDate(days: moment.decay.today.days - Int32(Limits.ranking.explainedDays) + 1)
        let database = services.database
        guard let terms = try await database.first(Ranking.Statements.Score(moment: moment, book: book)) else {
            throw Failure.notFound("book")
        }
        let (days, leftOut) = try await database.pipeline(
            Ranking.Statements.Days(book: terms.work, from: from),
            Ranking.Statements.LeftOutOf(book: terms.work, since: from.beginning))
        let share = terms.siteSlow > 0 ? terms.siteFast / terms.siteSlow : 0
        let expected = terms.slow * share
        return Ranking.Explanation(
            bookID: terms.work, window: span.rawValue, asOf: moment.now, fast: terms.fast, slow: terms.slow,
            growth: share / span.steadyShare, expected: expected,
            score: (terms.fast - expected) / (expected + Double(Limits.ranking.damping)).squareRoot(),
            readers: terms.readers, minimum: terms.minimum, place: terms.place, heldUntil: terms.heldUntil, days: days,
            leftOut: leftOut.first ?? .init(undone: 0, uncounted: 0, longAgo: 0, notNew: 0, tooMany: 0))
    }
}

extension Ranking.Span {
    /// ρ: what ΣF / ΣB is where as much is read each day: (1 − 2^(−1/s)) / (1 − 2^(−1/f)), with f and s in buckets.
    var steadyShare: Double {
        let perDay: Double = self == .day ? 24 : 1
        func share(_ days: Double) -> Double { 1 - exp2(-1 / (days * perDay)) }
        return share(halfLives.slow) / share(halfLives.fast)
    }
}

extension Ranking.Statements {
    /// The terms of one book's score, from the same sums as the lists. No row where there is no such book.
    struct Score: Statement {
        static let sql: SQL<Self> = """
            with asked as materialized (
                select coalesce(merged_into, id) as work_id from work where id = \(\.book)
            ), site as materialized (
                \(site.of(\Self.moment))
            ), summed as materialized (
                \(sums(of: "join asked using (work_id)").of(\Self.moment))
            )
            select asked.work_id, coalesce(summed.fast, 0) as fast, coalesce(summed.slow, 0) as slow, site.fast as site_fast,
                   site.slow as site_slow, site.minimum,
                   \(readers(of: "asked.work_id", since: "\(\.from, "from")::date::timestamp at time zone 'UTC'").of(\Self.moment)) as readers,
                   (select entry.place
                      from ranking_current current
                      join ranking_entry entry
                        on entry.generation_id = current.generation_id and entry.genre_id = 0 and entry.work_id = asked.work_id
                     where current.span = \(\.moment.span)) as place,
                   (select until from ranking_hold held where held.work_id = asked.work_id and held.until > \(\.moment.now)) as held_until
              from asked
             cross join site
              left join summed using (work_id)
            """
        let moment: Ranking.Moment, book: ID<Catalog.Work>

        struct Terms: Sendable {
            let work: ID<Catalog.Work>
            let fast, slow, siteFast, siteSlow: Double
            let minimum, readers: Int
            let place: Int?
            let heldUntil: Timestamp?
        }

        static func decode(_ columns: inout Columns) throws -> Terms {
            Terms(
                work: try columns("work_id"), fast: try columns("fast"), slow: try columns("slow"),
                siteFast: try columns("site_fast"), siteSlow: try columns("site_slow"), minimum: try columns("minimum"),
                readers: try columns("readers"), place: try columns("place"), heldUntil: try columns("held_until"))
        }
    }

    struct Days: Statement {
        static let sql: SQL<Self> = """
            select day, units, readers from work_bucket where work_id = \(\.book) and day >= \(\.from, "from") order by day desc
            """
        let book: ID<Catalog.Work>, from: CalendarDate

        static func decode(_ columns: inout Columns) throws -> Ranking.Explanation.Day {
            Ranking.Explanation.Day(
                day: try columns("day"), units: try columns("units"), readers: try columns("readers"))
        }
    }

    /// Acts that stand are found by the index `activity_of_work`, those that were taken back by `activity_undone`.
    struct LeftOutOf: Statement {
        static let name = "ranking.left_out"
        static let sql: SQL<Self> = """
            select count(*) filter (where act.undone_at is not null) as undone,
                   count(*) filter (where act.undone_at is null and act.weight > 0 and not coalesce(\(counts), false)) as uncounted,
                   \(cause(.longAgo)) as long_ago, \(cause(.notNew)) as not_new, \(cause(.tooMany)) as too_many
              from (\(acts("undone_at is null")) union all \(acts("undone_at is not null"))) act
              \(Feed.Statements.subjects)
             where (review.id is not null or shelf_entry.id is not null or praise.id is not null)
               -- Of what nobody but its reader may see not even a number is told; of what is gone that is not known.
               and \(Feed.Statements.told) > \(Visibility.private.rawValue)
            """
        let book: ID<Catalog.Work>, since: Timestamp

        private static func acts(_ condition: Fragment) -> SQL<Self> {
            """
            select * from activity where work_id = \(\.book) and at >= \(\.since) and \(condition) and (weight > 0 or left_out is not null)
            """
        }

        private static func cause<S>(_ cause: Activity.LeftOut) -> SQL<S> {
            "count(*) filter (where act.undone_at is null and act.left_out = \(cause.rawValue))"
        }

        static func decode(_ columns: inout Columns) throws -> Ranking.Explanation.LeftOutActs {
            Ranking.Explanation.LeftOutActs(
                undone: try columns("undone"), uncounted: try columns("uncounted"), longAgo: try columns("long_ago"),
                notNew: try columns("not_new"), tooMany: try columns("too_many"))
        }
    }
}
