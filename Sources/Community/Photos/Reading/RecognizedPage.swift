import MarkdownReading

extension Photos {
    /// What was read of a photograph.
    package struct RecognizedPage: Hashable, Sendable {
        /// In the order of reading, an empty line between paragraphs; empty where nothing was found. At most
        /// `Limits.photos.words` bytes.
        package let text: String
        /// The mean of all words, in hundredths; `nil` without words.
        package let confidence: Int?

        /// From the table that tesseract writes: a row for each word, with the block, the paragraph and the line that it
        /// stands in.
        init(tsv: String) {
            var paragraphs: [String] = []
            var (place, line) = ("", "")
            var (sum, count) = (0.0, 0)
            for row in tsv.split(separator: "\n").dropFirst() {
                let fields = row.split(separator: "\t", maxSplits: 11, omittingEmptySubsequences: false)
                guard fields.count == 12, fields[0] == "5", let sure = Double(fields[10]), sure >= 0 else { continue }
                let word = Markdown.clean(fields[11].filter { !$0.isWhitespace })
                guard !word.isEmpty else { continue }
                let here = fields[1...3].joined(separator: ".")
                if here == place, let last = paragraphs.popLast() {
                    paragraphs.append(Self.joined(last, word, isNewLine: line != fields[4]))
                } else {
                    paragraphs.append(word)
                }
                (place, line) = (here, String(fields[4]))
                sum += sure
                count += 1
            }
            text = Self.cut(paragraphs.joined(separator: "\n\n"))
            confidence = count == 0 ? nil : Int((sum / Double(count)).rounded())
        }

        /// Lines run on within a paragraph; a word that was parted at the end of one is whole again.
        private static func joined(_ text: String, _ word: String, isNewLine: Bool) -> String {
            guard isNewLine, text.hasSuffix("-"), word.first?.isLowercase == true,
                text.dropLast().last?.isLetter == true
            else { return text + " " + word }
            return text.dropLast() + word
        }

        /// No more bytes than are kept, in whole words.
        private static func cut(_ text: String) -> String {
            let limit = Limits.photos.words.upperBound
            guard text.utf8.count > limit else { return text }
            let start = String(decoding: text.utf8.prefix(limit), as: UTF8.self)
            return String(start[..<(start.lastIndex(where: \.isWhitespace) ?? start.startIndex)])
        }
    }
}
