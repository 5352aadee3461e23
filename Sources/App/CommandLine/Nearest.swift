/// What somebody may have meant with a word that is none of those that are known.
enum Nearest {
    /// At most `limit` of `words`: those that begin with `word` or that few edits make of it, the nearest first.
    static func words(to word: String, among words: [String], limit: Int = 3) -> [String] {
        let allowed = max(1, word.count / 3)
        let ranked = words.compactMap { candidate -> (edits: Int, word: String)? in
            let edits = edits(word, candidate)
            let begins = word.count >= 2 && (candidate.hasPrefix(word) || word.hasPrefix(candidate))
            guard edits <= allowed || begins else { return nil }
            return (begins ? min(edits, 1) : edits, candidate)
        }
        return ranked.sorted { ($0.edits, $0.word) < ($1.edits, $1.word) }.prefix(limit).map(\.word)
    }

    /// The least number of letters left out, put in or replaced and of neighbours swapped, no letter touched twice,
    /// that make one word of the other (optimal string alignment).
    static func edits(_ one: String, _ other: String) -> Int {
        let one = Array(one)
        let other = Array(other)
        var rows = [Array(0...other.count)]
        for (line, letter) in one.enumerated() {
            var row = [line + 1]
            for (column, match) in other.enumerated() {
                var least = min(row[column], rows[line][column + 1]) + 1
                least = min(least, rows[line][column] + (letter == match ? 0 : 1))
                if line > 0, column > 0, letter == other[column - 1], one[line - 1] == match {
                    least = min(least, rows[line - 1][column - 1] + 1)
                }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[one.count][other.count]
    }
}
