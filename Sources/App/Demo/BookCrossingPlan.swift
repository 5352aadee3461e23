import Community
import Postgres

/// When the readers of Book-Crossing, whose files have no dates, did what they did: spread over 90 days, some books by many in the last of
/// them. The same files and the same moment give the same plan.
struct BookCrossingPlan: Sendable {
    /// Days that it goes back.
    static let days = 90
    /// Everybody joined this many days ago or more.
    static let joinedBefore = 12
    /// Books that a reader takes up in a day at most; an act beyond 30 would not count.
    private static let booksPerDay = 24
    /// Of so many books with enough readers one is suddenly read by half of them.
    private static let burstsOneIn: Int64 = 12
    private static let readersOfBurst = 20
    private static let daysOfBurst = 5

    struct Act: Sendable, Equatable {
        /// Index into `joined`.
        let reader: Int
        let book: Int
        let at: Timestamp
        let status: Library.Status
        let started: CalendarDate?
        let finished: CalendarDate?
        /// In quarters of a star, as `Rating`.
        let rating: Int?
    }

    /// When each reader joined, in the order of their numbers.
    let joined: [Timestamp]
    /// In the order of time.
    let acts: [Act]

    init(_ data: BookCrossing, until now: Timestamp) {
        var own: [Int: [BookCrossing.Reading]] = [:]
        var readers: [Int: Int] = [:]
        for reading in data.readings {
            own[reading.reader, default: []].append(reading)
            readers[reading.book, default: 0] += 1
        }
        var dice = Dice(state: 0x0B00_CC05)
        let sudden = Set(
            readers.keys.sorted().filter {
                readers[$0, default: 0] >= Self.readersOfBurst && dice.below(Self.burstsOneIn) == 0
            })
        var joined: [Timestamp] = []
        var acts: [Act] = []
        acts.reserveCapacity(data.readings.count)
        for number in own.keys.sorted() {
            let readings = own[number, default: []]
            // Who has many books needs the days for them.
            let needed = min(Self.days, max(Self.joinedBefore, readings.count / Self.booksPerDay + 3))
            let ago = Int64(needed) * 86_400 + dice.below(Int64(Self.days - needed) * 86_400 + 1)
            let start = now - .seconds(ago)
            for reading in readings {
                let at = Self.moment(from: start, to: now, isSudden: sudden.contains(reading.book), &dice)
                acts.append(Self.act(reading, by: joined.count, at: at, &dice))
            }
            joined.append(start)
        }
        self.joined = joined
        // Equal moments in an order of their own, so that two runs agree.
        self.acts = acts.sorted { ($0.at, $0.reader, $0.book) < ($1.at, $1.reader, $1.book) }
    }

    /// A day after joining at the earliest: younger accounts do not count yet; and early enough for a rating a minute later.
    private static func moment(
        from joined: Timestamp, to now: Timestamp, isSudden: Bool, _ dice: inout Dice
    ) -> Timestamp {
        let last = now - .seconds(300)
        let first = joined + .seconds(25 * 3600)
        let isLate = isSudden && dice.below(2) == 0
        let from = isLate ? max(first, last - .seconds(Int64(daysOfBurst) * 86_400)) : first
        return from + .seconds(dice.below((last - from).components.seconds + 1))
    }

    /// What was rated was read. Of the rest half was, some is wanted, some in hand. Of what was read half has the day of its end, some of it
    /// long before.
    private static func act(
        _ reading: BookCrossing.Reading, by reader: Int, at time: Timestamp, _ dice: inout Dice
    ) -> Act {
        let choice = dice.below(10)
        let status: Library.Status = reading.rating != nil || choice < 5 ? .read : choice < 8 ? .want : .reading
        let today = CalendarDate(days: Int32(time.microseconds.flooredDivision(by: 86_400_000_000)))
        var (started, finished): (CalendarDate?, CalendarDate?) = (nil, nil)
        let dating = dice.below(10)
        let (length, age) = (Int32(2 + dice.below(20)), Int32(30 + dice.below(700)))
        switch status {
        case .read where dating < 5: finished = CalendarDate(days: today.days - Int32(dating % 2))
        case .read where dating == 5: finished = CalendarDate(days: today.days - age)
        case .reading where dating < 6: started = today
        default: break
        }
        if let finished { started = CalendarDate(days: finished.days - length) }
        return Act(
            reader: reader, book: reading.book, at: time, status: status, started: started, finished: finished,
            rating: reading.rating.map { $0 * 2 })
    }
}
