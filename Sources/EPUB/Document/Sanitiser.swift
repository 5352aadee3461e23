extension EPUB {
    /// Makes blocks of safe HTML from one document, element by element as they come. `README.md` lists what is kept.
    ///
    /// Everything that is written comes from tables here or is escaped. The HTML is always balanced: what is open is
    /// kept in two stacks, of blocks and of what stands among words, and elements among words are opened only when there
    /// is a word. So a link around several paragraphs becomes a link in each.
    final class Sanitiser: XML.Handler {
        /// What the document's addresses lead to.
        struct Surroundings {
            /// The document's file in the archive.
            let name: String
            /// Indices by the file's name.
            let chapters: [String: Int]
            let pictures: [String: Int]
            /// Elements that say the same are written without.
            let language: String?
            let direction: Facts.Direction
            let limits: Limits
        }

        /// One element of what is written.
        struct Open {
            let tag: String
            let content: Content
            let serial: Int
            /// Bytes of HTML before its tag and behind it.
            let start: Int
            let inside: Int
            /// Stays even if nothing is in it.
            let staysEmpty: Bool
            /// The book has no such element: what it has needed one to stand in.
            var isAnonymous = false
        }

        /// An element among words. Those that are written come before those that wait for a word.
        struct Inline {
            let tag: String
            let attributes: String
            var id: String?
            var isWritten = false
        }

        /// What an element of the source became.
        enum Source {
            case nothing
            case container
            case block(Int)
            case inline
            case alternatives
        }

        let surroundings: Surroundings
        var refusal: Refusal?
        private(set) var blocks: [Block] = []
        /// HTML of finished blocks, in bytes.
        private var written = 0

        var block = Block()
        var stack: [Open] = []
        var inlines: [Inline] = []
        var source: [Source] = []
        var inherited: [Style] = []
        private var serial = 0
        /// Open elements of what goes with its contents.
        var hiddenDepth = 0
        var drawing: Drawing?
        var formula: Formula?
        var alternatives: [Bool] = []

        var isLineEmpty = true
        var hasSpace = false
        var lineBreaks = 0
        /// Identifiers that wait for something to stand at.
        var waiting: [String] = []
        private var identifiers: Set<String> = []

        init(_ surroundings: Surroundings) { self.surroundings = surroundings }

        /// The blocks, once the document has ended.
        func finished() -> [Block] {
            while !stack.isEmpty { closeBlock() }
            if let last = blocks.indices.last {
                let (html, scalars) = (blocks[last].html.count, blocks[last].scalars)
                blocks[last].anchors += waiting.map { .init(name: $0, html: html, scalars: scalars) }
            }
            waiting = []
            return blocks
        }

        // MARK: The source

        func open(_ name: String, _ attributes: XML.Attributes) {
            if hiddenDepth > 0 { return hiddenDepth += 1 }
            if drawing != nil { return openInDrawing(name, attributes) }
            if formula != nil { return openInFormula(name, attributes) }
            guard attributes["hidden"] == nil else { return hiddenDepth = 1 }
            take(Self.roles[name], attributes)
        }

        func close(_ name: String) {
            if hiddenDepth > 0 { return hiddenDepth -= 1 }
            if drawing != nil { return closeInDrawing() }
            if formula != nil { return closeInFormula() }
            switch source.popLast() {
            case .container:
                inherited.removeLast()
                endParagraph()
            case .block(let serial): closeBlocks(to: serial)
            case .inline: closeInline()
            case .alternatives: alternatives.removeLast()
            case .nothing, nil: break
            }
        }

        func text(_ bytes: UnsafeBufferPointer<UInt8>) {
            if hiddenDepth > 0 { return }
            if drawing != nil { return textInDrawing(bytes) }
            if formula != nil { return textInFormula(bytes) }
            if stack.contains(where: { $0.tag == "pre" }) { return preformatted(bytes) }
            var at = 0
            while at < bytes.count {
                if Self.isSpace(bytes[at]) {
                    hasSpace = true
                    at += 1
                    continue
                }
                let from = at
                while at < bytes.count, !Self.isSpace(bytes[at]) { at += 1 }
                beginWords()
                block.words(UnsafeBufferPointer(rebasing: bytes[from..<at]), isWhole: isInRuby && !block.isLong)
            }
        }

        private func preformatted(_ bytes: UnsafeBufferPointer<UInt8>) {
            var at = 0
            while at < bytes.count {
                let from = at
                while at < bytes.count, bytes[at] != 0x0A { at += 1 }
                if at > from {
                    hasSpace = false
                    beginWords()
                    block.words(UnsafeBufferPointer(rebasing: bytes[from..<at]), isWhole: false)
                }
                guard at < bytes.count else { return }
                at += 1
                // Browsers leave out the first line's end too.
                guard block.html.count > (stack.last?.inside ?? 0) else { continue }
                block.html.append(0x0A)
                block.text.append(0x0A)
                block.scalars += 1
                block.noteBreak()
            }
        }

        static func isSpace(_ byte: UInt8) -> Bool {
            byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D || byte == 0x0C
        }

        private var isInRuby: Bool { inlines.contains { $0.isWritten && $0.tag == "ruby" } }

        // MARK: Blocks

        /// Opens an element; `attributes` as they are written, with a blank before each.
        func openBlock(_ tag: String, _ attributes: String, id: String?, _ content: Content, staysEmpty: Bool = false)
            -> Int
        {
            guard block.html.count + written <= surroundings.limits.html else {
                refusal = .documentTooLarge
                return 0
            }
            serial += 1
            let start = block.html.count
            block.html += "<\(tag)".utf8
            if let id { write(id: id, at: start) }
            block.html += attributes.utf8
            block.html.append(UInt8(ascii: ">"))
            stack.append(
                Open(
                    tag: tag, content: content, serial: serial, start: start, inside: block.html.count,
                    staysEmpty: staysEmpty))
            if stack.count == 1 { block.isHeading = tag.count == 2 && tag.first == "h" }
            beginLine()
            return serial
        }

        func beginLine() { (isLineEmpty, hasSpace, lineBreaks) = (true, false, 0) }

        /// Closes the innermost element. One with nothing in it is taken back, and its identifiers wait.
        func closeBlock() {
            writeClosingInlines()
            guard let open = stack.last else { return }
            if block.html.count == open.inside, !open.staysEmpty {
                let gone = block.anchors.lastIndex { $0.html < open.start }.map { $0 + 1 } ?? 0
                waiting = block.anchors[gone...].map(\.name) + waiting
                block.anchors.removeSubrange(gone...)
                block.html.removeSubrange(open.start...)
            } else {
                if case .words = open.content { writeWaiting() }
                if case .both = open.content, block.html.count > open.inside { writeWaiting() }
                block.tag("</\(open.tag)>")
                block.separate(open.tag == "td" || open.tag == "th" ? 0x09 : 0x0A)
            }
            let wasWritten = block.html.count > open.inside
            stack.removeLast()
            if wasWritten, !stack.isEmpty { noteEnd(of: open) }
            beginLine()
            if stack.isEmpty { finishBlock() }
        }

        /// An element in a block has ended: rows are not divided between their cells if it can be helped.
        private func noteEnd(of open: Open) {
            if block.scalars == block.breaks.last?.scalars ?? 0 {
                block.noteThing()
            } else {
                block.noteBreak(isBetween: open.tag != "td" && open.tag != "th" && !stack.contains { $0.tag == "tr" })
            }
        }

        private func closeBlocks(to serial: Int) {
            guard let place = stack.lastIndex(where: { $0.serial == serial }) else { return endParagraph() }
            while stack.count > place { closeBlock() }
        }

        func finishBlock() {
            guard !block.html.isEmpty else { return block = Block() }
            for separator: UInt8 in [0x0A, 0x09] where block.text.last == separator {
                block.text.removeLast()
                block.scalars -= 1
            }
            let (html, text) = (block.html.count, block.text.count)
            block.breaks.removeAll { $0.html >= html || $0.text > text }
            written += block.html.count
            if written > surroundings.limits.html { refusal = .documentTooLarge }
            blocks.append(block)
            block = Block()
        }

        /// Ends a paragraph, a heading or preformatted text, so that a block can stand here.
        func endParagraph() {
            writeClosingInlines()
            if let top = stack.last, case .words = top.content {
                closeBlock()
            } else if !stack.isEmpty {
                beginLine(); block.separate(0x0A)
            }
        }

        /// Opens what must stand between the innermost element and a block or words.
        func prepareForBlocks() {
            while refusal == nil, let top = stack.last {
                switch top.content {
                case .items: openAnonymous("li", .both)
                case .definitions: openAnonymous("dd", .both)
                case .rows: openAnonymous("tr", .cells)
                case .cells: openAnonymous("td", .both)
                case .words, .blocks, .both: return
                }
            }
        }

        private func openAnonymous(_ tag: String, _ content: Content) {
            guard openBlock(tag, "", id: nil, content) > 0 else { return }
            stack[stack.count - 1].isAnonymous = true
        }

        // MARK: Words

        /// Writes all that waits before a word or a picture.
        func beginWords() {
            prepareForBlocks()
            switch stack.last?.content {
            case nil, .blocks: _ = openBlock("p", style().attributes(surroundings), id: nil, .words)
            default: break
            }
            if !isLineEmpty {
                if lineBreaks > 0 {
                    for _ in 0..<min(lineBreaks, 2) { block.tag("<br>") }
                    block.separate(0x0A)
                    if !isInRuby { block.noteBreak() }
                } else if hasSpace {
                    block.html.append(0x20)
                    block.text.append(0x20)
                    block.scalars += 1
                    if !isInRuby { block.noteBreak() }
                }
            }
            if block.isLong { block.noteBreak() }
            (isLineEmpty, hasSpace, lineBreaks) = (false, false, 0)
            writeWaiting()
            for index in inlines.indices where !inlines[index].isWritten {
                let start = block.html.count
                block.html += "<\(inlines[index].tag)".utf8
                if let id = inlines[index].id { write(id: id, at: start) }
                inlines[index].id = nil
                block.html += inlines[index].attributes.utf8
                block.html.append(UInt8(ascii: ">"))
                inlines[index].isWritten = true
            }
            if block.html.count + written > surroundings.limits.html { refusal = .documentTooLarge }
        }

        private func closeInline() {
            guard let inline = inlines.popLast() else { return }
            if let id = inline.id { waiting.append(id) }
            if inline.isWritten { block.tag("</\(inline.tag)>") }
        }

        /// Closes what is open among words; it opens again with the next word.
        func writeClosingInlines() {
            for index in inlines.indices.reversed() where inlines[index].isWritten {
                block.tag("</\(inlines[index].tag)>")
                inlines[index].isWritten = false
            }
        }

        // MARK: Identifiers

        /// Identifiers at one place; further ones are left out.
        private static let mostAtOnce = 200

        /// The identifier that an element of the book gets; `nil` where it has none, or the document had it before.
        func identifier(_ attributes: XML.Attributes, isLink: Bool = false) -> String? {
            guard let id = attributes["id"] ?? (isLink ? attributes["name"] : nil), let anchor = EPUB.anchor(id),
                identifiers.insert(anchor).inserted
            else { return nil }
            return anchor
        }

        private func write(id: String, at start: Int) {
            block.html += " id=\"\(Block.escaped(id))\"".utf8
            block.anchors.append(.init(name: id, html: start, scalars: block.scalars))
        }

        private func writeWaiting() {
            guard !waiting.isEmpty else { return }
            for id in waiting.prefix(Self.mostAtOnce) {
                let start = block.html.count
                block.html += "<span".utf8
                write(id: id, at: start)
                block.html += "></span>".utf8
            }
            waiting = []
        }
    }
}
