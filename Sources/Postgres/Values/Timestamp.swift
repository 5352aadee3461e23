/// An instant in UTC with microsecond precision: Postgres's `timestamptz`.
///
/// JSON form: RFC 3339 with milliseconds, `2026-01-31T09:30:00.000Z`. Range: years 1 to 9999.
package struct Timestamp: Hashable, Comparable, Sendable {
    /// Microseconds since 1970-01-01T00:00:00Z, leap seconds ignored as everywhere in Unix time.
    package var microseconds: Int64

    package init(microseconds: Int64) { self.microseconds = microseconds }
    package init(seconds: Int64) { self.microseconds = seconds * 1_000_000 }

    /// The last whole second of the range, 9999-12-31T23:59:59Z: after everything in a list, newest first.
    package static let end = Timestamp(seconds: 253_402_300_799)

    /// 1970-01-01T00:00:00Z in microseconds of Postgres's epoch, 2000-01-01.

    static let postgresEpoch: Int64 = 946_684_800_000_000

    package static func < (left: Timestamp, right: Timestamp) -> Bool { left.microseconds < right.microseconds }

    package static func + (left: Timestamp, right: Duration) -> Timestamp {
        Timestamp(microseconds: left.microseconds + right.wholeMicroseconds)
    }

    package static func - (left: Timestamp, right: Duration) -> Timestamp {
        Timestamp(microseconds: left.microseconds - right.wholeMicroseconds)
    }

    package static func - (left: Timestamp, right: Timestamp) -> Duration {
        .microseconds(left.microseconds - right.microseconds)
    }

    package var milliseconds: Int64 { microseconds.flooredDivision(by: 1000) }
}

extension Duration {
    /// Rounded towards zero.
    package var wholeMicroseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }
}

extension Int64 {
    /// Division that rounds down, so that times before 1970 fall on the right day.
    package func flooredDivision(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}

/// A day in the proleptic Gregorian calendar, without time or zone: Postgres's `date`. JSON form `2026-01-31`.
package struct CalendarDate: Hashable, Comparable, Sendable {
    /// Days since 1970-01-01.
    package var days: Int32

    package init(days: Int32) { self.days = days }

    /// Formula: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", days_from_civil.
    /// `nil` where the day does not exist.
    package init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else { return nil }
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        self.days = Int32(era * 146_097 + dayOfEra - 719_468)
        guard civil == (year, month, day) else { return nil }
    }

    /// Year, month and day. Formula: the same source, civil_from_days.
    package var civil: (year: Int, month: Int, day: Int) {
        let shifted = Int(days) + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthIndex = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthIndex + 2) / 5 + 1
        let month = monthIndex + (monthIndex < 10 ? 3 : -9)
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    package static func < (left: CalendarDate, right: CalendarDate) -> Bool { left.days < right.days }
}

extension CalendarDate {
    /// `2026-01-31`.
    package var text: String {
        String(unsafeUninitializedCapacity: 10) { buffer in
            var digits = FixedDigits(buffer)
            digits.put(self)
            return digits.count
        }
    }

    /// Reads `2026-01-31` and nothing else.
    package init?(text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].utf8.count == 4, parts[1].utf8.count == 2, parts[2].utf8.count == 2,
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2])
        else { return nil }
        self.init(year: year, month: month, day: day)
    }
}

extension Timestamp {
    /// RFC 3339 in UTC with milliseconds.
    package var text: String {
        let day = microseconds.flooredDivision(by: 86_400_000_000)
        let ofDay = Int((microseconds - day * 86_400_000_000) / 1000)
        return String(unsafeUninitializedCapacity: 24) { buffer in
            var digits = FixedDigits(buffer)
            digits.put(CalendarDate(days: Int32(day)))
            digits.put(UInt8(ascii: "T"))
            digits.put(ofDay / 3_600_000, width: 2)
            digits.put(UInt8(ascii: ":"))
            digits.put(ofDay / 60_000 % 60, width: 2)
            digits.put(UInt8(ascii: ":"))
            digits.put(ofDay / 1000 % 60, width: 2)
            digits.put(UInt8(ascii: "."))
            digits.put(ofDay % 1000, width: 3)
            digits.put(UInt8(ascii: "Z"))
            return digits.count
        }
    }

    /// Reads RFC 3339 with `Z` or an offset and up to six digits of a second's fraction (more are cut off).
    package init?(text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes[10] == UInt8(ascii: "T") || bytes[10] == UInt8(ascii: "t"),
            let date = CalendarDate(text: String(decoding: bytes[0..<10], as: UTF8.self)),
            bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
            let hour = bytes.number(11..<13), let minute = bytes.number(14..<16), let second = bytes.number(17..<19),
            hour < 24, minute < 60, second < 60
        else { return nil }
        var index = 19
        var fraction: Int64 = 0
        if bytes[index] == UInt8(ascii: ".") {
            index += 1
            var scale: Int64 = 100_000
            let start = index
            while index < bytes.count, let digit = bytes.number(index..<index + 1) {
                fraction += Int64(digit) * scale
                scale /= 10
                index += 1
            }
            guard index > start else { return nil }
        }
        guard index < bytes.count else { return nil }
        var offset = 0
        switch bytes[index] {
        case UInt8(ascii: "Z"), UInt8(ascii: "z"):
            guard index == bytes.count - 1 else { return nil }
        case UInt8(ascii: "+"), UInt8(ascii: "-"):
            guard bytes.count == index + 6, bytes[index + 3] == UInt8(ascii: ":"),
                let hours = bytes.number(index + 1..<index + 3), let minutes = bytes.number(index + 4..<index + 6),
                hours < 24, minutes < 60
            else { return nil }
            offset = (hours * 60 + minutes) * (bytes[index] == UInt8(ascii: "-") ? -60 : 60)
        default: return nil
        }
        let seconds = Int64(date.days) * 86_400 + Int64(hour * 3600 + minute * 60 + second - offset)
        self.init(microseconds: seconds * 1_000_000 + fraction)
    }
}

extension Array where Element == UInt8 {
    /// The decimal number in `range`, or `nil` where a byte is no digit.
    fileprivate func number(_ range: Range<Int>) -> Int? {
        guard range.upperBound <= count else { return nil }
        var value = 0
        for byte in self[range] {
            guard (48...57).contains(byte) else { return nil }
            value = value * 10 + Int(byte - 48)
        }
        return value
    }
}

/// Decimal digits in places of their own, written straight into a new string.
private struct FixedDigits {
    private let buffer: UnsafeMutableBufferPointer<UInt8>
    private(set) var count = 0

    init(_ buffer: UnsafeMutableBufferPointer<UInt8>) { self.buffer = buffer }

    mutating func put(_ character: UInt8) {
        buffer[count] = character
        count += 1
    }

    /// The last `width` digits of `number`, with zeros in front.
    mutating func put(_ number: Int, width: Int) {
        var rest = number.magnitude
        for place in stride(from: count + width - 1, through: count, by: -1) {
            buffer[place] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        }
        count += width
    }

    /// `2026-01-31`.
    mutating func put(_ date: CalendarDate) {
        let (year, month, day) = date.civil
        put(year, width: 4)
        put(UInt8(ascii: "-"))
        put(month, width: 2)
        put(UInt8(ascii: "-"))
        put(day, width: 2)
    }
}

extension Timestamp: Codable {
    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let value = Timestamp(text: text) else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "not RFC 3339"))
        }
        self = value
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension CalendarDate: Codable {
    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let value = CalendarDate(text: text) else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "not a date"))
        }
        self = value
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
