extension EPUB.XML {
    /// A document as libxml2 is to see it: without DTD, comments and processing instructions, CDATA as text, named
    /// entities of XHTML as their characters, `script` and `style` gone with their contents.
    ///
    /// What is no markup and no known entity comes out as text: `a < b`, `AT&T`, `&lol9;`. Controls that XML does not
    /// allow are left out. What is not ended goes on to the end of the document. One pass; at most five bytes for each.
    /// Throws `.documentTooComplex` for a tag with more than `attributes` attributes: libxml2 compares each with all.
    static func prepare(_ source: [UInt8], attributes: Int) throws(EPUB.Refusal) -> [UInt8] {
        var preparer = Preparer(attributes: attributes)
        preparer.output.reserveCapacity(source.count + source.count / 16)
        source.withUnsafeBufferPointer { preparer.run($0) }
        guard !preparer.hasTooManyAttributes else { throw .documentTooComplex }
        return preparer.output
    }

    private struct Preparer {
        let attributes: Int
        var output: [UInt8] = []
        var hasTooManyAttributes = false

        /// Where the scan is: in text, in a tag, or in a tag's value that ends with `quote`.
        private var isInTag = false
        private var quote: UInt8?
        private var words = 0

        init(attributes: Int) { self.attributes = attributes }

        mutating func run(_ source: UnsafeBufferPointer<UInt8>) {
            var at = 0
            while at < source.count {
                let byte = source[at]
                switch byte {
                case UInt8(ascii: "&"): at = reference(in: source, at)
                case UInt8(ascii: "<") where !isInTag: at = markup(in: source, at)
                case UInt8(ascii: "]")
                where !isInTag && at + 2 < source.count && source[at + 1] == byte
                    && source[at + 2] == UInt8(ascii: ">"):
                    output += "]]&gt;".utf8
                    at += 3
                case 0..<0x20 where byte != 0x09 && byte != 0x0A && byte != 0x0D: at += 1
                case 0xEF where at + 2 < source.count && source[at + 1] == 0xBF && source[at + 2] >= 0xBE: at += 3
                default:
                    if isInTag { inTag(byte) }
                    output.append(byte)
                    at += 1
                }
            }
        }

        private mutating func inTag(_ byte: UInt8) {
            if let open = quote {
                if byte == open { quote = nil }
                return
            }
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
            case UInt8(ascii: ">"): isInTag = false
            case UInt8(ascii: "="), 0x20, 0x09, 0x0A, 0x0D:
                // A blank before `=` and one behind it count as one word more; XML writes none.
                if let last = output.last, last != 0x20, last != 0x0A, last != 0x09, last != 0x0D { words += 1 }
                if words > 4 * attributes { hasTooManyAttributes = true }
            default: break
            }
        }

        /// `<…`: gives where to go on.
        private mutating func markup(in source: UnsafeBufferPointer<UInt8>, _ at: Int) -> Int {
            guard at + 1 < source.count else { return text("&lt;", at + 1) }
            switch source[at + 1] {
            case UInt8(ascii: "?"): return end(of: "?>", in: source, from: at + 2)
            case UInt8(ascii: "!"):
                if matches(source, at, "<!--") { return end(of: "-->", in: source, from: at + 4) }
                if matches(source, at, "<![CDATA[") { return characters(in: source, from: at + 9) }
                return declaration(in: source, from: at + 2)
            case let next where Self.beginsName(next) || next == UInt8(ascii: "/"):
                if let end = hidden(in: source, at) { return end }
                (isInTag, words) = (true, 0)
                output.append(source[at])
                return at + 1
            default: return text("&lt;", at + 1)
            }
        }

        private mutating func text(_ markup: StaticString, _ next: Int) -> Int {
            markup.withUTF8Buffer { output.append(contentsOf: $0) }
            return next
        }

        /// Behind the first `mark`, or the end.
        private func end(of mark: StaticString, in source: UnsafeBufferPointer<UInt8>, from: Int) -> Int {
            var at = from
            while at < source.count, !matches(source, at, mark) { at += 1 }
            return min(source.count, at + mark.utf8CodeUnitCount)
        }

        private mutating func characters(in source: UnsafeBufferPointer<UInt8>, from: Int) -> Int {
            var at = from
            while at < source.count, !matches(source, at, "]]>") {
                switch source[at] {
                case UInt8(ascii: "<"): output += "&lt;".utf8
                case UInt8(ascii: ">"): output += "&gt;".utf8
                case UInt8(ascii: "&"): output += "&amp;".utf8
                case 0..<0x20 where source[at] != 0x09 && source[at] != 0x0A && source[at] != 0x0D: break
                default: output.append(source[at])
                }
                at += 1
            }
            return min(source.count, at + 3)
        }

        /// `<!DOCTYPE … [ … ]>`: behind the `>` that stands in no quotation marks, brackets or comment.
        private func declaration(in source: UnsafeBufferPointer<UInt8>, from: Int) -> Int {
            var (at, depth, quote) = (from, 0, nil as UInt8?)
            while at < source.count {
                let byte = source[at]
                if let open = quote {
                    if byte == open { quote = nil }
                } else if matches(source, at, "<!--") {
                    at = end(of: "-->", in: source, from: at + 4)
                    continue
                } else {
                    switch byte {
                    case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
                    case UInt8(ascii: "["): depth += 1
                    case UInt8(ascii: "]"): depth -= 1
                    case UInt8(ascii: ">") where depth <= 0: return at + 1
                    default: break
                    }
                }
                at += 1
            }
            return source.count
        }

        /// Behind `<script …>…</script>` and the like; `nil` for other elements.
        private func hidden(in source: UnsafeBufferPointer<UInt8>, _ at: Int) -> Int? {
            for (opening, closing): (StaticString, StaticString) in [("<script", "</script"), ("<style", "</style")] {
                let last = at + closing.utf8CodeUnitCount
                if matches(source, at, closing), last >= source.count || !Self.isInName(source[last]) {
                    return end(of: ">", in: source, from: at)
                }
                let behind = at + opening.utf8CodeUnitCount
                guard matches(source, at, opening), behind >= source.count || !Self.isInName(source[behind]) else {
                    continue
                }
                var (from, quote) = (behind, nil as UInt8?)
                while from < source.count {
                    let byte = source[from]
                    if let open = quote {
                        if byte == open { quote = nil }
                    } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                        quote = byte
                    } else if byte == UInt8(ascii: ">") {
                        break
                    }
                    from += 1
                }
                if from < source.count, source[from - 1] == UInt8(ascii: "/") { return from + 1 }
                let close = end(of: closing, in: source, from: from)
                return end(of: ">", in: source, from: close)
            }
            return nil
        }

        /// `&…;`: gives where to go on.
        private mutating func reference(in source: UnsafeBufferPointer<UInt8>, _ at: Int) -> Int {
            var end = at + 1
            while end < source.count, end - at <= 10, source[end] == UInt8(ascii: "#") || Self.isASCIIWord(source[end])
            {
                end += 1
            }
            guard end < source.count, source[end] == UInt8(ascii: ";"), end > at + 1 else {
                return text("&amp;", at + 1)
            }
            let name = UnsafeBufferPointer(rebasing: source[(at + 1)..<end])
            if name.first == UInt8(ascii: "#") {
                guard let scalar = Self.scalar(name) else { return text("&amp;", at + 1) }
                return number(scalar, end + 1)
            }
            guard let scalar = entities[String(decoding: name, as: UTF8.self)] else { return text("&amp;", at + 1) }
            return number(scalar, end + 1)
        }

        /// A character that is markup stays a reference. One that no document may hold is left out.
        private mutating func number(_ scalar: UInt32, _ next: Int) -> Int {
            switch scalar {
            case 0x22: return text("&quot;", next)
            case 0x26: return text("&amp;", next)
            case 0x27: return text("&#39;", next)
            case 0x3C: return text("&lt;", next)
            case 0x3E: return text("&gt;", next)
            // As references these are kept in attributes too, where the characters would become blanks.
            case 0x09: return text("&#9;", next)
            case 0x0A: return text("&#10;", next)
            case 0x0D: return text("&#13;", next)
            // Browsers take these as Windows-1252.
            case 0x80...0x9F: append(UInt32(windows1252[Int(scalar) - 0x80]), to: &output)
            case 0x20..<0xFFFE:
                if let known = Unicode.Scalar(scalar) { append(known.value, to: &output) }
            case 0x1_0000...: if let known = Unicode.Scalar(scalar) { output += String(Character(known)).utf8 }
            default: break
            }
            return next
        }

        private static func scalar(_ name: UnsafeBufferPointer<UInt8>) -> UInt32? {
            let digits = String(decoding: name.dropFirst(), as: UTF8.self)
            let isHexadecimal = digits.hasPrefix("x") || digits.hasPrefix("X")
            return UInt32(isHexadecimal ? String(digits.dropFirst()) : digits, radix: isHexadecimal ? 16 : 10)
        }

        /// Whether `mark` stands at `at`, without regard to the case of ASCII letters.
        private func matches(_ source: UnsafeBufferPointer<UInt8>, _ at: Int, _ mark: StaticString) -> Bool {
            let count = mark.utf8CodeUnitCount
            guard at + count <= source.count else { return false }
            for index in 0..<count {
                let (byte, wanted) = (source[at + index], mark.utf8Start[index])
                guard byte == wanted || ((65...90).contains(byte) && byte | 0x20 == wanted) else { return false }
            }
            return true
        }

        private static func beginsName(_ byte: UInt8) -> Bool {
            (97...122).contains(byte | 0x20) || byte == 0x5F || byte >= 0x80
        }

        private static func isInName(_ byte: UInt8) -> Bool {
            beginsName(byte) || isASCIIWord(byte) || byte == 0x2D || byte == 0x3A || byte == 0x2E
        }

        private static func isASCIIWord(_ byte: UInt8) -> Bool {
            (97...122).contains(byte | 0x20) || (48...57).contains(byte)
        }
    }
}
