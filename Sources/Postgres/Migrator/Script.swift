/// SQL text cut into its statements, so that each can be sent alone and an error can name its line.
struct Script {
    struct Part: Hashable {
        /// Without the closing semicolon and without comments before it.
        let sql: String
        /// 1-based line of the file where it begins.
        let line: Int
    }

    let parts: [Part]

    /// Cuts at semicolons outside of literals, quoted identifiers, dollar quotes and comments. SQL-standard function bodies
    /// (`begin atomic … end`) are the one thing that it would cut wrongly: write `$$ … $$`.
    init(_ text: String) {
        var scanner = Scanner(bytes: Array(text.utf8))
        parts = scanner.parts()
    }
}

/// Walks over bytes: everything that matters to the cut is ASCII, and UTF-8 never hides ASCII inside a longer character.
private struct Scanner {
    let bytes: [UInt8]
    var position = 0
    var line = 1
    /// Where the current statement's first byte that is neither space nor comment lies.
    var start: (position: Int, line: Int)?

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func parts() -> [Script.Part] {
        var parts: [Script.Part] = []
        while position < bytes.count {
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: ";"):
                if let part = finish() { parts.append(part) }
                advance()
            case UInt8(ascii: "-") where next == byte: skipLine()
            case UInt8(ascii: "/") where next == UInt8(ascii: "*"): skipBlockComment()
            case UInt8(ascii: "'"):
                // `e'…'` escapes with backslashes; elsewhere a quote is doubled, which reads as two literals side by side.
                let escapes =
                    position > 0 && (bytes[position - 1] | 0x20) == UInt8(ascii: "e") && !isWord(at: position - 2)
                begin()
                skipQuoted(by: byte, backslashEscapes: escapes)
            case UInt8(ascii: "\""):
                begin()
                skipQuoted(by: byte, backslashEscapes: false)
            case UInt8(ascii: "$") where !isWord(at: position - 1):
                begin()
                skipDollarQuoted()
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): advance()
            default:
                begin()
                advance()
            }
        }
        if let part = finish() { parts.append(part) }
        return parts
    }

    private var next: UInt8? { position + 1 < bytes.count ? bytes[position + 1] : nil }

    private mutating func begin() {
        if start == nil { start = (position, line) }
    }

    private mutating func finish() -> Script.Part? {
        guard let start else { return nil }
        self.start = nil
        return Script.Part(sql: String(decoding: bytes[start.position..<position], as: UTF8.self), line: start.line)
    }

    private mutating func advance() {
        if bytes[position] == UInt8(ascii: "\n") { line += 1 }
        position += 1
    }

    private mutating func skipLine() {
        while position < bytes.count, bytes[position] != UInt8(ascii: "\n") { position += 1 }
    }

    /// Block comments nest in Postgres.
    private mutating func skipBlockComment() {
        var depth = 0
        while position < bytes.count {
            switch (bytes[position], next) {
            case (UInt8(ascii: "/"), UInt8(ascii: "*")):
                depth += 1
                position += 2
            case (UInt8(ascii: "*"), UInt8(ascii: "/")):
                depth -= 1
                position += 2
                if depth == 0 { return }
            default: advance()
            }
        }
    }

    private mutating func skipQuoted(by quote: UInt8, backslashEscapes: Bool) {
        advance()
        while position < bytes.count, bytes[position] != quote {
            if backslashEscapes, bytes[position] == UInt8(ascii: "\\"), next != nil { advance() }
            advance()
        }
        if position < bytes.count { advance() }
    }

    /// `$$ … $$` or `$name$ … $name$`; a `$1` is no quote.
    private mutating func skipDollarQuoted() {
        var end = position + 1
        while isWord(at: end) { end += 1 }
        guard end < bytes.count, bytes[end] == UInt8(ascii: "$") else { return advance() }
        let tag = bytes[position...end]
        position = end + 1
        while position < bytes.count {
            if bytes[position...].starts(with: tag) {
                position += tag.count
                return
            }
            advance()
        }
    }

    private func isWord(at index: Int) -> Bool {
        guard bytes.indices.contains(index) else { return false }
        return switch bytes[index] {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }
}
