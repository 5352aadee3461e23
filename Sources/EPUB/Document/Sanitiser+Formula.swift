extension EPUB.Sanitiser {
    /// A `math` element while it is read: presentational MathML, nothing of HTML in it.
    struct Formula {
        /// The open elements; `nil` for one that is not written.
        var open: [String?] = []
        /// The block before the formula.
        let html: Int
        let text: Int
        let scalars: Int
        /// How many elements are open around the token that is; `nil` outside of one.
        var token: Int?
        /// The token has text.
        var hasText = false
    }

    private static let tokens: Set<String> = ["mi", "mn", "mo", "ms", "mtext"]
    private static let elements: Set<String> = tokens.union([
        "mrow", "mspace", "mfrac", "msqrt", "mroot", "mstyle", "merror", "mpadded", "mphantom", "menclose", "mfenced",
        "msub",
        "msup", "msubsup", "munder", "mover", "munderover", "mmultiscripts", "mprescripts", "none", "mtable", "mtr",
        "mtd",
        "mlabeledtr",
    ])
    private static let attributes: [StaticString] = [
        "mathvariant", "stretchy", "fence", "separator", "lspace", "rspace", "minsize", "maxsize", "symmetric",
        "largeop",
        "movablelimits", "accent", "accentunder", "linethickness", "displaystyle", "scriptlevel", "columnalign",
        "rowalign",
        "columnspan", "rowspan", "columnlines", "rowlines", "frame", "notation", "width", "height", "depth", "dir",
    ]

    func beginFormula(_ attributes: EPUB.XML.Attributes) {
        beginWords()
        if let id = identifier(attributes) { waiting.append(id) }
        formula = Formula(html: block.html.count, text: block.text.count, scalars: block.scalars)
        var own = ""
        if let display = attributes["display"], ["block", "inline"].contains(display) {
            own += " display=\"\(display)\""
        }
        if let words = attributes["alttext"]?.spaced(atMost: 1_000), !words.isEmpty {
            own += " alttext=\"\(EPUB.Block.escaped(words))\""
        }
        block.tag("<math\(own)>")
        formula?.open.append("math")
    }

    func openInFormula(_ name: String, _ attributes: EPUB.XML.Attributes) {
        guard let depth = formula?.open.count else { return }
        if case .hidden = Self.roles[name] { return hiddenDepth = 1 }
        guard Self.elements.contains(name), formula?.token == nil, depth < surroundings.limits.nesting else {
            formula?.open.append(nil)
            return
        }
        if Self.tokens.contains(name) { formula?.token = depth }
        var own = ""
        for key in attributes.isEmpty ? [] : Self.attributes {
            guard let value = attributes[key], (1...60).contains(value.utf8.count), value.utf8.allSatisfy(Self.isPlain)
            else { continue }
            own += " \(key)=\"\(value)\""
        }
        if name == "mfenced" {
            for key: StaticString in ["open", "close", "separators"] {
                if let value = attributes[key], value.utf8.count <= 16 {
                    own += " \(key)=\"\(EPUB.Block.escaped(value))\""
                }
            }
        }
        block.tag("<\(name)\(own)>")
        formula?.open.append(name)
        formula?.hasText = false
    }

    /// Letters, digits and what numbers and lengths need.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (97...122).contains(byte | 0x20) || (48...57).contains(byte) || " .%+-".utf8.contains(byte)
    }

    func textInFormula(_ bytes: UnsafeBufferPointer<UInt8>) {
        let isInToken = formula?.token != nil
        var at = 0
        while at < bytes.count {
            if Self.isSpace(bytes[at]) {
                hasSpace = true
                at += 1
                continue
            }
            let from = at
            while at < bytes.count, !Self.isSpace(bytes[at]) { at += 1 }
            if hasSpace, isInToken, formula?.hasText == true {
                " ".utf8.withContiguousStorageIfAvailable { block.words($0, isWhole: true) }
            }
            hasSpace = false
            // Words that stand in no token would be no MathML.
            if !isInToken { block.tag("<mtext>") }
            block.words(UnsafeBufferPointer(rebasing: bytes[from..<at]), isWhole: true)
            if !isInToken { block.tag("</mtext>") }
            formula?.hasText = true
        }
    }

    func closeInFormula() {
        guard let name = formula?.open.popLast() else { return }
        if formula?.token == formula?.open.count { formula?.token = nil }
        hasSpace = false
        if let name { block.tag("</\(name)>") }
        guard let formula, formula.open.isEmpty else { return }
        self.formula = nil
        guard block.html.count - formula.html > surroundings.limits.formula else { return block.noteThing() }
        var words = Array(block.text[formula.text...])
        block.html.removeSubrange(formula.html...)
        block.text.removeSubrange(formula.text...)
        block.scalars = formula.scalars
        words.withUnsafeMutableBufferPointer { block.words(UnsafeBufferPointer($0), isWhole: false) }
    }
}
