extension Markdown.Blocks {
    private typealias Byte = Markdown.Byte

    /// What is no quote and no item: code begins, a heading, or a line of a paragraph.
    mutating func readLeaf(_ line: Line, indent columns: Int) {
        if let fence = fence(in: line, indent: columns) {
            beginBlock()
            output.beginLine()
            output.tag("<pre><code>")
            self.fence = fence
        } else if let heading = heading(in: line) {
            beginBlock()
            output.beginLine()
            output.tag("<p><strong>")
            inline.append(heading, of: source)
            inline.flush(into: &output)
            output.tag("</strong></p>")
        } else {
            if paragraph == nil { paragraph = Paragraph(hasTag: beginBlock()) }
            inline.append(line.start..<line.end, of: source)
        }
    }

    mutating func closeLeaf() {
        if let open = paragraph {
            output.beginLine()
            if open.hasTag { output.tag("<p>") }
            inline.flush(into: &output)
            if open.hasTag { output.tag("</p>") }
            paragraph = nil
        }
        if fence != nil {
            output.tag("</code></pre>")
            fence = nil
        }
    }

    /// A line of a block of code, or its end.
    mutating func readCode(_ line: Line, upTo end: Int, _ fence: Fence) {
        let mark = indent(of: line, atMost: .max).end
        if line.end - mark >= fence.length, source[mark..<line.end].allSatisfy({ $0 == Byte.backtick }) {
            return closeLeaf()
        }
        let start = indent(of: line, atMost: fence.indent).end
        output.codeLine(source[min(start, end)..<end])
    }

    /// Three backticks or more, then at most the name of a language.
    private mutating func fence(in line: Line, indent columns: Int) -> Fence? {
        var end = line.start
        while end < line.end, source[end] == Byte.backtick { end += 1 }
        guard end - line.start >= 3 else { return nil }
        steps &+= line.end - line.start
        let name = source[end..<line.end]
        let marks = [Byte.plus, Byte.dash, Byte.dot, Byte.hash, Byte.underscore, Byte.space]
        guard name.allSatisfy({ $0.isLetterOrDigit || marks.contains($0) }) else { return nil }
        return Fence(length: end - line.start, indent: columns)
    }

    /// The text behind one to six `#` and a blank, and before such as close it.
    private mutating func heading(in line: Line) -> Range<Int>? {
        var start = line.start
        while start < line.end, source[start] == Byte.hash { start += 1 }
        guard (1...6).contains(start - line.start), start < line.end, source[start].isBlank else { return nil }
        while source[start].isBlank { start += 1 }
        var end = line.end
        while end > start, source[end - 1] == Byte.hash { end -= 1 }
        steps &+= line.end - end + start - line.start
        if end > start, end < line.end, !source[end - 1].isBlank { end = line.end }
        while end > start, source[end - 1].isBlank { end -= 1 }
        return start < end ? start..<end : nil
    }
}
