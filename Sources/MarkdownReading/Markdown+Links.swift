extension Markdown.Inline {
    private typealias Byte = Markdown.Byte

    /// An open `[`.
    struct Bracket {
        let node: Int
        /// Delimiters that were open before it.
        let delimiters: Int
    }

    // MARK: [text](address)

    mutating func readLeftBracket(_ place: inout Place) {
        add(.words, place.at..<place.at + 1, &place)
        brackets.append(Bracket(node: nodes.count - 1, delimiters: delimiters.count))
    }

    mutating func readRightBracket(_ place: inout Place) {
        let end = place.at
        place.at += 1
        guard brackets.count > bracketFloor, let bracket = brackets.last else { return }
        let isAlive = brackets.count > deadBrackets
        dropBracket()
        guard isAlive, bracket.node < nodes.count - 1 || place.words < end, let address = address(behind: end) else {
            return
        }
        add(.closeLink, end..<address.upperBound + 1, &place)
        nodes[bracket.node] = Node(.openLink, address)
        while delimiters.count > bracket.delimiters { dropDelimiter() }
        deadBrackets = brackets.count
    }

    mutating func dropBracket() {
        brackets.removeLast()
        deadBrackets = min(deadBrackets, brackets.count)
    }

    /// The address in the parentheses behind the `]` at `end`.
    ///
    /// Ends at the first byte that no address holds, brackets among them, so that no byte is looked at for two `]`.
    private mutating func address(behind end: Int) -> Range<Int>? {
        guard end + 1 < text.count, text[end + 1] == Byte.opening else { return nil }
        var at = end + 2
        var depth = 0
        while at < text.count, Self.isAddressByte(text[at]) {
            if text[at] == Byte.opening { depth += 1 }
            if text[at] == Byte.closing {
                if depth == 0 { break }
                depth -= 1
            }
            at += 1
        }
        let range = end + 2..<at
        steps &+= range.count
        guard at < text.count, text[at] == Byte.closing, range.count <= Markdown.Bounds.link, isAddress(range) else {
            return nil
        }
        return range
    }

    private mutating func isAddress(_ range: Range<Int>) -> Bool {
        guard let colon = text[range].prefix(8).firstIndex(of: Byte.colon) else { return false }
        switch text[range.lowerBound..<colon].map({ $0 | 0x20 }) {
        case Array("http".utf8), Array("https".utf8): return isWeb(behind: colon, before: range.upperBound)
        case Array("mailto".utf8): return isMailbox(colon + 1..<range.upperBound)
        default: return false
        }
    }

    /// `name@host`, and nothing that would fill in a letter.
    private mutating func isMailbox(_ range: Range<Int>) -> Bool {
        steps &+= range.count
        guard let sign = text[range].firstIndex(of: Byte.at), sign > range.lowerBound, sign + 1 < range.upperBound
        else {
            return false
        }
        let marks = [Byte.dot, Byte.underscore, Byte.plus, Byte.dash]
        return text[range.lowerBound..<sign].allSatisfy { $0.isLetterOrDigit || marks.contains($0) }
            && text[sign + 1..<range.upperBound].allSatisfy(Self.isHostByte)
    }

    // MARK: https://…

    /// At the `:` of a bare address, whose scheme stands among the words before it.
    mutating func readBareLink(_ place: inout Place) {
        let colon = place.at
        place.at += 1
        guard let start = schemeStart(before: colon, notBefore: place.words),
            let host = host(behind: colon, before: text.count)
        else { return }
        let end = host.goesOn ? bareEnd(from: host.end) : host.end
        // Too long is words as a whole: looked at again from within, a row of such addresses would cost its square.
        guard end - start <= Markdown.Bounds.link else { return place.at = end }
        add(.bareLink, start..<end, &place)
    }

    /// Where `http` or `https` begins that ends at `colon`, with no letter before it.
    private func schemeStart(before colon: Int, notBefore first: Int) -> Int? {
        for scheme in ["https", "http"] {
            let start = colon - scheme.utf8.count
            guard start >= first, text[start..<colon].elementsEqual(scheme.utf8, by: { $0 | 0x20 == $1 }) else {
                continue
            }
            return Markdown.neighbour(before: start, in: text) == .letter ? nil : start
        }
        return nil
    }

    /// Where the host and port end that begin with `//` behind `colon`, and whether a path, query or fragment follows.
    ///
    /// `nil` for none, for one with a byte that is not ASCII's, and for what may be a user before an `@`.
    private mutating func host(behind colon: Int, before limit: Int) -> (end: Int, goesOn: Bool)? {
        guard colon + 3 < limit, text[colon + 1] == Byte.slash, text[colon + 2] == Byte.slash else { return nil }
        var at = colon + 3
        guard text[at].isLetterOrDigit else { return nil }
        while at < limit, Self.isHostByte(text[at]) { at += 1 }
        var end = at
        if at + 1 < limit, text[at] == Byte.colon, text[at + 1].isDecimal {
            at += 1
            while at < limit, text[at].isDecimal { at += 1 }
            end = at
        }
        steps &+= at - colon
        let next = at < limit ? text[at] : Byte.space
        if next == Byte.slash || next == UInt8(ascii: "?") || next == Byte.hash { return (at, true) }
        guard next < 0x80, next != Byte.at, next != Byte.percent else { return nil }
        let isMark = next == Byte.underscore || next == Byte.colon
        if isMark, at + 1 < limit, text[at + 1].isLetterOrDigit { return nil }
        while !text[end - 1].isLetterOrDigit { end -= 1 }
        return (end, false)
    }

    private mutating func isWeb(behind colon: Int, before limit: Int) -> Bool {
        guard let host = host(behind: colon, before: limit) else { return false }
        return host.goesOn || host.end == limit
    }

    /// Where an address ends that goes on behind its host: before the punctuation of the sentence that it stands in.
    private mutating func bareEnd(from host: Int) -> Int {
        var end = host
        var depth = 0
        while end < text.count, Self.isAddressByte(text[end]) {
            if text[end] == Byte.opening { depth += 1 }
            if text[end] == Byte.closing { depth -= 1 }
            end += 1
        }
        steps &+= end - host
        while end > host {
            switch text[end - 1] {
            case Byte.closing where depth < 0: depth += 1
            case Byte.opening: depth -= 1
            case Byte.dot, Byte.colon, Byte.bang, Byte.star, Byte.underscore, Byte.tilde, UInt8(ascii: ","),
                UInt8(ascii: ";"), UInt8(ascii: "?"), UInt8(ascii: "'"):
                break
            default: return end
            }
            end -= 1
            steps &+= 1
        }
        return end
    }

    /// Of an address behind its host. What ends a spoiler, code or a link's text is none, nor is what quotes.
    private static func isAddressByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, 0x7F, Byte.less, Byte.greater, UInt8(ascii: "\""), Byte.backtick, Byte.backslash,
            Byte.leftBracket,
            Byte.rightBracket, UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"), UInt8(ascii: "^"):
            false
        default: true
        }
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || byte == Byte.dot || byte == Byte.dash
    }
}
