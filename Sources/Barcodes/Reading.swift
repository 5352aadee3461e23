/// A code that was read.
package struct Reading: Hashable, Sendable {
    /// The 13 digits; of a UPC-A, its 12 after a zero. The check digit is right.
    package let text: String
    package let symbology: Symbology
    /// The box around the bars.
    package let place: Box

    /// Whether this is the code of a book: 978 or 979 in front, but not 979-0, which is printed music.
    package var isBook: Bool { kind == .book }
    package var kind: Kind { Kind(text) }

    /// What the digits in front say.
    package enum Kind: Hashable, Sendable {
        case book
        /// 979-0.
        case music
        /// 977.
        case periodical
        /// Any other: most often a shop's, or the second code of a Japanese book, 191 or 192.
        case other

        init(_ text: String) {
            if text.hasPrefix("978") || text.hasPrefix("979") {
                self = text.hasPrefix("9790") ? .music : .book
            } else {
                self = text.hasPrefix("977") ? .periodical : .other
            }
        }
    }
}

/// What kind of bars. The list is short: books have EAN-13, and old paperbacks a UPC-A, which is an EAN-13 that begins
/// with 0.
///
/// No other is looked for. EAN-8, Code 39 and Interleaved 2 of 5 have weak checks or none: stripes look like them. And
/// the readers of QR codes and DataBars in libzbar had holes (CVE-2023-40889 and -40890), which a stranger's picture
/// must not meet.
package enum Symbology: Hashable, Sendable {
    case ean13, upcA
}

/// A box with level sides, in thousandths of the picture's width and height, 0...1000 from its upper left corner.
package struct Box: Hashable, Sendable {
    package let left: Int, top: Int, right: Int, bottom: Int
}

/// The check of EAN-13.
enum CheckDigit {
    /// Whether these are 13 digits and the last is right.
    static func holds(_ text: String) -> Bool {
        var sum = 0, count = 0
        for byte in text.utf8 {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return false }
            sum += (Int(byte) - 48) * (count.isMultiple(of: 2) ? 1 : 3)
            count += 1
        }
        return count == 13 && sum.isMultiple(of: 10)
    }
}
