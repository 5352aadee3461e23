import EPUB

/// Says what is wrong with a page's HTML. It knows nothing of the sanitiser: it has the list of the README, and reads
/// every byte.
struct SafeHTML {
    private static let elements: Set<String> = [
        "p", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "ul", "ol", "li", "dl", "dt", "dd", "blockquote", "figure",
        "figcaption",
        "table", "caption", "thead", "tbody", "tfoot", "tr", "td", "th", "em", "strong", "b", "i", "u", "s", "small",
        "sub",
        "sup", "code", "kbd", "samp", "var", "cite", "q", "dfn", "abbr", "mark", "del", "ins", "bdi", "bdo", "span",
        "ruby", "rb",
        "rt", "rp", "rtc", "a", "br", "hr", "img",
    ]
    private static let mathematics: Set<String> = [
        "math", "mi", "mn", "mo", "ms", "mtext", "mrow", "mspace", "mfrac", "msqrt", "mroot", "mstyle", "merror",
        "mpadded",
        "mphantom", "menclose", "mfenced", "msub", "msup", "msubsup", "munder", "mover", "munderover", "mmultiscripts",
        "mprescripts", "none", "mtable", "mtr", "mtd", "mlabeledtr",
    ]
    private static let attributes: Set<String> = [
        "id", "lang", "dir", "class", "start", "type", "reversed", "value", "colspan", "rowspan", "scope", "title",
        "href", "rel",
        "data-item", "data-fragment", "data-picture", "alt",
    ]
    private static let ofMathematics: Set<String> = [
        "display", "alttext", "mathvariant", "stretchy", "fence", "separator", "lspace", "rspace", "minsize", "maxsize",
        "symmetric", "largeop", "movablelimits", "accent", "accentunder", "linethickness", "displaystyle",
        "scriptlevel",
        "columnalign", "rowalign", "columnspan", "rowspan", "columnlines", "rowlines", "frame", "notation", "width",
        "height",
        "depth", "dir", "open", "close", "separators",
    ]
    private static let references: [(String, UInt8)] = [
        ("&amp;", 0x26), ("&lt;", 0x3C), ("&gt;", 0x3E), ("&quot;", 0x22), ("&#39;", 0x27),
    ]

    private(set) var faults: [String] = []
    /// The words between the tags, references resolved.
    private(set) var text = ""

    private let html: String
    private var stack: [String] = []
    private var identifiers: Set<String> = []

    init(_ html: String) {
        self.html = html
        // Bytes, as browsers read them: to Swift a `>` and a mark that combines with it are one character.
        var rest = Array(html.utf8)[...]
        while let first = rest.first {
            if first == UInt8(ascii: "<") {
                guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else {
                    faults.append("a tag does not end")
                    return
                }
                tag(rest[(rest.startIndex + 1)..<end])
                rest = rest[(end + 1)...]
            } else {
                let words = rest.prefix { $0 != UInt8(ascii: "<") }
                if words.contains(UInt8(ascii: ">")) { faults.append("> in the text") }
                text += resolved(words)
                rest = rest[words.endIndex...]
            }
        }
        if !stack.isEmpty { faults.append("\(stack) not closed") }
    }

    private mutating func resolved(_ words: ArraySlice<UInt8>) -> String {
        var plain: [UInt8] = []
        var rest = words
        while let first = rest.first {
            if first == UInt8(ascii: "&") {
                guard let (reference, byte) = Self.references.first(where: { rest.starts(with: $0.0.utf8) }) else {
                    faults.append("& is no reference in \(String(decoding: rest.prefix(20), as: UTF8.self))")
                    return ""
                }
                plain.append(byte)
                rest = rest.dropFirst(reference.utf8.count)
            } else {
                plain.append(first)
                rest = rest.dropFirst()
            }
        }
        return String(decoding: plain, as: UTF8.self)
    }

    private mutating func tag(_ markup: ArraySlice<UInt8>) {
        if markup.first == UInt8(ascii: "/") {
            let name = String(decoding: markup.dropFirst(), as: UTF8.self)
            if stack.last == name {
                stack.removeLast()
            } else {
                faults.append("</\(name)> closes \(stack.last ?? "nothing")")
            }
            return
        }
        let blank = UInt8(ascii: " ")
        let name = String(decoding: markup.prefix { $0 != blank }, as: UTF8.self)
        let isMathematics = stack.contains("math") || name == "math"
        let isKnown = isMathematics ? Self.mathematics.contains(name) : Self.elements.contains(name)
        if !isKnown { faults.append("<\(name)> in \(stack.last ?? "the page")") }
        place(name)
        if !["br", "hr", "img"].contains(name) { stack.append(name) }
        if stack.count > 72 { faults.append("nested \(stack.count) deep") }
        var rest = markup.dropFirst(name.utf8.count)
        while rest.first == blank {
            rest = rest.dropFirst()
            let key = String(decoding: rest.prefix { $0 != UInt8(ascii: "=") && $0 != blank }, as: UTF8.self)
            rest = rest.dropFirst(key.utf8.count)
            guard rest.starts(with: "=\"".utf8) else {
                if key != "reversed" { faults.append("\(key) without a value") }
                continue
            }
            let value = rest.dropFirst(2).prefix { $0 != UInt8(ascii: "\"") }
            rest = rest[value.endIndex...].dropFirst()
            attribute(key, resolved(value), of: name, isMathematics)
        }
        if !rest.isEmpty {
            faults.append("<\(String(decoding: markup.prefix(60), as: UTF8.self))> has more than attributes")
        }
    }

    /// Where an element may stand.
    private mutating func place(_ name: String) {
        let parents: [String: Set<String>] = [
            "li": ["ul", "ol"], "dt": ["dl"], "dd": ["dl"], "tr": ["table", "thead", "tbody", "tfoot"], "td": ["tr"],
            "th": ["tr"],
            "thead": ["table"], "tbody": ["table"], "tfoot": ["table"], "caption": ["table"], "figcaption": ["figure"],
        ]
        if let wanted = parents[name], !wanted.contains(stack.last ?? "") {
            faults.append("<\(name)> in \(stack.last ?? "the page")")
        }
        let holdsOnly: [String: Set<String>] = [
            "ul": ["li"], "ol": ["li"], "dl": ["dt", "dd"], "table": ["caption", "thead", "tbody", "tfoot", "tr"],
            "tr": ["td", "th"],
        ]
        if let parent = stack.last, let wanted = holdsOnly[parent], !wanted.contains(name) {
            faults.append("<\(name)> in \(parent)")
        }
        let blocks: Set<String> = [
            "p", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "ul", "ol", "dl", "blockquote", "figure", "table", "hr",
        ]
        let words: Set<String> = [
            "p", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "em", "a", "span", "strong", "i", "b",
        ]
        if blocks.contains(name), let parent = stack.last, words.contains(parent) {
            faults.append("<\(name)> in \(parent)")
        }
        if name == "a", stack.contains("a") { faults.append("a link in a link") }
    }

    private mutating func attribute(_ key: String, _ value: String, of name: String, _ isMathematics: Bool) {
        guard (isMathematics ? Self.ofMathematics : Self.attributes).contains(key) else {
            return faults.append("\(key) of <\(name)>")
        }
        let isRight =
            switch key {
            case "href":
                name == "a" && ["http://", "https://", "mailto:"].contains(where: value.hasPrefix)
                    && value.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
            case "rel": value == "external nofollow noopener"
            case "class": ["external", "centred", "continued"].contains(value)
            case "id": value.utf8.starts(with: "at-".utf8) && identifiers.insert(value).inserted
            case "data-item": name == "a" && Int(value) != nil
            case "data-fragment": name == "a" && value.utf8.starts(with: "at-".utf8)
            case "data-picture": name == "img" && Int(value) != nil
            case "start", "value", "colspan", "rowspan", "columnspan": Int(value) != nil
            case "dir": ["ltr", "rtl", "auto"].contains(value)
            default: true
            }
        if !isRight { faults.append("\(key)=\"\(value.prefix(80))\" of <\(name)>") }
    }
}

extension WholeBook {
    /// What is wrong with any page: its HTML, its words, its place.
    var faults: [String] {
        var faults: [String] = []
        for chapter in chapters {
            var offset = 0
            for page in chapter.pages {
                let html = SafeHTML(page.html)
                faults += html.faults.map { "chapter \(chapter.index): \($0)" }
                if html.text.spacesRemoved != page.text.spacesRemoved {
                    faults.append("text and HTML differ on \(page.text.prefix(40))")
                }
                if page.offset != offset || page.length < 1 { faults.append("a page at \(page.offset), not \(offset)") }
                if page.text.unicodeScalars.count > page.length { faults.append("a page longer than its length") }
                if page.chapter != chapter.index { faults.append("a page of another chapter") }
                if !page.pictures.allSatisfy(facts.pictures.indices.contains) {
                    faults.append("a picture that is not there")
                }
                for anchor in page.anchors where !(offset...offset + page.length).contains(anchor.offset) {
                    faults.append("an anchor that is not on its page: \(anchor)")
                }
                offset += page.length
            }
            if offset != chapter.length {
                faults.append("chapter \(chapter.index) is \(chapter.length) long, its pages \(offset)")
            }
        }
        return faults
    }
}

extension String {
    var spacesRemoved: String {
        var kept = UnicodeScalarView()
        for scalar in unicodeScalars where !scalar.properties.isWhitespace { kept.append(scalar) }
        return String(kept)
    }
}
