import FoundationEssentials
import Glibc
import Postgres

extension Ranking {
    /// What units of an age weigh: integers, so that sums are exact whatever their order.
    ///
    /// Formula: round(2³⁰ · 2^(−age / half-life)). A sum of 400 days of a million units each stays below 2⁶³.
    struct Decay: Sendable {
        static let one: Double = 0x1p30

        /// Of the days before `today`, today first, over the short and the long half-life.
        let fastDays: [Int64]
        let slowDays: [Int64]
        /// Of the hours before the present one, that first; empty where the span knows no hours.
        let fastHours: [Int64]
        let slowHours: [Int64]
        let today: CalendarDate
        /// Of days before this one the sums by day are read, of this and later ones those by hour, where there are any.
        let hoursFrom: CalendarDate

        /// As of a moment of which sums by hour are kept no longer, days are read in their place.
        init(_ span: Span, at now: Timestamp, hoursKeptFrom: CalendarDate) {
            today = now.day
            let hour = Double(now.microseconds.flooredDivision(by: 3_600_000_000) - Int64(today.days) * 24)
            let hasHours = span == .day
            let kept = Limits.ranking.keptHourDays
            let firstHours = max(today.days - Int32(kept) + 1, hoursKeptFrom.days)
            hoursFrom = CalendarDate(days: hasHours ? min(firstHours, today.days + 1) : today.days + 1)
            // A day whose hours are no longer known is dated at its noon, the present one as now where that is earlier.
            let ages = (0..<Limits.ranking.keptDays).map {
                hasHours ? max(0, Double($0) + (hour - 12) / 24) : Double($0)
            }
            let hours = hasHours ? (0..<kept * 24).map { Double($0) / 24 } : []
            func weigh(_ ages: [Double], _ halfLife: Double) -> [Int64] {
                ages.map { Int64((Self.one * exp2(-$0 / halfLife)).rounded()) }
            }
            (fastDays, slowDays) = (weigh(ages, span.halfLives.fast), weigh(ages, span.halfLives.slow))
            (fastHours, slowHours) = (weigh(hours, span.halfLives.fast), weigh(hours, span.halfLives.slow))
        }
    }
}

extension CalendarDate {
    /// The moment at which it begins in UTC.
    var beginning: Timestamp { Timestamp(seconds: Int64(days) * 86_400) }
}
