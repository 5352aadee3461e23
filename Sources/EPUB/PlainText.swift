extension EPUB {
    /// A book that is plain text in UTF-8.
    ///
    /// - An empty line ends a paragraph; its lines become one, unless each of them is indented, as verse is.
    /// - A form feed begins a chapter. So does a line such as `Chapter 7`, `CHAPTER IV. The Storm` or `Part One` that
    ///   stands between empty lines.
    struct PlainText {
        /// A chapter's bytes; `title` is its first paragraph, if that is a heading.
        private struct Part {
            let range: Range<Int>
            let title: String?
        }

        let facts: Facts
        private let bytes: [UInt8]
        private let parts: [Part]

        private static let longestHeading = 100
        private static let chapterNames: Set<String> = ["chapter", "book", "part", "letter", "canto", "act", "volume"]
        private static let numbers: Set<String> = [
            "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "the",
            "first",
            "second", "third", "last",
        ]

        /// Throws `.empty`, `.textTooLarge`, `.textWithNUL`, `.textNotUTF8`, `.nothingToRead`, `.unreadable`.
        init(descriptor: Int32, limits: Limits) throws(Refusal) {
            let length = try EPUB.length(of: descriptor)
            guard length > 0 else { throw .empty }
            guard length <= limits.plainText else { throw .textTooLarge }
            try self.init(EPUB.bytes(of: descriptor, from: 0, count: length))
        }

        init(_ source: [UInt8]) throws(Refusal) {
            guard !source.contains(0) else { throw .textWithNUL }
            guard source.withUnsafeBufferPointer({ String(validating: $0, as: UTF8.self) }) != nil else {
                throw .textNotUTF8
            }
            let bytes = Self.lines(of: source)
            let parts = Self.parts(of: bytes)
            guard !parts.isEmpty else { throw .nothingToRead }
            var facts = Facts(format: .text)
            facts.chapters = parts.map { ChapterFact(title: $0.title, name: "", isLinear: true) }
            facts.contents = parts.enumerated().compactMap { index, part in
                part.title.map { .init(title: $0, target: Target(chapter: index, fragment: nil), children: []) }
            }
            (self.facts, self.bytes, self.parts) = (facts, bytes, parts)
        }

        /// Without a byte order mark, every line ended by `\n` alone, a form feed on a line of its own, no other
        /// controls.
        private static func lines(of source: [UInt8]) -> [UInt8] {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(source.count)
            var at = source.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
            while at < source.count {
                switch source[at] {
                case 0x0D:
                    bytes.append(0x0A)
                    if at + 1 < source.count, source[at + 1] == 0x0A { at += 1 }
                case 0x0C: bytes += [0x0A, 0x0C, 0x0A]
                case 0x09, 0x0A, 0x20...0x7E, 0x80...: bytes.append(source[at])
                default: break
                }
                at += 1
            }
            return bytes
        }

        // MARK: Chapters

        private static func parts(of bytes: [UInt8]) -> [Part] {
            var parts: [Part] = []
            var (start, title) = (0, nil as String?)
            func end(at place: Int) {
                let hasWords = bytes[start..<place].contains { $0 > 0x20 }
                if hasWords { parts.append(Part(range: start..<place, title: title)) }
            }
            var wasBreak = false
            for paragraph in paragraphs(of: bytes, in: 0..<bytes.count) {
                let isBreak = bytes[paragraph.lowerBound] == 0x0C
                let isOneLine = !bytes[paragraph].contains(0x0A)
                let line =
                    isOneLine && paragraph.count <= longestHeading
                    ? String(decoding: bytes[paragraph], as: UTF8.self).unspaced : ""
                if isBreak || isChapter(line) || wasBreak {
                    end(at: paragraph.lowerBound)
                    (start, title) = (paragraph.lowerBound, line.isEmpty || isBreak ? nil : line)
                }
                wasBreak = isBreak
            }
            end(at: bytes.count)
            return parts
        }

        /// `CHAPTER IV`, `Part the Second. Of Ships`.
        private static func isChapter(_ line: String) -> Bool {
            let words = line.lowercased().split { $0 == " " || $0 == "." || $0 == ":" || $0 == "-" || $0 == "—" }
            guard words.count >= 2, chapterNames.contains(String(words[0])) else { return false }
            let number = words[1]
            return numbers.contains(String(number)) || number.utf8.allSatisfy { (48...57).contains($0) }
                || number.utf8.allSatisfy { "ivxlc".utf8.contains($0) }
        }

        /// Runs of lines that are not empty, without the last line's end. A form feed is one of its own.
        private static func paragraphs(of bytes: [UInt8], in range: Range<Int>) -> [Range<Int>] {
            var paragraphs: [Range<Int>] = []
            var (start, last) = (nil as Int?, range.lowerBound)
            for line in bytes[range].split(separator: 0x0A, omittingEmptySubsequences: false) {
                let isEmpty = line.allSatisfy { $0 <= 0x20 }
                if isEmpty {
                    if let from = start { paragraphs.append(from..<last) }
                    start = nil
                    if line.first == 0x0C { paragraphs.append(line.indices) }
                } else {
                    start = start ?? line.startIndex
                    last = line.endIndex
                }
            }
            if let from = start { paragraphs.append(from..<last) }
            return paragraphs
        }

        // MARK: Blocks

        func blocks(of chapter: Int) -> [Block] {
            let part = parts[chapter]
            var blocks: [Block] = []
            for paragraph in Self.paragraphs(of: bytes, in: part.range) where bytes[paragraph.lowerBound] != 0x0C {
                let isHeading = blocks.isEmpty && part.title != nil
                blocks.append(block(paragraph, isHeading: isHeading))
            }
            return blocks
        }

        private func block(_ paragraph: Range<Int>, isHeading: Bool) -> Block {
            let lines = bytes[paragraph].split(separator: 0x0A)
            let isVerse = lines.count > 1 && lines.allSatisfy { $0.starts(with: [0x20, 0x20]) || $0.first == 0x09 }
            var block = Block()
            block.isHeading = isHeading
            block.tag(isHeading ? "<h2>" : "<p>")
            for line in lines {
                var isFirst = true
                for word in line.split(whereSeparator: { $0 == 0x20 || $0 == 0x09 }) {
                    if !block.text.isEmpty {
                        let breaksLine = isFirst && isVerse
                        block.tag(breaksLine ? "<br>" : " ")
                        block.text.append(breaksLine ? 0x0A : 0x20)
                        block.scalars += 1
                        block.noteBreak()
                    }
                    isFirst = false
                    word.withUnsafeBufferPointer { block.words($0, isWhole: false) }
                }
            }
            block.tag(isHeading ? "</h2>" : "</p>")
            return block
        }
    }
}
