extension Markdown.Inline {
    /// An open run of `*`, `_` or `~~`.
    struct Delimiter {
        enum Mark: Int {
            case star, underscore, tilde

            init?(_ byte: UInt8) {
                switch byte {
                case Markdown.Byte.star: self = .star
                case Markdown.Byte.underscore: self = .underscore
                case Markdown.Byte.tilde: self = .tilde
                default: return nil
                }
            }

            /// Bytes of a run that means something.
            var lengths: ClosedRange<Int> { self == .tilde ? 2...2 : 1...3 }
        }

        let mark: Mark
        let node: Int
        /// Bytes that nothing has closed yet: 1...3.
        var left: Int
    }

    /// The run that the last node is: closes what it can, and is open with what is left of it.
    mutating func delimit(_ range: Range<Int>) {
        guard let mark = Delimiter.Mark(text[range.lowerBound]) else { return }
        let before = Markdown.neighbour(before: range.lowerBound, in: text)
        let after = Markdown.neighbour(from: range.upperBound, in: text)
        let facesRight = after != .gap && (after == .letter || before != .letter)
        let facesLeft = before != .gap && (before == .letter || after != .letter)
        // An underscore in a word is a letter of it.
        let isInWord = mark == .underscore && before == .letter && after == .letter
        let node = nodes.count - 1
        var left = range.count
        if facesLeft, !isInWord { left = close(mark, left, node) }
        nodes[node].left = UInt8(left)
        if left > 0, facesRight, !isInWord {
            delimiters.append(Delimiter(mark: mark, node: node, left: left))
            waiting[slot(mark, left)] += 1
        }
    }

    private func slot(_ mark: Delimiter.Mark, _ left: Int) -> Int { mark.rawValue * 4 + left }

    /// Closes with up to `count` bytes at `node`, and gives how many are left.
    private mutating func close(_ mark: Delimiter.Mark, _ count: Int, _ node: Int) -> Int {
        var left = count
        while left > 0, let index = opener(of: mark, for: left) {
            let take = min(left, delimiters[index].left, 2)
            waiting[slot(mark, delimiters[index].left)] -= 1
            delimiters[index].left -= take
            left -= take
            let opening = delimiters[index].node
            nodes[opening].opens = nodes[opening].opens << 2 | UInt8(take)
            nodes[opening].left -= UInt8(take)
            nodes[node].closes = nodes[node].closes << 2 | UInt8(take)
            if delimiters[index].left == 0 {
                delimiters.removeLast()
            } else {
                waiting[slot(mark, delimiters[index].left)] += 1
            }
            // A bracket inside of what has just been closed would begin a link that crosses it.
            while let bracket = brackets.last, bracket.delimiters > index { dropBracket() }
        }
        return left
    }

    /// The last open run that `count` bytes can close; those above it are words from now on. `nil` without a look at
    /// any where none can be:
    /// that is what keeps closing linear.
    private mutating func opener(of mark: Delimiter.Mark, for count: Int) -> Int? {
        func fits(_ left: Int) -> Bool { left == count || left == 3 || count == 3 }
        guard (1...3).contains(where: { fits($0) && waiting[slot(mark, $0)] > 0 }) else { return nil }
        while let last = delimiters.last {
            steps &+= 1
            if last.mark == mark, fits(last.left) { return delimiters.count - 1 }
            dropDelimiter()
        }
        return nil
    }

    /// The last open run is words.
    mutating func dropDelimiter() {
        guard let last = delimiters.popLast() else { return }
        waiting[slot(last.mark, last.left)] -= 1
    }

    /// The elements that end here, the bytes that mean nothing, the elements that begin here.
    func write(_ node: Node, into output: inout Markdown.Output) {
        let isDeleted = text[node.range.lowerBound] == Markdown.Byte.tilde
        for shift in [4, 2, 0] {
            switch node.closes >> UInt8(shift) & 3 {
            case 1: output.tag("</em>")
            case 2: output.tag(isDeleted ? "</del>" : "</strong>")
            default: break
            }
        }
        output.words(text[node.range].prefix(Int(node.left)))
        for shift in [0, 2, 4] {
            switch node.opens >> UInt8(shift) & 3 {
            case 1: output.tag("<em>")
            case 2: output.tag(isDeleted ? "<del>" : "<strong>")
            default: break
            }
        }
    }
}
