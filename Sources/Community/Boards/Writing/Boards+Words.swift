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
            text(parts.map { words in words.map { "'\($0)'" }.joined(separator: " <-> ") }, isOpen: isOpen)
        }

        /// The same as `tsquery`s for an index, each of which may find something. It would read all rows of all readers that
        /// have the last word where that may go on: the word as it is, and what it goes on to by the next letter, are
        /// apart, so that a common word that is written to its end costs as little as any other.
        var exactInIndex: [String] {
            guard isOpen, let last = parts.last, last.count == 1,
                let letters = Search.Spelling.letters(after: last[0])
            else { return [exact] }
            let before = parts.dropLast().map { words in words.map { "'\($0)'" }.joined(separator: " <-> ") }
            let further = letters.map { "'\(last[0])\($0)':*" }.joined(separator: " | ")
            return ["'\(last[0])'", further].map { text(before + [$0], isOpen: false) }
        }

        /// Every word, whatever stands between, of posts on `place`: what the index can say without looking at a post.
        func loose(in place: Int64?) -> String {
            let words = text(parts.map { words in words.map { "'\($0)'" }.joined(separator: " & ") }, isOpen: isOpen)
            return place.map { "'#\($0)' & " + words } ?? words
        }

        /// As `tsquery`s, each of which may find something, in which each word of five letters and more may have one letter
        /// left out, put in, replaced or swapped with its neighbour; none where there is no such word. Phrases hold as they
        /// are.
        ///
        /// The index compares all words of one query with each row that any of them is in: those near to the first word are
        /// split, so that nearly all queries end at once.
        var near: [String] {
            var left = Limits.boardSearch.nearWords
            var texts = parts.map { words in words.map { "'\($0)'" }.joined(separator: " <-> ") }
            var (first, last): ((place: Int, words: [String])?, Int?)
            for (place, words) in parts.enumerated() where words.count == 1 && left > 0 {
                guard Search.Spelling.edits(words[0]) > 0 else { continue }
                (left, last) = (left - 1, place)
                let alternatives = words + Search.Spelling.neighbours(words[0])
                if first == nil { first = (place, alternatives) }
                texts[place] = Self.any(of: alternatives[...])
            }
            guard let first else { return [] }
            let size = Limits.boardSearch.nearSplit
            return stride(from: 0, to: first.words.count, by: size).map { start in
                texts[first.place] = Self.any(of: first.words[start...].prefix(size))
                // What is near to a word does not go on.
                return text(texts, isOpen: isOpen && last != parts.count - 1)
            }
        }

        private static func any(of words: ArraySlice<String>) -> String {
            words.map { "'\($0)'" }.joined(separator: " | ")
        }

        private func text(_ parts: [String], isOpen: Bool) -> String {
            let whole = parts.map { "(\($0)" }.joined(separator: ") & ")
            return whole + (isOpen ? ":*)" : ")")
        }

        /// Whether one of the words is in `text`; `isNear`: as it is in `near`.
        func isIn(_ text: Substring, isNear: Bool = false) -> Bool {
            Normaliser.words(text).contains { word in
                for (index, part) in parts.enumerated() {
                    if part.contains(word) { return true }
                    if isOpen, index == parts.count - 1, let last = part.last, word.hasPrefix(last) { return true }
                    if isNear, part.count == 1, Search.Spelling.edits(part[0]) > 0,
                        Search.Spelling.distance(part[0], word, most: 1) == 1
                    {
                        return true
                    }
                }
                return false
            }
        }
    }
}

extension Boards.WordQuery {
    /// A part of `plain`, a line of at most `Limits.boardSearch.excerpt` characters, with the first of the words that
    /// are found in it; its beginning where none is, as where they are in the title.
    package func excerpt(of plain: String, isNear: Bool = false) -> String {
        let words = plain.split(whereSeparator: \.isWhitespace)
        let found = words.firstIndex { isIn($0, isNear: isNear) } ?? 0
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
