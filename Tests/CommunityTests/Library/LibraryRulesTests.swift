import Postgres
import TestSupport
import Testing

@testable import Community

/// What needs no database: dates, moves and readings.
@Suite
struct LibraryRulesTests {
    private let id = ID<Library.Reading>(rawValue: 9)
    private let today = CalendarDate(text: "2026-11-21") ?? CalendarDate(days: 0)

    private func date(_ text: String) throws -> PartialDate { try #require(PartialDate(text: text)) }

    @Test(arguments: ["2024", "2024-05", "2024-05-17", "1000", "9999-12-31", "2024-02-29"])
    func `a date is kept as exactly as it was given`(text: String) throws {
        #expect(try date(text).text == text)
    }

    @Test(arguments: [
        "", "24", "0999", "2024-", "2024-13", "2024-00", "2024-5", "2023-02-29", "2024-05-17T00:00:00Z", "+024", "20a4",
        "2024-05-1", " 2024", "２０２４",
    ])
    func `what is no date is none`(text: String) {
        #expect(PartialDate(text: text) == nil)
    }

    @Test(arguments: [
        ("2024", "2024-01-01", "2024-12-31"), ("2024-02", "2024-02-01", "2024-02-29"),
        ("2023-12", "2023-12-01", "2023-12-31"), ("2024-05-17", "2024-05-17", "2024-05-17"),
    ])
    func `a date means any of its days`(text: String, first: String, last: String) throws {
        let date = try date(text)
        #expect((date.first.text, date.last.text) == (first, last))
    }

    @Test func `beginning and end may overlap as far as they are known, and the end not lie before`() throws {
        let may = try date("2024-05")
        let year = try date("2024")
        let april = try date("2024-04-30")
        #expect(
            try Library.Move(.read, started: .set(may), finished: .set(year)).step(
                from: nil, last: nil, id: id, today: today)
                == .begin(Library.Reading(id: id, outcome: .finished, started: may, finished: year)))
        #expect(throws: Failure.invalid("/finished", .outOfRange, "lies before the beginning, 2024-05")) {
            try Library.Move(.read, started: .set(may), finished: .set(april)).step(
                from: nil, last: nil, id: id, today: today)
        }
    }

    @Test func `all faults of a move come at once`() throws {
        let future = try date("2030")
        let move = Library.Move(
            .want, started: .set(future), finished: .set(future), note: .set(String(repeating: "a", count: 2001)))
        let failure = #expect(throws: Failure.self) { try move.validate(today: today) }
        guard case .invalid(let faults) = failure else { return }
        #expect(faults.map(\.pointer).sorted() == ["/finished", "/finished", "/note", "/started", "/started"])
    }

    @Test func `this year, and tomorrow, are not the future`() throws {
        for text in ["2026", "2026-11", "2026-11-22"] {
            try Library.Move(.reading, started: .set(try date(text))).validate(today: today)
        }
        let later = try date("2026-11-23")
        #expect(throws: Failure.self) {
            try Library.Move(.reading, started: .set(later)).validate(today: today)
        }
    }

    @Test func `a book that comes to read ended today, and no other move makes up a date`() throws {
        let ended = Library.Reading(id: id, outcome: .finished, finished: PartialDate(today, .day))
        for old in [nil, .want, .stopped] as [Library.Status?] {
            #expect(try Library.Move(.read).step(from: old, last: nil, id: id, today: today) == .begin(ended))
        }
        let open = Library.Reading(id: id, outcome: .finished)
        #expect(
            try Library.Move(.read, finished: .set(nil)).step(from: nil, last: nil, id: id, today: today)
                == .begin(open))
        #expect(try Library.Move(.read).step(from: .read, last: open, id: id, today: today) == .nothing)
        let tomorrow = PartialDate(CalendarDate(days: today.days + 1), .day)
        #expect(
            try Library.Move(.read, started: .set(tomorrow)).step(from: nil, last: nil, id: id, today: today)
                == .begin(Library.Reading(id: id, outcome: .finished, started: tomorrow, finished: tomorrow)))
        for status in Library.Status.allCases where status != .read {
            switch try Library.Move(status).step(from: nil, last: nil, id: id, today: today) {
            case .begin(let reading), .change(let reading), .drop(let reading): #expect(!reading.isDated)
            case .nothing: #expect(status == .want)
            }
        }
    }

    @Test func `pausing and going on is one reading, ending it ends that one`() throws {
        let open = Library.Reading(id: ID(rawValue: 1), outcome: .open, started: try date("2024"))
        var ended = open
        (ended.outcome, ended.finished) = (.finished, PartialDate(today, .day))
        #expect(try Library.Move(.paused).step(from: .reading, last: open, id: id, today: today) == .nothing)
        #expect(try Library.Move(.reading).step(from: .paused, last: open, id: id, today: today) == .nothing)
        #expect(try Library.Move(.read).step(from: .paused, last: open, id: id, today: today) == .change(ended))
        #expect(Library.ReadingStep.change(ended).finishes(beyond: open) == 1)
    }

    @Test func `reading again is another reading, and what was read stays read`() throws {
        let first = Library.Reading(id: ID(rawValue: 1), outcome: .finished)
        let step = try Library.Move(.reading).step(from: .read, last: first, id: id, today: today)
        #expect(step == .begin(Library.Reading(id: id, outcome: .open)))
        #expect(step.finishes(beyond: first) == 0)
    }

    @Test func `a slip is taken back, a dated reading is not`() throws {
        let undated = Library.Reading(id: ID(rawValue: 1), outcome: .finished)
        let dated = Library.Reading(id: ID(rawValue: 1), outcome: .finished, finished: try date("2020"))
        #expect(try Library.Move(.want).step(from: .read, last: undated, id: id, today: today) == .drop(undated))
        #expect(Library.ReadingStep.drop(undated).finishes(beyond: undated) == -1)
        let now = Library.Reading(id: ID(rawValue: 1), outcome: .finished, finished: PartialDate(today, .day))
        #expect(try Library.Move(.want).step(from: .read, last: now, id: id, today: today) == .drop(now))
        #expect(try Library.Move(.want).step(from: .read, last: dated, id: id, today: today) == .nothing)

        let open = Library.Reading(id: ID(rawValue: 2), outcome: .open)
        var begun = open
        begun.started = try date("2021-03")
        var stopped = begun
        stopped.outcome = .stopped
        #expect(try Library.Move(.want).step(from: .reading, last: open, id: id, today: today) == .drop(open))
        #expect(try Library.Move(.want).step(from: .reading, last: begun, id: id, today: today) == .change(stopped))
    }

    @Test func `what was read turns out to have been given up`() throws {
        let finished = Library.Reading(id: ID(rawValue: 1), outcome: .finished)
        let step = try Library.Move(.stopped).step(from: .read, last: finished, id: id, today: today)
        #expect(step == .change(Library.Reading(id: ID(rawValue: 1), outcome: .stopped)))
        #expect(step.finishes(beyond: finished) == -1)
    }

    @Test func `an entry counts on the shelf of its status, and on read once it was read`() {
        func share(_ status: Library.Status, isRead: Bool) -> [Int] {
            let share = Library.Standing(status: status, isRead: isRead, visibility: nil, counted: true).share
            return [share.want, share.reading, share.read]
        }
        #expect(share(.want, isRead: false) == [1, 0, 0])
        #expect(share(.reading, isRead: true) == [0, 1, 1])
        #expect(share(.paused, isRead: false) == [0, 1, 0])
        #expect(share(.read, isRead: true) == [0, 0, 1])
        #expect(share(.stopped, isRead: false) == [0, 0, 0])
        let hidden = Library.Standing(status: .want, isRead: false, visibility: .private, counted: false)
        #expect(hidden.share == .nothing)
        #expect(hidden.shelves == ["all", "want"])
    }
}
