extension Markdown {
    /// The bytes that mean something.
    enum Byte {
        static let tab = UInt8(ascii: "\t")
        static let newline = UInt8(ascii: "\n")
        static let carriageReturn = UInt8(ascii: "\r")
        static let space = UInt8(ascii: " ")
        static let bang = UInt8(ascii: "!")
        static let hash = UInt8(ascii: "#")
        static let percent = UInt8(ascii: "%")
        static let star = UInt8(ascii: "*")
        static let dash = UInt8(ascii: "-")
        static let dot = UInt8(ascii: ".")
        static let slash = UInt8(ascii: "/")
        static let colon = UInt8(ascii: ":")
        static let less = UInt8(ascii: "<")
        static let greater = UInt8(ascii: ">")
        static let at = UInt8(ascii: "@")
        static let plus = UInt8(ascii: "+")
        static let opening = UInt8(ascii: "(")
        static let closing = UInt8(ascii: ")")
        static let leftBracket = UInt8(ascii: "[")
        static let backslash = UInt8(ascii: "\\")
        static let rightBracket = UInt8(ascii: "]")
        static let underscore = UInt8(ascii: "_")
        static let backtick = UInt8(ascii: "`")
        static let tilde = UInt8(ascii: "~")
    }

    /// What stands beside a mark.
    enum Neighbour {
        /// White space, or the beginning or end of the paragraph.
        case gap
        case punctuation
        case letter
    }

    /// What ends before `at`.
    static func neighbour(before at: Int, in text: [UInt8]) -> Neighbour {
        var start = at - 1
        guard start >= 0 else { return .gap }
        while start > 0, at - start < 4, text[start] & 0xC0 == 0x80 { start -= 1 }
        return neighbour(from: start, in: text)
    }

    /// What begins at `at`.
    static func neighbour(from at: Int, in text: [UInt8]) -> Neighbour {
        guard at < text.count else { return .gap }
        let byte = text[at]
        if byte < 0x80 {
            if byte.isBlank || byte == Byte.newline { return .gap }
            return byte.isLetterOrDigit ? .letter : .punctuation
        }
        switch (byte, at + 1 < text.count ? text[at + 1] : 0, at + 2 < text.count ? text[at + 2] : 0) {
        case (0xC2, 0xA0, _), (0xE3, 0x80, 0x80), (0xE2, 0x80, 0x80...0x8A): return .gap
        // « » ¡ ¿ § ¶ ·, dashes, quotation marks, … and their kin, 、。「」 and the wide forms of ASCII's.
        case (0xC2, 0xA1, _), (0xC2, 0xA7, _), (0xC2, 0xAB, _), (0xC2, 0xB6...0xB7, _), (0xC2, 0xBB, _),
            (0xC2, 0xBF, _), (0xE2, 0x80, 0x90...0xA7), (0xE2, 0x80, 0xB0...0xBF), (0xE2, 0x81, 0x80...0x9E),
            (0xE3, 0x80, 0x81...0x83), (0xE3, 0x80, 0x88...0x9F), (0xEF, 0xBC, 0x81...0x8F),
            (0xEF, 0xBC, 0x9A...0xA0), (0xEF, 0xBC, 0xBB...0xBD), (0xEF, 0xBD, 0x9B...0xA5):
            return .punctuation
        default: return .letter
        }
    }
}

extension UInt8 {
    var isBlank: Bool { self == Markdown.Byte.space || self == Markdown.Byte.tab }

    var isDecimal: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    /// An ASCII letter or digit.
    var isLetterOrDigit: Bool { isDecimal || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }

    /// Of a username.
    var isNameByte: Bool { isLetterOrDigit || self == Markdown.Byte.underscore }

    /// ASCII punctuation: what a `\` takes the meaning from.
    var isPunctuation: Bool { (0x21...0x7E).contains(self) && !isLetterOrDigit }
}
