import FoundationEssentials
import PlainText

/// The one way in which titles, names and queries are made comparable, for the index, for queries and for finding
/// near-duplicates.
///
/// NFKD; lower case; diacritics and apostrophes gone; ligatures and letters with strokes spelt out (ß ss, æ ae, ø
/// o, ł l, œ oe); every other punctuation one space; Chinese and Japanese, which have no spaces, as overlapping
/// pairs of characters. Pure and idempotent.
package enum Normaliser {
    /// Words of letters and digits with one space between them; empty where there are none.
    package static func fold(_ text: some StringProtocol) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): bytes.append(byte)
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): bytes.append(byte | 0x20)
            case UInt8(ascii: "'"), UInt8(ascii: "`"): break
            case 0x80...: return foldLetters(text)
            default: space(&bytes)
            }
        }
        return finished(&bytes)
    }

    /// The words of a query, at most `limit`.
    package static func words(_ text: some StringProtocol, limit: Int = 32) -> [String] {
        fold(text).split(separator: " ", maxSplits: limit, omittingEmptySubsequences: true).prefix(limit).map(
            String.init)
    }

    private static func space(_ bytes: inout [UInt8]) {
        if let last = bytes.last, last != 0x20 { bytes.append(0x20) }
    }

    private static func finished(_ bytes: inout [UInt8]) -> String {
        if bytes.last == 0x20 { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: European scripts, by table

    /// Latin, Greek, Cyrillic and Armenian letters, and general punctuation: each character folds by itself, so one
    /// look-up does it.
    private static func foldLetters(_ text: some StringProtocol) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            let folded: [UInt8]
            switch scalar.value {
            case 0..<UInt32(letters.count): folded = letters[Int(scalar.value)]
            case 0x2000..<0x2000 + UInt32(punctuation.count): folded = punctuation[Int(scalar.value) - 0x2000]
            default: return foldUnicode(String(text))
            }
            for byte in folded { if byte == 0x20 { space(&bytes) } else { bytes.append(byte) } }
        }
        return finished(&bytes)
    }

    private static let letters = table(0..<0x0590)
    private static let punctuation = table(0x2000..<0x2070)

    private static func table(_ range: Range<UInt32>) -> [[UInt8]] {
        range.map { value in
            var folded = String.UnicodeScalarView()
            if let scalar = Unicode.Scalar(value) { append(String(scalar), to: &folded) }
            return Array(String(folded).utf8)
        }
    }

    // MARK: Every script

    private static func foldUnicode(_ text: String) -> String {
        var letters = String.UnicodeScalarView()
        append(text, to: &letters)
        // Marks that were kept (Indic vowels, kana voicing, Hangul) are joined to their letters again before pairs
        // are cut.
        return spaced(String(letters).normalised(.nfc).unicodeScalars)
    }

    /// Appends `text` decomposed, in lower case, without what is dropped.
    private static func append(_ text: String, to letters: inout String.UnicodeScalarView) {
        for scalar in text.normalised(.nfkd).unicodeScalars {
            if scalar.isASCII {
                append(
                    scalar.properties.isUppercase ? Unicode.Scalar(UInt8(scalar.value) | 0x20) : scalar,
                    to: &letters)
                continue
            }
            let lower = scalar.properties.lowercaseMapping
            if lower.unicodeScalars.elementsEqual(CollectionOfOne(scalar)) {
                append(scalar, to: &letters)
            } else {
                for part in lower.normalised(.nfkd).unicodeScalars {
                    append(part, to: &letters)
                }
            }
        }
    }

    private static func append(_ scalar: Unicode.Scalar, to letters: inout String.UnicodeScalarView) {
        if let spelt = spellings[scalar] {
            letters.append(contentsOf: spelt.unicodeScalars)
            return
        }
        switch scalar.value {
        case 0x0300...0x036F, 0x0591...0x05C7, 0x0610...0x061A, 0x064B...0x065F, 0x0670, 0x1AB0...0x1AFF,
            0x1DC0...0x1DFF,
            0x200B...0x200F, 0x2060...0x2064, 0xFE00...0xFE0F, 0xFEFF, 0x00AD:
            return
        case 0x27, 0x60, 0x2018, 0x2019, 0x201B, 0x02B9...0x02BF, 0x02C8, 0x2032: return
        default: break
        }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber,
            .otherNumber, .nonspacingMark, .spacingMark:
            letters.append(scalar)
        default: letters.append(" ")
        }
    }

    /// One space between words, pairs of neighbours where the script has none.
    private static func spaced(_ scalars: String.UnicodeScalarView) -> String {
        var result = String.UnicodeScalarView()
        var pending: [Unicode.Scalar] = []
        func space() {
            if let last = result.last, last != " " { result.append(" ") }
        }
        func flush() {
            guard !pending.isEmpty else { return }
            space()
            if pending.count == 1 { result.append(pending[0]) }
            for index in pending.indices.dropLast() {
                space()
                result.append(pending[index])
                result.append(pending[index + 1])
            }
            result.append(" ")
            pending.removeAll()
        }
        for scalar in scalars {
            if isUnspaced(scalar) {
                pending.append(scalar)
            } else {
                flush()
                if scalar == " " { space() } else { result.append(scalar) }
            }
        }
        flush()
        if result.last == " " { result.removeLast() }
        return String(result)
    }

    private static func isUnspaced(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x3041...0x30FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3FFFF: true
        default: false
        }
    }

    /// Letters that no decomposition takes apart.
    private static let spellings: [Unicode.Scalar: String] = [
        "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i", "ħ": "h",
        "ŋ": "ng", "ŧ": "t", "ƒ": "f", "ς": "σ",
    ]
}
