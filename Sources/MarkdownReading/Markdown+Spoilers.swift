extension Markdown.Inline {
    private typealias Byte = Markdown.Byte

    /// Backticks in a row that can begin code; more are words.
    private static let longestRun = 32

    /// Finds the code and the spoilers: they alone decide what everything else may reach across, so they come first.
    mutating func findSpoilers() {
        pairRuns()
        var (at, run) = (0, 0)
        var open: Int?
        while at < text.count {
            steps &+= 1
            switch text[at] {
            case Byte.backslash where isPunctuation(at: at + 1):
                at = text[at + 1] == Byte.backtick ? endOfRun(from: at + 1) : at + 2
            case Byte.backtick:
                while runs[run].range.lowerBound < at { run += 1 }
                at = findCode(run)
            case Byte.greater where open == nil && follows(at, Byte.bang):
                open = at
                at += 2
            case Byte.bang where follows(at, Byte.less):
                if let start = open { spoilers.append(start..<at + 2) }
                open = nil
                at += 2
            default: at += 1
            }
        }
    }

    private func follows(_ at: Int, _ byte: UInt8) -> Bool { at + 1 < text.count && text[at + 1] == byte }

    /// Says for each run of backticks which is the next of its length, from the last to the first.
    private mutating func pairRuns() {
        var at = 0
        while let start = text[at...].firstIndex(of: Byte.backtick) {
            at = endOfRun(from: start)
            runs.append((start..<at, -1))
        }
        steps &+= text.count
        guard runs.count > 1 else { return }
        var latest = Array(repeating: -1, count: Self.longestRun + 1)
        for index in runs.indices.reversed() where runs[index].range.count <= Self.longestRun {
            let length = runs[index].range.count
            runs[index].next = latest[length]
            latest[length] = index
        }
    }

    /// Adds the code that begins with run number `run`, if another ends it, and gives where to go on.
    private mutating func findCode(_ run: Int) -> Int {
        let opening = runs[run].range
        guard runs[run].next >= 0 else { return opening.upperBound }
        let closing = runs[runs[run].next].range
        var content = opening.upperBound..<closing.lowerBound
        // One blank at each end lets code begin and end with a backtick.
        if content.count > 2, text[content.lowerBound].isBlank, text[content.upperBound - 1].isBlank {
            content = content.lowerBound + 1..<content.upperBound - 1
        }
        codes.append((opening.lowerBound..<closing.upperBound, content))
        return closing.upperBound
    }

    func isNext(_ spoiler: Int, at index: Int) -> Bool {
        spoiler < spoilers.count && spoilers[spoiler].lowerBound == index
    }

    func isEnd(of spoiler: Int, at index: Int) -> Bool {
        spoiler < spoilers.count && spoilers[spoiler].upperBound == index + 2
    }

    /// From here on nothing closes what was opened before, and no link reaches across.
    mutating func openSpoiler(_ place: inout Place) {
        add(.openSpoiler, place.at..<place.at + 2, &place)
        (place.outside, waiting) = (waiting, .zero)
        place.floor = delimiters.count
        bracketFloor = brackets.count
        deadBrackets = brackets.count
    }

    /// What was opened inside and not closed is words; what was open outside is open again.
    mutating func closeSpoiler(_ place: inout Place) {
        add(.closeSpoiler, place.at..<place.at + 2, &place)
        waiting = place.outside
        delimiters.removeSubrange(place.floor...)
        brackets.removeSubrange(bracketFloor...)
        bracketFloor = 0
        place.spoiler += 1
    }

    /// Writes the nodes.
    mutating func write(into output: inout Markdown.Output) {
        var line = 0
        var secret = 0
        for node in nodes {
            steps &+= 1
            switch node.kind {
            case .words: output.words(text[node.range])
            case .lineBreak: output.lineBreak()
            case .code: output.code(text[node.range])
            case .delimiter: write(node, into: &output)
            case .openLink: output.openLink(text[node.range])
            case .closeLink: output.closeLink()
            case .bareLink: output.bareLink(text[node.range])
            case .mention: output.mention(text[node.range])
            case .openSpoiler:
                secret = sourceIndex(of: node.range.upperBound, &line)
                output.openSpoiler()
            case .closeSpoiler:
                output.closeSpoiler(secret..<sourceIndex(of: node.range.lowerBound, &line))
            }
        }
    }

    /// Where `index` of the paragraph is in the source; `line` only grows.
    private mutating func sourceIndex(of index: Int, _ line: inout Int) -> Int {
        while line + 1 < lines.count, lines[line + 1].text <= index {
            line += 1
            steps &+= 1
        }
        return lines[line].source + index - lines[line].text
    }
}
