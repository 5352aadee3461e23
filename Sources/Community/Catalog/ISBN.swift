import Postgres

/// An International Standard Book Number, always in its 13-digit form.
///
/// Read from ISBN-13, ISBN-10 and nine-digit SBN, with or without hyphens, spaces, an `ISBN` prefix or the `="…"` that
/// spreadsheets put around it. Check digits must hold; prefixes are 978 and 979, without 979-0, which is printed music.
package struct ISBN: Hashable, Comparable, Sendable {
    /// The 13 digits as a number, 9,780,000,000,000...9,799,999,999,999.
    package let value: Int64

    /// Why a text is no ISBN.
    package enum Fault: Error, Hashable, Sendable {
        case empty
        /// A character that no ISBN has in this place.
        case character
        /// Not 9, 10 or 13 digits, but this many.
        case length(Int)
        /// 13 digits, but of something else than a book.
        case prefix
        /// The last digit should be this one, 0...9, or 10 for X.
        case checkDigit(Int)
        /// Nothing but zeros.
        case placeholder
    }

    /// Reads any written form.
    package init(_ text: some StringProtocol) throws(Fault) {
        let digits = try Self.digits(of: Array(text.utf8))
        switch digits.count {
        case 0: throw .empty
        case 13: value = try Self.thirteen(digits)
        case 10: value = try Self.ten(digits)
        case 9: value = try Self.ten([0] + digits)
        case let count: throw .length(count)
        }
    }

    /// From 13 digits that are known to be right, as those in the database.
    package init(value: Int64) { self.value = value }

    /// The 13 digits.
    package var text: String { String(value) }

    /// The ten-character form; `nil` for 979, which has none.
    package var ten: String? {
        guard value / 10_000_000_000 == 978 else { return nil }
        let body = String(String(value).dropFirst(3).dropLast())
        let check = Self.checkOfTen(body.utf8.map { Int($0) - 48 })
        return body + (check == 10 ? "X" : String(check))
    }

    package static func < (left: ISBN, right: ISBN) -> Bool { left.value < right.value }

    private static let dashes: [[UInt8]] = ["‐", "‑", "‒", "–", "—", "―", "−", "\u{AD}", "\u{A0}"].map {
        Array($0.utf8)
    }

    /// The digits in order, X as 10.
    static func digits(of text: [UInt8]) throws(Fault) -> [Int] {
        var rest = text[...]
        trim(&rest)
        if rest.first == UInt8(ascii: "=") { rest = rest.dropFirst() }
        if rest.count > 1, rest.first == UInt8(ascii: "\""), rest.last == UInt8(ascii: "\"") {
            rest = rest.dropFirst().dropLast()
            trim(&rest)
        }
        rest = try withoutPrefix(rest)
        var digits: [Int] = []
        while let byte = rest.first {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digits.append(Int(byte) - 48)
            case UInt8(ascii: "x"), UInt8(ascii: "X"): digits.append(10)
            case UInt8(ascii: "-"), UInt8(ascii: " "), UInt8(ascii: "\t"): break
            default:
                guard let dash = dashes.first(where: { rest.starts(with: $0) }) else { throw .character }
                rest = rest.dropFirst(dash.count - 1)
            }
            rest = rest.dropFirst()
        }
        // The tenth of ten, or the ninth of the nine of an SBN, which lacks the zero in front.
        if let x = digits.firstIndex(of: 10), x != digits.count - 1 || !(9...10).contains(digits.count) {
            throw .character
        }
        return digits
    }

    private static func trim(_ text: inout ArraySlice<UInt8>) {
        while let first = text.first, first == 0x20 || first == 0x09 { text = text.dropFirst() }
        while let last = text.last, last == 0x20 || last == 0x09 { text = text.dropLast() }
    }

    /// Drops `ISBN`, `ISBN-10`, `ISBN 13`, … in any case, with a colon or without.
    static func withoutPrefix(_ text: ArraySlice<UInt8>) throws(Fault) -> ArraySlice<UInt8> {
        let isbn = Array("isbn".utf8)
        guard text.count > 4, zip(text, isbn).allSatisfy({ $0 | 0x20 == $1 }) else { return text }
        var rest = text.dropFirst(4)
        for form in ["-10:", "-13:", "10:", "13:", " 10:", " 13:", "-10 ", "-13 ", ":"]
        where rest.starts(with: form.utf8) {
            rest = rest.dropFirst(form.utf8.count)
            break
        }
        trim(&rest)
        return rest
    }

    private static func thirteen(_ digits: [Int]) throws(Fault) -> Int64 {
        guard digits[0] == 9, digits[1] == 7, digits[2] == 8 || digits[2] == 9 && digits[3] != 0 else { throw .prefix }
        let check = checkOfThirteen(digits)
        guard digits[12] == check else { throw .checkDigit(check) }
        guard digits[3...].contains(where: { $0 != 0 }) else { throw .placeholder }
        return digits.reduce(0) { $0 * 10 + Int64($1) }
    }

    private static func ten(_ digits: [Int]) throws(Fault) -> Int64 {
        let check = checkOfTen(digits)
        guard digits[9] == check else { throw .checkDigit(check) }
        guard digits.contains(where: { $0 != 0 }) else { throw .placeholder }
        let twelve = [9, 7, 8] + digits.dropLast()
        return twelve.reduce(0) { $0 * 10 + Int64($1) } * 10 + Int64(checkOfThirteen(twelve))
    }

    /// Weights 1 and 3 in turn over the first twelve digits, modulo 10.
    static func checkOfThirteen(_ digits: [Int]) -> Int {
        var sum = 0
        for index in 0..<12 { sum += digits[index] * (index % 2 == 0 ? 1 : 3) }
        return (10 - sum % 10) % 10
    }

    /// Weights 10 down to 2 over the first nine digits, modulo 11; 10 stands for X.
    private static func checkOfTen(_ digits: [Int]) -> Int {
        var sum = 0
        for index in 0..<9 { sum += digits[index] * (10 - index) }
        return (11 - sum % 11) % 11
    }
}

extension ISBN: PostgresValue {
    package static var postgresType: PostgresType { .int8 }
    package func encode(into bytes: inout [UInt8]) { value.encode(into: &bytes) }
    package static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> ISBN {
        ISBN(value: try Int64.decode(bytes, type: type))
    }
}

extension ISBN: CustomStringConvertible {
    package var description: String { text }
}

extension ISBN {
    /// The fault in words.
    package static func explanation(_ fault: Fault) -> String {
        switch fault {
        case .empty: "there are no digits"
        case .character: "it holds a character that no ISBN has there"
        case .length(let count): "it has \(count) digits instead of 9, 10 or 13"
        case .prefix: "13 digits of a book begin with 978, or 979 but not 9790"
        case .checkDigit(let digit): "the last digit should be \(digit == 10 ? "X" : String(digit))"
        case .placeholder: "it is a placeholder of zeros"
        }
    }
}
