import Foundation
import Postgres
import TestSupport
import Testing

@testable import Community

/// Random reading lives, with readings again, partial dates, time zones, books given up, corrections, private books and
/// merges: after each life the numbers of every year are those that a plain count of its readings gives, for everybody
/// who may look.
@Suite(.database)
struct StatisticsModelTests {
    @Test(.timeLimit(.minutes(ProofCount.minutes)))
    func `the numbers of each year are those of the readings that stand, over random reading lives`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let shelves = try await Shelves(world)
            for number in 0..<ProofCount.of(1000) {
                let life = try await Life(number, shelves, world)
                for _ in 0..<world.random.number(in: 4...14) { try await life.step() }
                try await life.readToday()
                if number % 5 == 0 { try await life.merge() }
                try await life.check()
            }
            #expect(try await world.differences() == [])
        }
    }
}

/// The books of all lives: some without pages, some without a language, two of each author, of three genres or none.
private struct Shelves: Sendable {
    let books: [ID<Catalog.Work>]
    var facts: [ID<Catalog.Work>: (pages: Int?, language: String?, author: String, genre: String?)]

    init(_ world: World) async throws {
        let new = (0..<10).map { number -> Catalog.NewBook in
            var book = Catalog.NewBook(key: "b\(number)", title: "Book \(number)", authors: ["Author \(number / 2)"])
            book.pages = number % 5 == 4 ? nil : 100 + 37 * number
            book.genres = number % 4 == 0 ? [] : [["Fantasy", "Horror", "Romance"][number % 3]]
            book.language = number % 4 == 3 ? nil : ["en", "de", "fr"][number % 3]
            return book
        }
        books = try await world.given.books(new)
        facts = Dictionary(
            uniqueKeysWithValues: zip(books, new).map { ($0, ($1.pages, $1.language, $1.authors[0], $1.genres.first)) })
    }
}

private final class Life {
    private let world: World
    private var shelves: Shelves
    private let reader: Signed
    private let friend: Signed
    private let stranger: Signed
    private let name: String

    init(_ number: Int, _ shelves: Shelves, _ world: World) async throws {
        (self.world, self.shelves, name) = (world, shelves, "life \(number)")
        reader = try await world.given.account()
        friend = try await world.given.account()
        stranger = try await world.given.account()
        try await world.given.friendship(reader, friend)
    }

    private var random: TestRandom { world.random }

    /// A day, a month or a year of the last five, a leap day among them.
    private func date() -> PartialDate? {
        if random.once(in: 12) { return PartialDate(text: "2024-02-29") }
        let day = CalendarDate(days: world.clock.now().day.days - random.number(in: Int32(0)...1_800))
        guard let unit = random.element(of: [PartialDate.Unit.year, .month, .day, .day, .day]) else { return nil }
        let text = PartialDate(day, unit).text
        return PartialDate(text: text)
    }

    func step() async throws {
        let book = try #require(random.element(of: shelves.books))
        let library = world.community.library
        do {
            switch random.number(in: 0..<10) {
            case 0..<5:
                let move = Library.Move(
                    try #require(random.element(of: [Library.Status.read, .read, .stopped, .reading, .want])),
                    visibility: random.once(in: 4)
                        ? .set(random.element(of: Visibility.allCases)) : .keep)
                _ = try await library.put(dated(move), on: book, by: reader.id)
            case 5, 6:
                let readings = try await library.shelved(book, of: reader.id).readings
                guard let old = random.element(of: readings) else { return }
                let change = Library.ReadingChange(
                    outcome: old.outcome == .open
                        ? nil : random.element(of: [Library.Reading.Outcome.finished, .stopped]),
                    finished: old.outcome == .open ? .keep : .set(random.once(in: 5) ? nil : date()))
                _ = try await library.change(old.id, of: book, change, by: reader.id)
            case 7:
                let readings = try await library.shelved(book, of: reader.id).readings
                guard let old = random.element(of: readings) else { return }
                _ = try await library.remove(old.id, of: book, by: reader.id)
            case 8:
                try await world.given.review(
                    by: reader.id, of: book, rating: Double(random.number(in: 1...20)) / 4,
                    visibility: random.element(of: Visibility.allCases))
            default:
                try await library.remove(book, by: reader.id)
            }
        } catch is Failure {
            // What cannot be is refused, and changes nothing.
        }
    }

    /// A book that is read without a word of its date ended on the day that it is where the reader is.
    func readToday() async throws {
        let zone = try #require(random.element(of: ["Pacific/Kiritimati", "America/Los_Angeles", "Europe/Berlin"]))
        try await world.community.profiles.put(timeZone: zone, of: reader.id)
        world.clock.advance(by: .seconds(random.number(in: 0...172_800)))
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: zone))
        let now = Date(timeIntervalSince1970: Double(world.clock.now().microseconds) / 1_000_000)
        let day = calendar.dateComponents([.year, .month, .day], from: now)
        let book = try #require(shelves.books.first)
        try await world.community.library.remove(book, by: reader.id)
        let entry = try await world.given.shelved(book, .read, by: reader.id)
        #expect(
            entry.finished?.first == CalendarDate(year: day.year ?? 0, month: day.month ?? 0, day: day.day ?? 0),
            "\(name), \(zone), seed \(TestRandom.seed)")
    }

    /// Two books that were read turn out to be one.
    func merge() async throws {
        var pair: [ID<Catalog.Work>] = []
        for (part, pages) in [("kept", 150), ("gone", 450)] {
            var book = Catalog.NewBook(key: "\(name) \(part)".filter { $0 != " " }, title: part, authors: ["Twice"])
            book.pages = pages
            pair += try await world.given.books([book])
            let finished = try #require(date())
            try await world.given.shelved(pair[pair.count - 1], .read, by: reader.id, finished: finished)
        }
        try await world.community.catalog.merge(
            .book(pair[1]), into: .book(pair[0]), by: Catalog.Helper(World.terminal))
        shelves.facts[pair[0]] = (150, nil, "Twice", nil)
    }

    private func dated(_ move: Library.Move) -> Library.Move {
        var move = move
        if move.status == .read || move.status == .stopped, !random.once(in: 4) { move.finished = .set(date()) }
        if move.status != .want, random.once(in: 2) { move.started = .set(date()) }
        return move
    }

    /// Every year, as the reader, a friend and a stranger see it.
    func check() async throws {
        let now = world.clock.now().day.civil.year
        for viewer in [reader, friend, stranger] {
            let rows = try await seen(by: viewer)
            var undated = 0
            for year in (now - 6)...(now + 1) {
                let shown = try await world.community.statistics.year(
                    year, of: reader.id, for: .reader(viewer.id))
                expect(shown, rows, year)
                expectMeans(shown, rows, year)
                undated += shown.undatedCount
            }
            let finished = rows.filter { $0.reading.outcome == .finished }
            #expect(undated == finished.count { $0.reading.finished == nil }, "\(name), seed \(TestRandom.seed)")
        }
    }

    private struct Row {
        let book: ID<Catalog.Work>
        let reading: Library.Reading
        let rating: Rating?
    }

    /// The readings whose books the viewer finds on the reader's shelves.
    private func seen(by viewer: Signed) async throws -> [Row] {
        let library = world.community.library
        let page = try await library.shelf(
            .all, of: reader.username, for: .reader(viewer.id), page: PageRequest(limit: 100)
        ).page
        var rows: [Row] = []
        for entry in page.items {
            let readings = try await library.shelved(entry.book.id, of: reader.id).readings
            rows += readings.map { Row(book: entry.book.id, reading: $0, rating: entry.rating) }
        }
        return rows
    }

    private func expect(_ shown: Statistics.Shown, _ rows: [Row], _ year: Int) {
        func isIn(_ date: PartialDate?) -> Bool { date?.text.prefix(4) == "\(year)" }
        let read = rows.filter { $0.reading.outcome == .finished && isIn($0.reading.finished) }
        let of = "\(name), \(year), seed \(TestRandom.seed)"
        #expect(shown.year.readingCount == read.count, "\(of)")
        #expect(shown.year.bookCount == Set(read.map(\.book)).count, "\(of)")
        #expect(
            shown.year.stoppedCount == rows.count { $0.reading.outcome == .stopped && isIn($0.reading.finished) },
            "\(of)")
        let pages = read.map { shelves.facts[$0.book]?.pages }
        #expect(shown.year.pageCount == pages.reduce(0) { $0 + ($1 ?? 0) }, "\(of)")
        #expect(shown.year.unpagedCount == pages.count { $0 == nil }, "\(of)")
        #expect(shown.longest?.pages == pages.compactMap(\.self).max(), "\(of)")
        #expect(shown.shortest?.pages == pages.compactMap(\.self).min(), "\(of)")
        for month in 1...12 {
            let inMonth = read.filter {
                $0.reading.finished?.text.dropFirst(5).prefix(2) == "\(month / 10)\(month % 10)"
            }
            #expect(shown.year.months[month - 1].readingCount == inMonth.count, "\(of), month \(month)")
            let pages = inMonth.reduce(0) { $0 + (shelves.facts[$1.book]?.pages ?? 0) }
            #expect(shown.year.months[month - 1].pageCount == pages, "\(of), month \(month)")
        }
        #expect(shown.year.monthlessCount == read.count { $0.reading.finished?.unit == .year }, "\(of)")
        let books = Set(read.map(\.book))
        let authors = ranked(books.compactMap { shelves.facts[$0]?.author })
        #expect(shown.authorCount == authors.count && shown.authors.map(\.name) == authors, "\(of)")
        let genres = ranked(books.compactMap { shelves.facts[$0]?.genre })
        #expect(shown.genreCount == genres.count && shown.genres.map(\.name) == genres, "\(of)")
        let languages = Dictionary(
            read.compactMap { shelves.facts[$0.book]?.language }.map { ($0, 1) }, uniquingKeysWith: +)
        #expect(
            Dictionary(uniqueKeysWithValues: shown.year.languages.map { ($0.language, $0.readingCount) }) == languages,
            "\(of)")
        let rated = Dictionary(read.map { ($0.book, $0.rating) }) { first, _ in first }.values.compactMap(\.self)
        #expect(shown.year.ratings.histogram.reduce(0, +) == rated.count, "\(of)")
        #expect(shown.year.rereadCount == read.count { again($0, among: rows) }, "\(of)")
        let timed = read.filter { $0.reading.started?.unit == .day && $0.reading.finished?.unit == .day }
        #expect(shown.year.pace.timedCount == timed.count, "\(of)")
        let years = Set(
            rows.filter { $0.reading.outcome == .finished }.compactMap { $0.reading.finished?.text.prefix(4) })
        #expect(Set(shown.years.map { "\($0.year)" }) == Set(years.map(String.init)), "\(of)")
    }

    private func expectMeans(_ shown: Statistics.Shown, _ rows: [Row], _ year: Int) {
        let read = rows.filter {
            $0.reading.outcome == .finished && $0.reading.finished?.text.prefix(4) == "\(year)"
        }
        let of = "\(name), \(year), seed \(TestRandom.seed)"
        func mean(_ numbers: [Double]) -> Double? {
            numbers.isEmpty ? nil : numbers.reduce(0, +) / Double(numbers.count)
        }
        func isNear(_ one: Double?, _ other: Double?, within: Double) -> Bool {
            guard let one, let other else { return one == nil && other == nil }
            return abs(one - other) <= within
        }
        let rated = Dictionary(read.map { ($0.book, $0.rating) }) { first, _ in first }.values.compactMap(\.self)
        #expect(isNear(shown.year.ratings.average, mean(rated.map(\.stars)), within: 0.0051), "\(of)")
        let days = read.compactMap { row -> Double? in
            guard let from = row.reading.started, let to = row.reading.finished, from.unit == .day, to.unit == .day
            else { return nil }
            return Double(to.first.days - from.first.days + 1)
        }
        #expect(isNear(shown.year.pace.daysPerBook, mean(days), within: 0.051), "\(of)")
    }

    /// Names, those that come most often first, and of equals by the alphabet.
    private func ranked(_ names: [String]) -> [String] {
        Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +).sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map(\.key)
    }

    /// Whether the book had been finished before, one reading after the other.
    private func again(_ row: Row, among rows: [Row]) -> Bool {
        rows.contains { other in
            guard other.book == row.book, other.reading.outcome == .finished, other.reading.id != row.reading.id else {
                return false
            }
            guard let earlier = other.reading.finished, let own = row.reading.finished else { return true }
            return earlier.first == own.first ? other.reading.id < row.reading.id : earlier.first < own.first
        }
    }
}
