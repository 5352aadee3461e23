import Postgres

extension Search {
    /// What a misspelt word may have been.
    ///
    /// An edit is a letter left out, put in, replaced, or swapped with its neighbour. Words with digits, and scripts
    /// that are not written in an alphabet, are never corrected.
    enum Spelling {
        /// Edits that are looked for: none up to 4 letters, one for 5 to 8, two from 9.
        static func edits(_ word: String) -> Int {
            let letters = word.unicodeScalars.count
            guard letters >= 5, letters <= 30, alphabet(of: word) != nil else { return 0 }
            return letters < 9 ? 1 : 2
        }

        /// The letters of the alphabet that the whole word is written in; `nil` for any other word.
        private static func alphabet(of word: String) -> ClosedRange<UInt32>? {
            let alphabets: [ClosedRange<UInt32>] = [0x61...0x7A, 0x3B1...0x3C9, 0x430...0x45F]
            return alphabets.first { alphabet in word.unicodeScalars.allSatisfy { alphabet.contains($0.value) } }
        }

        /// What a word may go on with: letters of the alphabet that it is written in, and digits; `nil` for a word in none.
        static func letters(after word: String) -> [String]? {
            alphabet(of: word).map { alphabet in
                alphabet.compactMap(Unicode.Scalar.init).map { String($0) } + (0...9).map { "\($0)" }
            }
        }

        /// Every word that is one edit away, the word itself not among them. About 54 a letter.
        static func neighbours(_ word: String) -> [String] {
            guard let alphabet = alphabet(of: word) else { return [] }
            let letters = Array(word.unicodeScalars)
            let others = alphabet.compactMap(Unicode.Scalar.init)
            var found: Set<String> = []
            func add(_ parts: ArraySlice<Unicode.Scalar>...) {
                var text = String.UnicodeScalarView()
                for part in parts { text.append(contentsOf: part) }
                found.insert(String(text))
            }
            for place in 0...letters.count {
                let head = letters[..<place]
                for other in others { add(head, [other], letters[place...]) }
                guard place < letters.count else { break }
                add(head, letters[(place + 1)...])
                for other in others { add(head, [other], letters[(place + 1)...]) }
                if place + 1 < letters.count {
                    add(head, [letters[place + 1], letters[place]], letters[(place + 2)...])
                }
            }
            found.remove(word)
            return found.sorted()
        }

        /// The least number of edits that make one word of the other, no letter being edited twice; more than `most`
        /// counts as `most` + 1.
        static func distance(_ one: String, _ other: String, most: Int) -> Int {
            let one = Array(one.unicodeScalars)
            let other = Array(other.unicodeScalars)
            guard abs(one.count - other.count) <= most else { return most + 1 }
            var before: [Int] = []
            var last = Array(0...other.count)
            for row in 1..<(one.count + 1) {
                var current = [row] + Array(repeating: 0, count: other.count)
                for column in 1..<(other.count + 1) {
                    let cost = one[row - 1] == other[column - 1] ? 0 : 1
                    var edits = min(last[column] + 1, current[column - 1] + 1, last[column - 1] + cost)
                    if row > 1, column > 1, one[row - 1] == other[column - 2], one[row - 2] == other[column - 1] {
                        edits = min(edits, before[column - 2] + 1)
                    }
                    current[column] = edits
                }
                if current.min() ?? 0 > most { return most + 1 }
                before = last
                last = current
            }
            return min(last[other.count], most + 1)
        }
    }
}

extension Search.Store {
    /// Words of the index that `word` may have been meant as, the likeliest first: fewest edits, then most works. At
    /// most `limit`.
    func corrections(of word: String, in field: Search.Field, limit: Int) async throws -> [Search.Counted] {
        let plain = String(word.dropFirst(field.tag.count))
        let edits = Search.Spelling.edits(plain)
        guard edits > 0 else { return [] }
        let near = Search.Spelling.neighbours(plain).map { field.tag + $0 }
        var found = try await services.database.all(Search.Statements.WordsAmong(words: near))
        if found.isEmpty, edits > 1 {
            let similar = try await services.database.all(Search.Statements.SimilarWords(word: word))
            found = similar.filter { candidate in
                candidate.word.hasPrefix(field.tag) && candidate.word.contains("/") == !field.tag.isEmpty
                    && Search.Spelling.distance(
                        plain, String(candidate.word.dropFirst(field.tag.count)), most: edits) <= edits
            }
        }
        return Array(found.sorted { ($1.count, $0.word) < ($0.count, $1.word) }.prefix(limit))
    }
}
