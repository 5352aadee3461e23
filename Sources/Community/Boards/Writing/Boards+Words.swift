extension Boards {
    /// What is looked for on boards: words and phrases in `"…"`, all of which must be there. The last word may go on
    /// where it is long enough and nothing stands behind it.
    package struct WordQuery: Hashable, Sendable {
        /// A word, or those of a phrase, folded. Not empty.
        private let parts: [[String]]
        private let isOpen: Bool

        /// Throws `.invalid` (`?q`): `too_short`, also where it holds no word, and `too_long`.
        package init(_ text: String) throws(Failure) {
            let bounds = Limits.boardSearch.query
            guard text.unicodeScalars.count <= bounds.upperBound else {
                throw .invalid("?q", .tooLong, "at most \(bounds.upperBound) characters")
            }
            guard text.unicodeScalars.count >= bounds.lowerBound else {
                throw .invalid("?q", .tooShort, "at least \(bounds.lowerBound) characters")
            }
            var (parts, left) = ([[String]](), Limits.boardSearch.words)
            let pieces = text.split(separator: "\"", omittingEmptySubsequences: false)
            for (index, piece) in pieces.enumerated() {
                let words = Normaliser.words(piece, limit: left).map { $0.bounded(to: Limits.search.word) }
                left -= words.count
                // What is between two quotation marks is a phrase; one without its other means nothing.
                let isPhrase = index % 2 == 1 && index + 1 < pieces.count
                parts += isPhrase ? [words] : words.map { [$0] }
            }
            parts.removeAll(where: \.isEmpty)
            guard !parts.isEmpty else { throw .invalid("?q", .tooShort, "holds no word") }
            self.parts = parts
            let end = text.unicodeScalars.last.map { Normaliser.fold(String($0)) } ?? ""
            isOpen = !end.isEmpty && left > 0 && (parts.last?.last?.count ?? 0) >= Limits.boardSearch.openWord
        }

        /// The same for every spelling of the same query: what a cursor is bound to.
        package var identity: String {
            parts.map { $0.joined(separator: "+") }.joined(separator: " ") + (isOpen ? "*" : "")
        }

        /// As a `tsquery`.
        var exact: String {
            text(parts.map { words in words.map { "'\($0)'" }.joined(separator: " <-> ") })
        }

        /// Every word, whatever stands between, of posts on `place`: what the index can say without looking at a post.
        func loose(in place: Int64?) -> String {
            let words = text(parts.map { words in words.map { "'\($0)'" }.joined(separator: " & ") })
            return place.map { "'#\($0)' & " + words } ?? words
        }

        private func text(_ parts: [String]) -> String {
            let whole = parts.map { "(\($0)" }.joined(separator: ") & ")
            return whole + (isOpen ? ":*)" : ")")
        }

        /// Whether one of the words is in `text`.
        func isIn(_ text: Substring) -> Bool {
            Normaliser.words(text).contains { word in
                for (index, part) in parts.enumerated() {
                    if part.contains(word) { return true }
                    if isOpen, index == parts.count - 1, let last = part.last, word.hasPrefix(last) { return true }
                }
                return false
            }
        }
    }
}

extension Boards.WordQuery {
    /// A part of `plain`, a line of at most `Limits.boardSearch.excerpt` characters, with the first of the words that
    /// are found in it; its beginning where none is, as where they are in the title.
    package func excerpt(of plain: String) -> String {
        let words = plain.split(whereSeparator: \.isWhitespace)
        let found = words.firstIndex(where: isIn) ?? 0
        var (first, lead) = (found, 0)
        while first > 0, lead + words[first - 1].count + 1 <= Limits.boardSearch.excerptLead {
            first -= 1
            lead += words[first].count + 1
        }
        var text = first > 0 ? "… " : ""
        for word in words[first...] {
            let isFirst = text.isEmpty || text == "… "
            // Room for what says that it goes on.
            guard text.count + word.count + 3 <= Limits.boardSearch.excerpt else {
                let room = Limits.boardSearch.excerpt - text.count - 1
                return text + (isFirst ? word.prefix(room) + "…" : " …")
            }
            text += (isFirst ? "" : " ") + word
        }
        return text
    }
}
