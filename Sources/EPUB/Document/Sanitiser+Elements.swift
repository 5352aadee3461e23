extension EPUB.Sanitiser {
    /// Opens what an element becomes.
    func take(_ role: Role?, _ attributes: EPUB.XML.Attributes) {
        switch role {
        case .hidden: hiddenDepth = 1
        case nil: source.append(pass(attributes))
        case .container: source.append(container(attributes))
        case .centre:
            source.append(container(attributes))
            if case .container? = source.last { inherited[inherited.count - 1].isCentred = true }
        case .phrase(let tag): source.append(phrase(tag, attributes))
        case .list, .definitions, .quote, .figure, .table, .item, .definition, .caption, .rows, .row, .cell:
            source.append(structure(role, attributes))
        case .inline(let tag): source.append(inline(tag, attributes))
        case .span: source.append(span(attributes))
        case .link: source.append(link(attributes))
        case .lineBreak:
            source.append(pass(attributes))
            lineBreak()
        case .rule:
            source.append(pass(attributes))
            rule()
        case .picture:
            source.append(pass(attributes))
            picture(attributes["src"] ?? attributes["href"], attributes["alt"])
        case .object:
            guard picture(attributes["data"], attributes["title"]) else { return source.append(pass(attributes)) }
            hiddenDepth = 1
        case .drawing: beginDrawing(attributes)
        case .formula: beginFormula(attributes)
        case .alternatives:
            alternatives.append(false)
            source.append(.alternatives)
        case .alternative, .otherwise: alternative(role, attributes)
        }
    }

    /// Nothing is written of the element, but its identifier waits.
    private func pass(_ attributes: EPUB.XML.Attributes, isLink: Bool = false) -> Source {
        if let id = identifier(attributes, isLink: isLink) { waiting.append(id) }
        return .nothing
    }

    private var isAtLimit: Bool { stack.count + 4 > surroundings.limits.nesting }

    // MARK: Blocks

    private func container(_ attributes: EPUB.XML.Attributes) -> Source {
        if let top = stack.last {
            switch top.content {
            case .items, .definitions, .rows, .cells: return pass(attributes)
            case .words where top.tag != "p":
                // A heading stays one, and preformatted text too.
                lineBreak()
                return pass(attributes)
            case .words, .blocks, .both: break
            }
        }
        endParagraph()
        inherited.append(style(attributes))
        if let id = identifier(attributes) { waiting.append(id) }
        return .container
    }

    private func phrase(_ tag: String, _ attributes: EPUB.XML.Attributes) -> Source {
        if let top = stack.last, case .words = top.content, top.tag != "p" {
            lineBreak()
            return pass(attributes)
        }
        endParagraph()
        prepareForBlocks()
        guard !(tag == "pre" && isAtLimit) else { return pass(attributes) }
        return .block(openBlock(tag, style(attributes).attributes(surroundings), id: identifier(attributes), .words))
    }

    private func structure(_ role: Role?, _ attributes: EPUB.XML.Attributes) -> Source {
        if let top = stack.last, case .words = top.content { endParagraph() }
        writeClosingInlines()
        guard !isAtLimit, let role, let (tag, content, parent) = Self.shape(role) else { return container(attributes) }
        if let parent {
            while let top = stack.last, top.isAnonymous, !parent(top) { closeBlock() }
            guard let top = stack.last, parent(top) else { return container(attributes) }
        } else {
            prepareForBlocks()
        }
        let own = style(attributes).attributes(surroundings) + particulars(tag, attributes)
        let staysEmpty = ["li", "dt", "dd", "td", "th", "tr"].contains(tag)
        return .block(openBlock(tag, own, id: identifier(attributes), content, staysEmpty: staysEmpty))
    }

    /// The tag, what it holds, and where it must stand if not everywhere.
    private static func shape(_ role: Role) -> (String, Content, ((Open) -> Bool)?)? {
        switch role {
        case .list(let tag): (tag, .items, nil)
        case .definitions: ("dl", .definitions, nil)
        case .quote: ("blockquote", .blocks, nil)
        case .figure: ("figure", .both, nil)
        case .table: ("table", .rows, nil)
        case .item: ("li", .both, { $0.tag == "ul" || $0.tag == "ol" })
        case .definition(let tag): (tag, .both, { $0.tag == "dl" })
        case .caption(let tag): (tag, .both, { $0.tag == (tag == "caption" ? "table" : "figure") })
        case .rows(let tag): (tag, .rows, { $0.tag == "table" })
        case .row: ("tr", .cells, { ["table", "thead", "tbody", "tfoot"].contains($0.tag) })
        case .cell(let tag): (tag, .both, { $0.tag == "tr" })
        default: nil
        }
    }

    /// Attributes that an element alone has: numbers and a few words.
    private func particulars(_ tag: String, _ attributes: EPUB.XML.Attributes) -> String {
        var text = ""
        func number(_ name: StaticString, _ range: ClosedRange<Int>) {
            guard let value = attributes[name].flatMap({ Int($0.unspaced) }), range.contains(value) else { return }
            text += " \(name)=\"\(value)\""
        }
        switch tag {
        case "ol":
            number("start", -1_000_000...1_000_000)
            if let type = attributes["type"], ["1", "a", "A", "i", "I"].contains(type) { text += " type=\"\(type)\"" }
            if attributes["reversed"] != nil { text += " reversed" }
        case "li": number("value", -1_000_000...1_000_000)
        case "td", "th":
            number("colspan", 2...1_000)
            number("rowspan", 2...1_000)
            if tag == "th", let scope = attributes["scope"], ["row", "col", "rowgroup", "colgroup"].contains(scope) {
                text += " scope=\"\(scope)\""
            }
        default: break
        }
        return text
    }

    private func rule() {
        endParagraph()
        prepareForBlocks()
        block.tag("<hr>")
        beginLine()
        if stack.isEmpty { finishBlock() } else { block.noteThing() }
    }

    // MARK: Among words

    func lineBreak() {
        guard stack.last?.tag == "pre" else { return lineBreaks += 1 }
        guard block.html.count > (stack.last?.inside ?? 0) else { return }
        block.html.append(0x0A)
        block.text.append(0x0A)
        block.scalars += 1
    }

    private func inline(_ tag: String, _ attributes: EPUB.XML.Attributes) -> Source {
        guard inlines.count < surroundings.limits.nesting / 2 else { return pass(attributes) }
        if ["rb", "rt", "rp", "rtc"].contains(tag), !inlines.contains(where: { $0.tag == "ruby" }) {
            return pass(attributes)
        }
        var own = style(attributes, isBlock: false).attributes(surroundings)
        if tag == "abbr" || tag == "dfn", let title = attributes["title"]?.spaced(atMost: 500), !title.isEmpty {
            own += " title=\"\(EPUB.Block.escaped(title))\""
        }
        inlines.append(Inline(tag: tag, attributes: own, id: identifier(attributes)))
        return .inline
    }

    private func span(_ attributes: EPUB.XML.Attributes) -> Source {
        let styles = attributes["style"]?.lowercased() ?? ""
        if styles.contains("italic") { return inline("i", attributes) }
        if styles.contains("bold") { return inline("b", attributes) }
        guard inlines.count < surroundings.limits.nesting / 2 else { return pass(attributes) }
        let own = style(attributes, isBlock: false).attributes(surroundings)
        guard !own.isEmpty else { return pass(attributes) }
        inlines.append(Inline(tag: "span", attributes: own, id: identifier(attributes)))
        return .inline
    }

    private func link(_ attributes: EPUB.XML.Attributes) -> Source {
        guard let address = attributes["href"], !inlines.contains(where: { $0.tag == "a" }),
            inlines.count < surroundings.limits.nesting / 2, let own = target(of: address)
        else { return pass(attributes, isLink: true) }
        inlines.append(Inline(tag: "a", attributes: own, id: identifier(attributes, isLink: true)))
        return .inline
    }

    /// Writes the picture that `address` names. False where the book has none there.
    @discardableResult
    func picture(_ address: String?, _ description: String?) -> Bool {
        guard let address, let path = EPUB.Path.resolve(address, from: surroundings.name),
            let index = surroundings.pictures[path.name]
        else { return false }
        picture(index, description)
        return true
    }

    func picture(_ index: Int, _ description: String?) {
        beginWords()
        block.pictures.append(.init(index: index, html: block.html.count))
        let words = EPUB.Block.escaped(description?.spaced(atMost: EPUB.Limits.description) ?? "")
        block.tag("<img data-picture=\"\(index)\" alt=\"\(words)\">")
        block.noteThing()
    }

    // MARK: Alternatives

    /// `switch` of EPUB 3.0: a case that is MathML is taken, else the default.
    private func alternative(_ role: Role?, _ attributes: EPUB.XML.Attributes) {
        guard let last = alternatives.indices.last else { return source.append(pass(attributes)) }
        var isTaken = !alternatives[last]
        if case .alternative = role {
            isTaken = isTaken && attributes["required-namespace"]?.unspaced == "http://www.w3.org/1998/Math/MathML"
            if isTaken { alternatives[last] = true }
        }
        if isTaken { source.append(pass(attributes)) } else { hiddenDepth = 1 }
    }
}
