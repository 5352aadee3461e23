import Postgres

extension Statistics {
    /// A reading that is over and dated, as statistics know it.
    struct Line: Sendable, Hashable {
        let work: ID<Catalog.Work>
        /// Else it was given up.
        let isFinished: Bool
        let started: PartialDate?
        let ended: PartialDate
        /// `nil`: nobody knows.
        let pages: Int?
        /// BCP 47.
        let language: String?
        /// What the reader gives the book, where the viewer sees that.
        let rating: Rating?
        /// The reader had finished the book before.
        let isAgain: Bool
    }

    /// What was read in a month.
    package struct Month: Sendable, Hashable, Encodable {
        /// From 1 to 12.
        package let month: Int
        package internal(set) var readingCount = 0
        package internal(set) var pageCount = 0
    }

    /// How fast books were read.
    package struct Pace: Sendable, Hashable, Encodable {
        /// Finished readings whose first and last day are known.
        package internal(set) var timedCount = 0
        /// Mean of their days, both ends counted; `nil` where there are none.
        package internal(set) var daysPerBook: Double?
        /// `nil` for a year that has not begun.
        package internal(set) var pagesPerDay: Double?
    }

    /// What the books of a year are given now.
    package struct Ratings: Sendable, Hashable, Encodable {
        /// Books of the year that have one.
        package internal(set) var count = 0
        /// Stars; `nil` where there is none.
        package internal(set) var average: Double?
        /// How many there are of each, from a quarter of a star to five.
        package internal(set) var histogram = [Int](repeating: 0, count: 20)
    }

    /// How much was read in a language.
    package struct Language: Sendable, Hashable, Encodable {
        /// BCP 47.
        package let language: String
        package let readingCount: Int
    }

    /// The longest or the shortest book of a year.
    struct Extreme: Sendable, Hashable {
        let work: ID<Catalog.Work>
        let pages: Int
    }

    /// The numbers of a year, from its readings.
    package struct Year: Sendable, Hashable {
        package let year: Int
        /// Finished readings.
        package private(set) var readingCount = 0
        /// Books of those, each once.
        package private(set) var bookCount = 0
        package private(set) var rereadCount = 0
        package private(set) var stoppedCount = 0
        package private(set) var pageCount = 0
        package private(set) var unpagedCount = 0
        package private(set) var months = (1...12).map { Month(month: $0) }
        package private(set) var monthlessCount = 0
        package private(set) var pace = Pace()
        package private(set) var ratings = Ratings()
        /// Most readings first.
        package private(set) var languages: [Language] = []
        private(set) var longest: Extreme?
        private(set) var shortest: Extreme?
        /// The books, each once, in the order of their ids.
        private(set) var works: [ID<Catalog.Work>] = []

        /// `lines`: readings that ended in the year, in the order in which they did. `today` is the reader's own.
        init(_ year: Int, of lines: [Line], today: CalendarDate) {
            self.year = year
            let read = lines.filter(\.isFinished)
            readingCount = read.count
            stoppedCount = lines.count - read.count
            rereadCount = read.count { $0.isAgain }
            works = Set(read.map(\.work)).sorted()
            bookCount = works.count
            for line in read { count(line) }
            rate(read)
            languages = Dictionary(read.compactMap(\.language).map { ($0, 1) }, uniquingKeysWith: +)
                .map { Language(language: $0, readingCount: $1) }
                .sorted { ($1.readingCount, $0.language) < ($0.readingCount, $1.language) }
            time(read, today)
        }

        private mutating func count(_ line: Line) {
            let month: Int? = line.ended.unit == .year ? nil : line.ended.first.civil.month
            if let month { months[month - 1].readingCount += 1 } else { monthlessCount += 1 }
            guard let pages = line.pages else {
                unpagedCount += 1
                return
            }
            pageCount += pages
            if let month { months[month - 1].pageCount += pages }
            if pages > longest?.pages ?? 0 { longest = Extreme(work: line.work, pages: pages) }
            if pages < shortest?.pages ?? .max { shortest = Extreme(work: line.work, pages: pages) }
        }

        private mutating func rate(_ read: [Line]) {
            var rated: Set<ID<Catalog.Work>> = []
            var quarters = 0
            for line in read {
                guard let rating = line.rating, rated.insert(line.work).inserted else { continue }
                ratings.histogram[Int(rating.quarters) - 1] += 1
                quarters += Int(rating.quarters)
            }
            ratings.count = rated.count
            if !rated.isEmpty { ratings.average = (Double(quarters) / 4 / Double(rated.count)).rounded(to: 100) }
        }

        private mutating func time(_ read: [Line], _ today: CalendarDate) {
            let days = read.compactMap { line -> Int? in
                guard let started = line.started, started.unit == .day, line.ended.unit == .day else { return nil }
                return Int(line.ended.first.days - started.first.days) + 1
            }
            pace.timedCount = days.count
            if !days.isEmpty { pace.daysPerBook = (Double(days.reduce(0, +)) / Double(days.count)).rounded(to: 10) }
            let over = Statistics.days(of: year, until: today).over
            if over > 0 { pace.pagesPerDay = (Double(pageCount) / Double(over)).rounded(to: 10) }
        }
    }

    /// How many days a year has, and how many of them are over, today among them.
    static func days(of year: Int, until today: CalendarDate) -> (over: Int, all: Int) {
        let (first, last) = bounds(of: year)
        let all = Int(last.days - first.days) + 1
        return (min(max(Int(today.days - first.days) + 1, 0), all), all)
    }

    /// Its first day and its last. `year` is one of `Limits.statistics.years`.
    static func bounds(of year: Int) -> (first: CalendarDate, last: CalendarDate) {
        guard let first = CalendarDate(year: year, month: 1, day: 1),
            let last = CalendarDate(year: year, month: 12, day: 31)
        else { preconditionFailure("\(year) is no year of statistics") }
        return (first, last)
    }
}

extension Double {
    /// To a part of one, halves away from zero: to tenths where `parts` is 10.
    fileprivate func rounded(to parts: Double) -> Double { (self * parts).rounded() / parts }
}
