import Community
import Postgres

extension DemoPlan {
    /// What a reader's shelves hold beside the books that were reviewed: some wanted, one or two in hand, now and then one given up.
    static func shelves(
        of reader: DemoData.Reader, besides known: Set<ISBN>, in data: DemoData, _ dice: inout Dice
    ) -> [(book: ISBN, status: Library.Status)] {
        var known = known
        var statuses = Array(repeating: Library.Status.want, count: 4 + Int(dice.below(8)))
        statuses += Array(repeating: .reading, count: 1 + Int(dice.below(2)))
        if dice.below(3) == 0 { statuses.append(.paused) }
        if dice.below(4) == 0 { statuses.append(.stopped) }
        let liked = data.books.filter { !Set($0.genres).isDisjoint(with: reader.favourites) }
        return statuses.compactMap { status in
            let choice = dice.below(4) < 3 && !liked.isEmpty ? liked : data.books
            let book = choice[Int(dice.below(Int64(choice.count)))]
            return known.insert(book.isbn).inserted ? (book.isbn, status) : nil
        }
    }

    /// A book read to its end at `time`: most readers noted the day, some the month, some nothing.
    static func read(at time: Timestamp, _ dice: inout Dice) -> Library.Move {
        var move = Library.Move(.read)
        let finished = day(of: time)
        switch dice.below(10) {
        case 0..<5:
            move.started = .set(PartialDate(CalendarDate(days: finished.days - 2 - Int32(dice.below(20))), .day))
            move.finished = .set(PartialDate(finished, .day))
        case 5..<8: move.finished = .set(month(of: finished))
        default: move.finished = .set(nil)
        }
        return move
    }

    /// A book that came to a shelf at `time`.
    static func move(to status: Library.Status, at time: Timestamp, _ dice: inout Dice) -> Library.Move {
        var move = Library.Move(status)
        if status != .want, dice.below(3) > 0 { move.started = .set(PartialDate(day(of: time), .day)) }
        return move
    }

    private static func day(of time: Timestamp) -> CalendarDate {
        CalendarDate(days: Int32(time.microseconds.flooredDivision(by: 86_400_000_000)))
    }

    private static func month(of day: CalendarDate) -> PartialDate {
        PartialDate(text: day.text.prefix(7)) ?? PartialDate(day, .day)
    }
}
