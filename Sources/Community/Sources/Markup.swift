import PlainText

/// Takes the markup of HTML out of the texts of other catalogues. What is left is text: a page that shows it escapes it.
///
/// A time in proportion to the text's length, whatever stands in it.
enum Markup {
    /// Tags are dropped, those that end a line become line breaks, at most one empty line stays between two others,
    /// entities become their characters. A `<` that opens no tag stays.
    static func removed(from html: String) -> String {
        let bytes = Array(html.utf8)
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        var index = 0
        // Looked for once for all the `<` before it.
        var close = -1
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "<"):
                if close < index { close = bytes[index...].firstIndex(of: UInt8(ascii: ">")) ?? bytes.count }
                if close < bytes.count, let name = tag(bytes[index...close]) {
                    if breaking.contains(name) { text.append(UInt8(ascii: "\n")) }
                    index = close
                } else {
                    text.append(bytes[index])
                }
            case UInt8(ascii: "&"):
                if let (character, end) = entity(bytes[index...].prefix(12)) {
                    text.append(contentsOf: String(character).utf8)
                    index = end
                } else {
                    text.append(bytes[index])
                }
            default: text.append(bytes[index])
            }
            index += 1
        }
        return tidied(String(decoding: text, as: UTF8.self))
    }

    /// Tags at which a line ends.
    private static let breaking: Set<String> = ["br", "p", "div", "li", "ul", "ol", "h1", "h2", "h3", "h4", "tr"]

    /// The name of the tag from `<` to `>`, empty for a comment; `nil` for what is none.
    private static func tag(_ text: ArraySlice<UInt8>) -> String? {
        guard text.count <= 2000 else { return nil }
        var inside = text.dropFirst()
        if inside.first == UInt8(ascii: "/") { inside = inside.dropFirst() }
        guard let first = inside.first, isLetter(first) || first == UInt8(ascii: "!") else { return nil }
        let name = inside.prefix(8).prefix { isLetter($0) || (48...57).contains($0) }
        return String(decoding: name, as: UTF8.self).lowercased()
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte | 0x20) }

    private static let names: [String: Character] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " ", "ndash": "–", "mdash": "—",
        "lsquo": "‘", "rsquo": "’", "ldquo": "“", "rdquo": "”", "hellip": "…",
    ]

    /// The character of the entity that `text` begins with, and where its semicolon is.
    private static func entity(_ text: ArraySlice<UInt8>) -> (Character, end: Int)? {
        guard let end = text.firstIndex(of: UInt8(ascii: ";")) else { return nil }
        let name = String(decoding: text[..<end].dropFirst(), as: UTF8.self)
        if let character = names[name] { return (character, end) }
        guard name.first == "#" else { return nil }
        let isHexadecimal = name.dropFirst().first == "x" || name.dropFirst().first == "X"
        let value = isHexadecimal ? UInt32(name.dropFirst(2), radix: 16) : UInt32(name.dropFirst())
        guard let value, value >= 0x20, let scalar = Unicode.Scalar(value) else { return nil }
        return (Character(scalar), end)
    }

    /// Lines without space at their ends, no two empty ones in a row, none at the beginning and at the end.
    private static func tidied(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var isApart = false
        for line in text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false) {
            let line = Substring(line).trimmed().unicodeScalars
            guard !line.isEmpty else {
                isApart = true
                continue
            }
            if !result.isEmpty { result.append(contentsOf: (isApart ? "\n\n" : "\n").unicodeScalars) }
            result.append(contentsOf: line)
            isApart = false
        }
        return String(result)
    }
}
