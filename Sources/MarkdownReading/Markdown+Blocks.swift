extension Markdown {
    /// Reads a text line by line and writes its blocks as they end.
    ///
    /// For each line: which open quotes and items go on in it, which begin, then what the rest is
    /// (`Markdown+Leaves.swift`). No line is read twice, and at most `Markdown.Bounds.nesting` of each kind are open.
    struct Blocks {
        let source: [UInt8]
        var inline = Inline()
        var output: Output
        /// Open quotes and items, the outermost first.
        private(set) var containers: [Container] = []
        var paragraph: Paragraph?
        var fence: Fence?
        var steps = 0

        enum Container {
            case quote
            /// An item that its list is open for; its lines stand `indent` columns in.
            case item(isNumbered: Bool, indent: Int, isEmpty: Bool)
        }

        /// An open paragraph: whether its element has a tag of its own.
        struct Paragraph {
            let hasTag: Bool
        }

        /// An open block of code: the backticks that began it, and columns before them.
        struct Fence {
            let length: Int
            let indent: Int
        }

        /// What is left of a line: blanks at the end left out.
        struct Line {
            var start: Int
            let end: Int
            /// Open containers that go on in it.
            var depth = 0
            var isBlank: Bool { start >= end }
        }

        init(_ source: [UInt8], linking names: Set<String>?) {
            self.source = source
            output = Output(sourceLength: source.count, linking: names)
        }

        mutating func run() {
            var start = 0
            while start < source.count {
                let newline = source[start...].firstIndex(of: Byte.newline) ?? source.count
                read(start..<newline)
                start = newline + 1
            }
            close(to: 0)
        }

        private mutating func read(_ range: Range<Int>) {
            var end = range.upperBound
            while end > range.lowerBound, source[end - 1].isBlank { end -= 1 }
            steps &+= range.count
            var line = Line(start: range.lowerBound, end: end)
            follow(&line)
            if let fence {
                guard line.depth < containers.count else { return readCode(line, upTo: range.upperBound, fence) }
                close(to: line.depth)
            }
            while !line.isBlank, begin(&line) {}
            if line.isBlank {
                // It ends the paragraph, and the quotes that it has no `>` for.
                close(to: line.depth)
            } else {
                if line.depth < containers.count { close(to: line.depth) }
                let (columns, start) = indent(of: line, atMost: .max)
                line.start = start
                readLeaf(line, indent: columns)
            }
        }

        // MARK: Containers

        /// Goes past the marks of the containers that go on in `line`.
        private mutating func follow(_ line: inout Line) {
            for container in containers {
                switch container {
                case .quote:
                    let mark = indent(of: line, atMost: 3).end
                    guard isQuote(mark, line) else { return }
                    passQuote(mark, &line)
                case .item(_, let columns, _):
                    if !line.isBlank {
                        let found = indent(of: line, atMost: columns)
                        guard found.columns >= columns else { return }
                        line.start = found.end
                    }
                }
                line.depth += 1
            }
        }

        /// Begins the quote or item whose mark `line` begins with; false where it begins with none.
        private mutating func begin(_ line: inout Line) -> Bool {
            let (columns, mark) = indent(of: line, atMost: .max)
            if isQuote(mark, line) {
                guard quotes(within: line.depth) < Markdown.Bounds.nesting else { return false }
                close(to: line.depth)
                beginBlock()
                containers.append(.quote)
                output.tag("<blockquote>")
                passQuote(mark, &line)
            } else if let item = itemMark(at: mark, line) {
                if line.depth < containers.count, case .item(item.isNumbered, _, _) = containers[line.depth] {
                    close(to: line.depth + 1)
                    output.tag("</li><li>")
                    containers.removeLast()
                } else {
                    guard items(within: line.depth) < Markdown.Bounds.nesting, mayBegin(item, line) else {
                        return false
                    }
                    close(to: line.depth)
                    beginBlock()
                    openList(item)
                }
                containers.append(.item(isNumbered: item.isNumbered, indent: columns + 2, isEmpty: true))
                line.start = min(item.range.upperBound + 1, line.end)
            } else {
                return false
            }
            line.depth += 1
            return true
        }

        private func quotes(within depth: Int) -> Int {
            containers.prefix(depth).count { if case .quote = $0 { true } else { false } }
        }

        private func items(within depth: Int) -> Int { depth - quotes(within: depth) }

        /// An empty item, or one that does not begin a list with 1, does not interrupt the paragraph before it.
        private func mayBegin(_ item: ItemMark, _ line: Line) -> Bool {
            guard paragraph != nil, line.depth == containers.count else { return true }
            let isFirst = !item.isNumbered || Array(source[item.digits]) == [UInt8(ascii: "1")]
            return isFirst && item.range.upperBound < line.end
        }

        private mutating func openList(_ item: ItemMark) {
            if !item.isNumbered {
                output.tag("<ul>")
            } else if Array(source[item.digits]) == [UInt8(ascii: "1")] {
                output.tag("<ol>")
            } else {
                output.listStart(source[item.digits])
            }
            output.tag("<li>")
        }

        /// A block begins in the innermost container; false for the first of an item.
        @discardableResult mutating func beginBlock() -> Bool {
            closeLeaf()
            guard case .item(let isNumbered, let indent, true) = containers.last else { return true }
            containers[containers.count - 1] = .item(isNumbered: isNumbered, indent: indent, isEmpty: false)
            return false
        }

        /// Closes what is open inside of the outer `depth` containers.
        private mutating func close(to depth: Int) {
            closeLeaf()
            while containers.count > depth {
                switch containers.removeLast() {
                case .quote: output.tag("</blockquote>")
                case .item(let isNumbered, _, _): output.tag(isNumbered ? "</li></ol>" : "</li></ul>")
                }
            }
        }

        // MARK: Marks

        /// What begins an item, without the blank behind it.
        struct ItemMark {
            let isNumbered: Bool
            let range: Range<Int>
            var digits: Range<Int> { range.lowerBound..<range.upperBound - 1 }
        }

        private func itemMark(at mark: Int, _ line: Line) -> ItemMark? {
            guard mark < line.end else { return nil }
            var end = mark
            while end < line.end, end - mark < 9, source[end].isDecimal { end += 1 }
            let isNumbered = end > mark
            guard end < line.end, isNumbered ? source[end] == Byte.dot : isBullet(source[end]) else { return nil }
            guard end + 1 == line.end || source[end + 1].isBlank else { return nil }
            return ItemMark(isNumbered: isNumbered, range: mark..<end + 1)
        }

        private func isBullet(_ byte: UInt8) -> Bool { byte == Byte.dash || byte == Byte.star }

        /// `>`, unless it begins a spoiler.
        private func isQuote(_ mark: Int, _ line: Line) -> Bool {
            guard mark < line.end, source[mark] == Byte.greater else { return false }
            return mark + 1 == line.end || source[mark + 1] != Byte.bang
        }

        private func passQuote(_ mark: Int, _ line: inout Line) {
            line.start = mark + 1
            if line.start < line.end, source[line.start].isBlank { line.start += 1 }
        }

        /// The blanks that `line` begins with, up to so many columns; a tab counts for four.
        mutating func indent(of line: Line, atMost most: Int) -> (columns: Int, end: Int) {
            var (columns, end) = (0, line.start)
            while columns < most, end < line.end, source[end].isBlank {
                columns += source[end] == Byte.tab ? 4 : 1
                end += 1
            }
            steps &+= 1 + end - line.start
            return (columns, end)
        }
    }
}
