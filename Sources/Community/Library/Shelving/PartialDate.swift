import JSONWriting
import Postgres

/// A date as well as somebody remembers it: `2024`, `2024-05` or `2024-05-17`. What is not known is not made up.
package struct PartialDate: Hashable, Sendable {
    /// How exactly it is known.
    package enum Unit: String, Sendable, CaseIterable, PostgresText {
        case year, month, day
    }

    /// The first day that it may mean.
    package let first: CalendarDate
    package let unit: Unit

    package init(_ first: CalendarDate, _ unit: Unit) {
        self.first = first
        self.unit = unit
    }

    /// Reads `2024`, `2024-05` or `2024-05-17`, years 1000 to 9999, and nothing else.
    package init?(text: some StringProtocol) {
        let unit: Unit
        let whole: String
        switch text.utf8.count {
        case 4: (unit, whole) = (.year, text + "-01-01")
        case 7: (unit, whole) = (.month, text + "-01")
        case 10: (unit, whole) = (.day, String(text))
        default: return nil
        }
        guard text.utf8.first != UInt8(ascii: "0"), text.utf8.allSatisfy({ (48...57).contains($0) || $0 == 45 }),
            let first = CalendarDate(text: whole)
        else { return nil }
        self.init(first, unit)
    }

    /// As it was given.
    package var text: String {
        switch unit {
        case .year: String(first.text.prefix(4))
        case .month: String(first.text.prefix(7))
        case .day: first.text
        }
    }

    /// The last day that it may mean.
    package var last: CalendarDate {
        let (year, month, _) = first.civil
        let next =
            switch unit {
            case .day: CalendarDate(days: first.days + 1)
            case .month: CalendarDate(year: month == 12 ? year + 1 : year, month: month % 12 + 1, day: 1)
            case .year: CalendarDate(year: year + 1, month: 1, day: 1)
            }
        return next.map { CalendarDate(days: $0.days - 1) } ?? first
    }
}

extension PartialDate: CustomStringConvertible {
    package var description: String { text }
}

extension PartialDate: JSONWritable {
    package func write(to output: JSONOutput) { output.write(text) }
}

extension Columns {
    /// Two columns: the first day and the unit.
    mutating func partialDate(_ first: StaticString, _ unit: StaticString) throws -> PartialDate? {
        let (first, unit): (CalendarDate?, PartialDate.Unit?) = (try self(first), try self(unit))
        guard let first, let unit else { return nil }
        return PartialDate(first, unit)
    }
}
