import PlainText

/// A page's template, in the language of Mustache (mustache(5), with inheritance), read once and checked when the server starts.
///
/// What stands in lines of their own is pulled together: blanks after a line's end are left out, so a template has no `pre` of its own.
final class Template: Sendable {
    indirect enum Part: Sendable {
        case bytes([UInt8])
        /// A text of the catalogue, by its number.
        case say(Int)
        case value(Path, Word?, isHTML: Bool)
        /// What stands in it is written for each element, once for what is there, and inverted for what is not.
        case section(Path, Word?, isInverted: Bool, [Part])
        case partial(String)
        /// A parent, and what fills its blocks.
        case parent(String, [String: [Part]])
        case block(String, [Part])
    }

    /// The way to a value: `reviews.items`. None for `.`, what is current.
    struct Path: Sendable, Hashable {
        let names: [[UInt8]]
        var text: String { names.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ".") }
    }

    /// What is made of a value: `{{date(created_at)}}`.
    enum Word: Sendable, Hashable {
        case date, day, ago, number, decimal, stars, percent, url, last, brief, has
        /// Whether it is this text.
        case equals([UInt8])
        /// Whether it is the number of the account that looks.
        case isMe
        /// Whether it says what the value at one of these ways says, or one of the values of a list there.
        case same([Path])
        /// A text of the catalogue with `{n}`, in its form for that number.
        case count(Int)
        /// A text of the catalogue with `{value}`.
        case say(Int)
    }

    let name: String
    let parts: [Part]

    /// Throws `Fault` for what is no template, and for a text that `texts` does not know.
    init(_ name: String, _ source: String, texts: inout TextKeys) throws(Fault) {
        self.name = name
        var reader = Reader(name: name, rest: source[...], texts: texts)
        parts = try reader.parts(until: nil)
        texts = reader.texts
    }

    /// Why a template cannot be used.
    struct Fault: Error, Equatable, CustomStringConvertible {
        let template: String
        let reason: String
        var description: String { "\(template).mustache: \(reason)" }
    }
}

extension Template {
    /// The texts that templates ask for: each key has a number.
    struct TextKeys: Sendable {
        private(set) var keys: [String] = []
        private var numbers: [String: Int] = [:]

        mutating func number(of key: String) -> Int {
            if let number = numbers[key] { return number }
            numbers[key] = keys.count
            keys.append(key)
            return keys.count - 1
        }
    }

    private struct Reader {
        let name: String
        var rest: Substring
        var texts: TextKeys

        /// Reads up to the end of the section `name`, which is passed over, or of the template.
        mutating func parts(until end: String?) throws(Fault) -> [Part] {
            var parts: [Part] = []
            while let open = rest.range(of: "{{") {
                add(rest[..<open.lowerBound], to: &parts)
                rest = rest[open.upperBound...]
                let isHTML = rest.first == "{"
                let mark = isHTML ? "}}}" : "}}"
                guard let close = rest.range(of: mark) else { throw fault("a tag is not closed: {{\(rest.prefix(30))") }
                let tag = rest[..<close.lowerBound].dropFirst(isHTML ? 1 : 0)
                rest = rest[close.upperBound...]
                if isHTML {
                    parts.append(try value(tag.trimmed(), isHTML: true))
                } else if let part = try part(tag, end) {
                    parts.append(part)
                } else if tag.first == "/" {
                    return parts
                }
            }
            if let end { throw fault("{{#\(end)}} is not closed") }
            add(rest, to: &parts)
            rest = ""
            return parts
        }

        /// `nil` for a comment, and for the end of a section.
        private mutating func part(_ tag: Substring, _ end: String?) throws(Fault) -> Part? {
            let word = tag.dropFirst().trimmed()
            switch tag.first {
            case "!": return nil
            case "/":
                guard word == end else { throw fault("{{/\(word)}} closes \(end.map { "{{#\($0)}}" } ?? "nothing")") }
                return nil
            case "#", "^":
                let (path, made) = try path(word)
                return .section(path, made, isInverted: tag.first == "^", try parts(until: word))
            case ">": return .partial(word)
            case "$": return .block(word, try parts(until: word))
            case "<":
                var blocks: [String: [Part]] = [:]
                for case .block(let name, let parts) in try parts(until: word) { blocks[name] = parts }
                return .parent(word, blocks)
            case "&": return try value(word, isHTML: true)
            default: return try value(tag.trimmed(), isHTML: false)
            }
        }

        private mutating func value(_ text: String, isHTML: Bool) throws(Fault) -> Part {
            if text.hasPrefix("t.") { return .say(texts.number(of: String(text.dropFirst(2)))) }
            let (path, word) = try path(text)
            // Only what the API says is HTML, and the hidden fields of forms, may stand as it is.
            let last = path.names.last.map { String(decoding: $0, as: UTF8.self) } ?? ""
            guard !isHTML || word == nil && (last == "guard" || last.hasSuffix("html")) else {
                throw fault("{{{\(text)}}} is no HTML of ours")
            }
            return .value(path, word, isHTML: isHTML)
        }

        /// `a.b`, `word(a.b)`, or `same(a.b, c.d, …)`.
        private mutating func path(_ text: String) throws(Fault) -> (Path, Word?) {
            guard let open = text.firstIndex(of: "(") else { return (try names(text), nil) }
            guard text.last == ")" else { throw fault("\(text) is not closed") }
            let inner = text[text.index(after: open)...].dropLast()
            let name = String(text[..<open])
            guard name == "same" else { return (try names(String(inner)), try word(name)) }
            var ways: [Path] = []
            for way in inner.split(separator: ",", omittingEmptySubsequences: false) {
                ways.append(try names(way.trimmed()))
            }
            guard ways.count > 1 else { throw fault("\(text) compares no two values") }
            return (ways[0], .same(Array(ways.dropFirst())))
        }

        private func names(_ text: String) throws(Fault) -> Path {
            if text == "." { return Path(names: []) }
            let names = text.split(separator: ".", omittingEmptySubsequences: false)
            guard names.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(Self.isName) }) else {
                throw fault("\(text) names no value")
            }
            return Path(names: names.map { Array($0.utf8) })
        }

        private static func isName(_ byte: UInt8) -> Bool {
            switch byte {
            case 48...57, 65...90, 95, 97...122: true
            default: false
            }
        }

        private mutating func word(_ text: String) throws(Fault) -> Word {
            if text.hasPrefix("count.") { return .count(texts.number(of: text)) }
            if text.hasPrefix("say.") { return .say(texts.number(of: String(text.dropFirst(4)))) }
            if text == "is_me" { return .isMe }
            if text.hasPrefix("is_") { return .equals(Array(text.utf8.dropFirst(3))) }
            switch text {
            case "date": return .date
            case "day": return .day
            case "ago": return .ago
            case "number": return .number
            case "decimal": return .decimal
            case "stars": return .stars
            case "percent": return .percent
            case "url": return .url
            case "last": return .last
            case "brief": return .brief
            case "has": return .has
            default: throw fault("\(text) is no word that makes something of a value")
            }
        }

        private func add(_ text: Substring, to parts: inout [Part]) {
            var bytes: [UInt8] = []
            var isAfterLine = false
            for byte in text.utf8 {
                let isBlank = byte == 0x20 || byte == 0x09
                if isAfterLine, isBlank || byte == 0x0A { continue }
                isAfterLine = byte == 0x0A
                bytes.append(byte)
            }
            if !bytes.isEmpty, bytes != [0x0A] { parts.append(.bytes(bytes)) }
        }

        private func fault(_ reason: String) -> Fault { Fault(template: name, reason: reason) }
    }
}

extension Substring {
    /// Where `text` first stands.
    fileprivate func range(of text: String) -> Range<Index>? {
        let wanted = Array(text.utf8)
        var start = utf8.startIndex
        while let first = utf8[start...].firstIndex(of: wanted[0]) {
            if utf8[first...].starts(with: wanted) { return first..<utf8.index(first, offsetBy: wanted.count) }
            start = utf8.index(after: first)
        }
        return nil
    }
}
