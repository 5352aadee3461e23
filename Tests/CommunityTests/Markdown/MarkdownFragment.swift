/// A strict reading of what `Markdown` writes: it knows the elements, attributes and addresses that may be there, exactly
/// as they are written, and finds fault with all others. It shares no code with what it judges.
struct MarkdownFragment {
    /// What is wrong, in order; nothing is read after the first.
    private(set) var faults: [String] = []
    /// The words outside of spoilers and inside, entities read, a line's end for `<br>` and between blocks.
    private(set) var open = ""
    private(set) var hidden = ""
    private(set) var spoilers = 0
    private(set) var withheld = 0
    private(set) var addresses: [String] = []

    private let bytes: [UInt8]
    private var at = 0
    private var stack: [String] = []

    private static let blocks: Set = ["p", "blockquote", "ul", "ol", "li", "pre"]
    private static let inlines: Set = ["strong", "em", "del", "code", "a", "span", "spoiler"]

    init(_ html: String) {
        bytes = Array(html.utf8)
        for scalar in html.unicodeScalars where !Self.isHarmless(scalar) {
            faults.append("U+\(String(scalar.value, radix: 16)) in the text")
        }
        while at < bytes.count, faults.isEmpty {
            switch bytes[at] {
            case UInt8(ascii: "<"): readTag()
            case UInt8(ascii: "&"): readEntity()
            case UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"): faults.append("a bare mark at \(at)")
            default: readWords()
            }
        }
        if faults.isEmpty, !stack.isEmpty { faults.append("left open: \(stack)") }
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 9, 10: true
        case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x206F, 0xFEFF, 0xFFFE, 0xFFFF: false
        default: true
        }
    }

    private mutating func say(_ words: String) {
        if stack.contains("spoiler") { hidden += words } else { open += words }
    }

    private mutating func readWords() {
        let start = at
        while at < bytes.count, !"<>&\"'".utf8.contains(bytes[at]) { at += 1 }
        checkPlaceOfWords()
        say(String(decoding: bytes[start..<at], as: UTF8.self))
    }

    private mutating func checkPlaceOfWords() {
        switch stack.last {
        case nil, "blockquote", "ul", "ol", "pre": faults.append("words in \(stack) at \(at)")
        default: break
        }
    }

    private mutating func readEntity() {
        let known = ["&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": "\"", "&#39;": "'"]
        guard let (entity, meaning) = known.first(where: { bytes[at...].starts(with: $0.key.utf8) }) else {
            return faults.append("an unknown entity at \(at)")
        }
        checkPlaceOfWords()
        say(meaning)
        at += entity.utf8.count
    }

    private mutating func readTag() {
        guard let end = bytes[at...].firstIndex(of: UInt8(ascii: ">")) else { return faults.append("a cut tag") }
        let tag = String(decoding: bytes[at + 1..<end], as: UTF8.self)
        at = end + 1
        if tag.hasPrefix("/") { close(String(tag.dropFirst())) } else { begin(tag) }
    }

    private mutating func close(_ name: String) {
        guard let last = stack.popLast() else { return faults.append("</\(name)> closes nothing") }
        let isSame = last == name || (name == "span" && ["spoiler", "gated"].contains(last))
        if !isSame { faults.append("</\(name)> closes <\(last)>") }
        if Self.blocks.contains(name) { say("\n") }
    }

    private mutating func begin(_ tag: String) {
        let name = String(tag.prefix { $0 != " " })
        switch tag {
        case "br":
            checkPlaceOfWords()
            return say("\n")
        case "p", "blockquote", "ul", "ol", "li", "pre", "strong", "em", "del", "code": enter(name)
        case "span class=\"spoiler\"":
            spoilers += 1
            enter("spoiler")
        case "span class=\"spoiler\" data-gated=\"true\"":
            withheld += 1
            enter("gated")
            if !bytes[at...].starts(with: "</span>".utf8) { faults.append("something in a gated element") }
        default:
            guard isAllowed(tag) else { return faults.append("<\(tag)>") }
            enter(name)
        }
    }

    /// Where an element may lie.
    private mutating func enter(_ name: String) {
        let parent = stack.last
        let fits =
            switch name {
            case "li": parent == "ul" || parent == "ol"
            case "p", "blockquote", "ul", "ol", "pre": [nil, "blockquote", "li"].contains(parent)
            case "code": parent == "pre" || isInline(parent)
            case "a": isInline(parent) && !stack.contains("a")
            case "spoiler", "gated": isInline(parent) && !stack.contains("spoiler")
            default: isInline(parent)
            }
        if !fits { faults.append("<\(name)> in \(stack)") }
        if Self.blocks.contains(name), !open.isEmpty { say("\n") }
        stack.append(name)
    }

    private func isInline(_ parent: String?) -> Bool {
        guard let parent, !stack.contains("pre") else { return false }
        return parent == "p" || parent == "li" || (Self.inlines.contains(parent) && parent != "code")
    }

    /// The three tags with values.
    private mutating func isAllowed(_ tag: String) -> Bool {
        if let number = Self.value(in: tag, between: "ol start=\"", and: "\"") {
            return (1...9).contains(number.utf8.count) && number.utf8.allSatisfy { (48...57).contains($0) }
        }
        if let name = Self.value(in: tag, between: "a href=\"/@", and: "\" class=\"mention\"") {
            let letters = "abcdefghijklmnopqrstuvwxyz0123456789_"
            return (3...30).contains(name.utf8.count) && name.utf8.allSatisfy { letters.utf8.contains($0) }
        }
        guard let address = Self.value(in: tag, between: "a href=\"", and: "\" rel=\"nofollow ugc noopener\"") else {
            return false
        }
        addresses.append(address)
        return Self.isAddress(address)
    }

    private static func value(in tag: String, between start: String, and end: String) -> String? {
        guard tag.hasPrefix(start), tag.hasSuffix(end), tag.utf8.count >= start.utf8.count + end.utf8.count else {
            return nil
        }
        return String(tag.dropFirst(start.count).dropLast(end.count))
    }

    /// Begins with one of three schemes and a host, has no user before an `@`, and holds only ASCII that needs no
    /// escape but `&amp;` and `&#39;`.
    static func isAddress(_ address: String) -> Bool {
        let rest = address.replacing("&amp;", with: "").replacing("&#39;", with: "").lowercased()
        guard rest.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"\"'<>&`\\[]{}|^".utf8.contains($0) }) else {
            return false
        }
        let letters = "abcdefghijklmnopqrstuvwxyz0123456789"
        if rest.hasPrefix("mailto:") {
            let parts = rest.dropFirst(7).split(separator: "@", omittingEmptySubsequences: false)
            return parts.count == 2
                && parts.allSatisfy { part in
                    !part.isEmpty && part.allSatisfy { letters.contains($0) || "._+-".contains($0) }
                }
        }
        for scheme in ["https://", "http://"] where rest.hasPrefix(scheme) {
            let authority = rest.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
            let host = authority.prefix { letters.contains($0) || ".-".contains($0) }
            return !host.isEmpty && !authority.contains("@")
        }
        return false
    }
}
