import Postgres

/// What the community reads now: trending books, in lists that cannot be gamed and that say why a book stands in them.
///
/// **What counts.** One unit for each reader, work and UTC day: the largest weight of the acts (`activity`) that stand
/// and whose `review`, `shelf_entry` or `praise` is `counted`. Wanting a book weighs 1, reading it 2; having read,
/// rated, reviewed or recommended it 3. When an act is written its weight is decided for good (`activity.weight`). It
/// is 0 (`activity.left_out` says why)
/// - where the reader dates the end of the reading more than 2 days back, or by month or year, and what the reader then
///   says of the book;
/// - where the reader had the same weight or more for the work within 28 days, on another day, taken back or not;
/// - where acts of the reader about 30 other works count on that day.
///
/// **Sums.** `work_bucket` holds the units of a work on a day, `work_bucket_hour` those of an hour for the last days.
/// Whatever changes an act or whether it is counted leaves a mark (work, day) in its own transaction: triggers do.
/// `Fold` takes marks and sums those days anew, whole, from the acts, in integers. So no sum drifts, and no commit that
/// comes late is missed.
///
/// **The score** of a work b in a span with the half-lives f < s, for each bucket d of age t(d):
///
///     F_b = Σ c[b,d] · 2^(−t(d)/f)        B_b = Σ c[b,d] · 2^(−t(d)/s)
///     E_b = B_b · ΣF / ΣB                 what F_b would be had b kept its share of all that is read
///     S_b = (F_b − E_b) / √(E_b + 4)
///
/// In a list stand works with enough readers in the last ⌈2f⌉ days and F_b > E_b, by S, then F, then id. ΣF / ΣB takes
/// out what all works have in common: growth, weekends, a young server, an outage. Weights of age are integers (2³⁰ at
/// age 0), so sums are exact whatever their order.
///
/// | span | buckets | f | s | readers needed | made |
/// |---|---|---|---|---|---|
/// | day | hours, days before three days ago | 24 h | 14 d | 2 to 5 | each 30 s where something changed, else each 10 min |
/// | week | days | 3.5 d | 28 d | 2 to 5 | each 5 min |
/// | month | days | 14 d | 84 d | 2 to 8 | each 30 min |
///
/// Enough readers: 0.5 % of the accounts that count and did something this week, within those bounds. Where fewer than
/// 20 books are in a list it is filled up with the most read this week (`is_popular`), so that no list of a living
/// server is empty.
///
/// **Lists** are made whole, of all books and of each genre, as one generation, and swapped by one row. A page cursor
/// names its generation, which stays for an hour. A book that was merged or removed meanwhile is left out. `why` says
/// `{readers, usual}`, and `"few"` below 3 readers. Books that moderators hold (`ranking_hold`) are in none. Trending
/// among friends is read from their acts, through visibility and mutes.
///
/// **New books** are those whose first counted act was within 14 days; a list of them is made with those of the month.
/// The day of that act stays (`work_begun`) whatever becomes of the act: a book is new once. When a book came into the
/// catalogue says nothing: an import brings thousands.
///
/// **Hot boards** are books' own boards, by distinct counted readers whose posts of the last 7 days stand. The job
/// `boards.cool` counts them. Each shows its hottest thread that the viewer may know of; anybody's replies and
/// reactions decide which thread is hottest, as on the board itself.
///
/// **The feed of books** (`discover`) takes from four sources by turns: trending in the reader's genres
/// (`reader_genre`), trending, hot boards, new books; popular books come last. The first source that names a book gives
/// its reason. Books on the reader's shelves are left out, and those that the reader dismissed. For a reader it begins
/// with suggestions (`Suggestions`).
///
/// **The topic `trending`** is a state: it holds as of when each span's list was made, and each making tells it. Event:
/// `state.changed` on `control`.
///
/// Tables: `ranking_mark`, `work_bucket`, `work_bucket_hour`, `site_bucket`, `ranking_generation`, `ranking_current`,
/// `ranking_entry`, `ranking_hold`, `ranking_new`, `work_begun`, `hot_board`, `reader_genre`. Jobs (queue `ranking`,
/// one at a time): `ranking.refresh` each 10 s, `ranking.upkeep` hourly. Limits: `Limits.Ranking`.
package enum Ranking {
    /// Of what time a list tells.
    package enum Span: String, Sendable, CaseIterable, PostgresText {
        case day, week, month

        /// The half-lives of F and B, in days.
        var halfLives: (fast: Double, slow: Double) {
            switch self {
            case .day: (1, 14)
            case .week: (3.5, 28)
            case .month: (14, 84)
            }
        }

        /// Days in which a work needs readers: ⌈2f⌉, today among them.
        var days: Int {
            switch self {
            case .day: 2
            case .week: 7
            case .month: 28
            }
        }

        /// Readers that a work needs at most, however large the server.
        var most: Int { self == .month ? Limits.ranking.mostOfMonth : Limits.ranking.most }

        /// An act shows in lists within this time.
        var cadence: Duration {
            switch self {
            case .day: .seconds(30)
            case .week: .seconds(300)
            case .month: .seconds(1800)
            }
        }

        /// How long lists may stay as they are where nothing was done: what was done ages all the same.
        var patience: Duration { max(cadence, .seconds(600)) }
    }

    /// One making of the lists of a span.
    package struct Generation: Sendable, Hashable {
        package let id: Int64
        package let span: Span
        package let asOf: Timestamp
        /// When its lists were last made and found right.
        package let checkedAt: Timestamp
    }
}
