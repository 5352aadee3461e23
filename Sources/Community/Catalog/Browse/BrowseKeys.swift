extension Catalog.Browse {
    /// What a text is ordered by: folded, without the article that it begins with, at most `Limits.browse.textKey`
    /// bytes; `missing` for nothing.
    ///
    /// Articles are those of the work's language, of English where that is not known.
    static func titleKey(_ title: String, language: String?) -> String {
        let main = String(language?.prefix { $0 != "-" } ?? "en")
        var text = title[...]
        // An article before an apostrophe would be folded into the word behind it.
        if main == "fr" || main == "it" || main == "ca", let mark = text.firstIndex(where: { "'’ʼ".contains($0) }),
            elided.contains(text[..<mark].lowercased())
        {
            text = text[text.index(after: mark)...]
        }
        let folded = Normaliser.fold(text)
        let words = folded.split(separator: " ", maxSplits: 1)
        let isArticle = words.count == 2 && articles[main, default: []].contains(String(words[0]))
        return key(isArticle ? String(words[1]) : folded)
    }

    /// Last name first: of a name with a comma what stands before it, else its last word.
    static func authorKey(_ name: String?) -> String {
        guard let name else { return missing }
        if name.contains(",") { return key(Normaliser.fold(name)) }
        let words = Normaliser.fold(name).split(separator: " ")
        guard let last = words.last, words.count > 1 else { return key(Normaliser.fold(name)) }
        return key(([last] + words.dropLast()).joined(separator: " "))
    }

    /// In millionths of a quarter of a star. (10·m + Σr) / (10 + n) less m: the same order, and a book without ratings
    /// keeps its key (0) when m changes.
    static func ratingKey(count: Int, quarters: Int64, mean: Double) -> Int64 {
        Int64(((Double(quarters) - Double(count) * mean) / Double(10 + count) * 1_000_000).rounded())
    }

    static func popularityKey(score: Int, imported: Int64) -> Int64 {
        Int64(score) << 32 | min(max(imported, 0), 0xFFFF_FFFF)
    }

    private static func key(_ folded: String) -> String {
        folded.isEmpty ? missing : folded.clipped(to: Limits.browse.textKey).text ?? missing
    }

    private static let elided: Set<String> = ["l", "un", "d"]

    private static let articles: [String: Set<String>] = [
        "en": ["the", "a", "an"], "fr": ["le", "la", "les", "un", "une", "des"],
        "de": ["der", "die", "das", "ein", "eine", "den", "dem"], "es": ["el", "la", "los", "las", "un", "una"],
        "it": ["il", "lo", "la", "i", "gli", "le", "un", "uno", "una"], "pt": ["o", "a", "os", "as", "um", "uma"],
        "nl": ["de", "het", "een"], "sv": ["en", "ett", "den", "det"], "da": ["en", "et", "den", "det"],
        "nb": ["en", "et", "den", "det"], "ca": ["el", "la", "els", "les", "un", "una"],
    ]
}
