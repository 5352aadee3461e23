extension Markdown {
    /// Reads the text of one paragraph at a time and writes it; kept from one to the next for its room.
    ///
    /// Two passes over the bytes and one over the nodes: `findSpoilers` says where code and spoilers lie, `read` makes
    /// nodes in order and closes what is open (`Markdown+Emphasis.swift`, `Markdown+Links.swift`), `write` gives them
    /// to the output.
    struct Inline {
        /// The lines of the paragraph without what stands before and behind them, `\n` between.
        var text: [UInt8] = []
        /// Where each line begins in `text` and in the source.
        var lines: [(text: Int, source: Int)] = []
        /// Code, marks included, and what is in it, in order.
        var codes: [(whole: Range<Int>, content: Range<Int>)] = []
        /// Spoilers, marks included, in order.
        var spoilers: [Range<Int>] = []
        /// Runs of backticks, and the next of the same length, for `findSpoilers`.
        var runs: [(range: Range<Int>, next: Int)] = []
        var nodes: [Node] = []
        var delimiters: [Delimiter] = []
        /// How many delimiters are open, by kind and what is left of them; see `slot`.
        var waiting = SIMD16<Int32>.zero
        var brackets: [Bracket] = []
        /// Brackets below this can be no link: what follows them holds a link or a spoiler.
        var deadBrackets = 0
        /// The bracket that begins the innermost open spoiler's own.
        var bracketFloor = 0
        var steps = 0

        /// A part of the paragraph, in the order of writing.
        struct Node {
            enum Kind {
                case words, lineBreak, code, delimiter, openLink, closeLink, bareLink, mention, openSpoiler,
                    closeSpoiler
            }

            var kind: Kind
            /// Its bytes in `text`; the address for `openLink`.
            var range: Range<Int>
            /// For delimiters, two bits for each element that it closes, the first in the highest, that it opens, the
            /// last opened, which lies outermost, in the lowest: 1 for `em`, 2 for `strong` and `del`; and how many
            /// bytes are left as words.
            var closes: UInt8 = 0
            var opens: UInt8 = 0
            var left: UInt8 = 0

            init(_ kind: Kind, _ range: Range<Int>) {
                self.kind = kind
                self.range = range
            }
        }

        /// A line of the paragraph: `range` of `source`, blanks at its ends left out.
        mutating func append(_ range: Range<Int>, of source: [UInt8]) {
            if !lines.isEmpty { text.append(Byte.newline) }
            lines.append((text.count, range.lowerBound))
            text.append(contentsOf: source[range])
            steps &+= range.count
        }

        /// Writes the paragraph that was appended and forgets it.
        mutating func flush(into output: inout Output) {
            findSpoilers()
            read()
            write(into: &output)
            text.removeAll(keepingCapacity: true)
            lines.removeAll(keepingCapacity: true)
            codes.removeAll(keepingCapacity: true)
            spoilers.removeAll(keepingCapacity: true)
            runs.removeAll(keepingCapacity: true)
            nodes.removeAll(keepingCapacity: true)
            delimiters.removeAll(keepingCapacity: true)
            brackets.removeAll(keepingCapacity: true)
            waiting = .zero
            (deadBrackets, bracketFloor) = (0, 0)
        }

        // MARK: Reading

        /// Makes the nodes.
        private mutating func read() {
            var place = Place()
            while place.at < text.count {
                steps &+= 1
                switch text[place.at] {
                case Byte.newline: add(.lineBreak, place.at..<place.at + 1, &place)
                case Byte.backslash where isPunctuation(at: place.at + 1): readEscape(&place)
                case Byte.backtick: readBackticks(&place)
                case Byte.star, Byte.underscore, Byte.tilde: readRun(&place)
                case Byte.greater where isNext(place.spoiler, at: place.at): openSpoiler(&place)
                case Byte.bang where isEnd(of: place.spoiler, at: place.at): closeSpoiler(&place)
                case Byte.leftBracket: readLeftBracket(&place)
                case Byte.rightBracket: readRightBracket(&place)
                case Byte.colon: readBareLink(&place)
                case Byte.at: readMention(&place)
                default: place.at += 1
                }
            }
            words(upTo: text.count, &place)
        }

        /// How far the reading is.
        struct Place {
            var at = 0
            /// Where the words begin that are not yet a node.
            var words = 0
            /// The next of `codes` and `spoilers`.
            var code = 0
            var spoiler = 0
            /// What was waiting outside of the open spoiler, and the delimiters there.
            var outside = SIMD16<Int32>.zero
            var floor = 0
        }

        /// The words before `end`, then a node; goes on behind it.
        mutating func add(_ kind: Node.Kind, _ range: Range<Int>, _ place: inout Place) {
            words(upTo: range.lowerBound, &place)
            nodes.append(Node(kind, range))
            place.at = range.upperBound
            place.words = range.upperBound
        }

        private mutating func words(upTo end: Int, _ place: inout Place) {
            if place.words < end { nodes.append(Node(.words, place.words..<end)) }
            place.words = end
        }

        func isPunctuation(at index: Int) -> Bool { index < text.count && text[index].isPunctuation }

        /// The `\` goes; the byte behind it is a word's. An escaped run of backticks is words as a whole.
        private mutating func readEscape(_ place: inout Place) {
            words(upTo: place.at, &place)
            place.words = place.at + 1
            place.at += 2
            guard text[place.at - 1] == Byte.backtick else { return }
            place.at = endOfRun(from: place.at - 1)
        }

        private mutating func readBackticks(_ place: inout Place) {
            guard place.code < codes.count, codes[place.code].whole.lowerBound == place.at else {
                place.at = endOfRun(from: place.at)
                return
            }
            let code = codes[place.code]
            place.code += 1
            words(upTo: code.whole.lowerBound, &place)
            nodes.append(Node(.code, code.content))
            place.at = code.whole.upperBound
            place.words = place.at
        }

        private mutating func readRun(_ place: inout Place) {
            let range = place.at..<endOfRun(from: place.at)
            guard Delimiter.Mark(text[place.at])?.lengths.contains(range.count) ?? false else {
                place.at = range.upperBound
                return
            }
            add(.delimiter, range, &place)
            delimit(range)
        }

        /// The end of the run of one byte that begins at `start`.
        mutating func endOfRun(from start: Int) -> Int {
            var end = start + 1
            while end < text.count, text[end] == text[start] { end += 1 }
            steps &+= end - start
            return end
        }

        /// `@name`, where no word, address or path goes before it and no letter behind it.
        private mutating func readMention(_ place: inout Place) {
            var end = place.at + 1
            while end < text.count, text[end].isNameByte { end += 1 }
            steps &+= end - place.at
            let name = place.at..<end
            place.at = end
            guard Markdown.Bounds.username.contains(name.count - 1), neighbour(from: end, in: text) != .letter,
                end == text.count || text[end] != Byte.at
            else { return }
            if name.lowerBound > 0 {
                switch text[name.lowerBound - 1] {
                case Byte.slash, Byte.dot, Byte.at, Byte.plus, Byte.dash: return
                case Byte.underscore where name.lowerBound > 1 && text[name.lowerBound - 2].isNameByte: return
                default: if neighbour(before: name.lowerBound, in: text) == .letter { return }
                }
            }
            add(.mention, name, &place)
        }
    }
}
