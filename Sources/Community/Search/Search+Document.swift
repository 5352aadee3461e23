extension Search {
    /// What the catalogue says about one work, as far as it can be found by it. Lists of one field are separated by
    /// U+001F.
    struct Source: Sendable {
        let work: ID<Catalog.Work>
        let title: String
        let subtitle: String?
        let names: String?
        let aliases: String?
        let series: String?
        let genres: String?
        let subjects: String?
        let editionTitles: String?
        let publishers: String?
        let popularity: Float
        let digest: Int64
    }

    /// The row of `work_search` that a source becomes.
    struct Document: Sendable {
        let work: ID<Catalog.Work>
        let title: String
        let author: String
        /// In the text form of a `tsvector`.
        let words: String
        /// Distinct words, those of publishers and genres included.
        let vocabulary: Set<String>
        let popularity: Float
        let digest: Int64

        init(_ source: Source) {
            var words = Words()
            let title = Normaliser.fold(source.title)
            words.add(title, "A")
            var seen: Set<String> = [title]
            let others = [source.subtitle].compactMap(\.self) + Self.list(source.editionTitles).map(String.init)
            for other in others {
                let folded = Normaliser.fold(other)
                if seen.insert(folded).inserted { words.add(folded, "A") }
            }
            let names = Self.list(source.names).map { Normaliser.fold($0) }
            for name in names { words.add(name, "B") }
            for alias in Self.list(source.aliases) { words.add(Normaliser.fold(alias), "B") }
            for series in Self.list(source.series) { words.add(Normaliser.fold(series), "C") }
            for slug in Self.list(source.genres) {
                words.add(slug.replacing("-", with: " "), "D")
                words.add(slug, taggedAs: .genre)
            }
            for subject in Self.list(source.subjects) { words.add(Normaliser.fold(subject), "D") }
            for publisher in Self.list(source.publishers) {
                for word in Normaliser.fold(publisher).split(separator: " ") {
                    words.add(word, taggedAs: .publisher)
                }
            }
            work = source.work
            self.title = Normaliser.withoutArticle(title).clippedToLabel
            author = names.joined(separator: " ").clippedToLabel
            self.words = words.text
            vocabulary = words.vocabulary
            popularity = source.popularity
            digest = source.digest
        }

        private static func list(_ text: String?) -> [Substring] { text?.split(separator: "\u{1F}") ?? [] }
    }

    /// Collects the words of one work with their places.
    private struct Words {
        private(set) var text = ""
        private(set) var vocabulary: Set<String> = []
        private var place = 0

        /// Adds the words of a folded text, behind those that are there. Initials are added together too: `j r r` also
        /// as `jrr`.
        mutating func add(_ folded: some StringProtocol, _ weight: Character) {
            place += place == 0 ? 0 : 5
            var initials = ""
            for word in folded.split(separator: " ") {
                if word.unicodeScalars.count == 1 {
                    initials += word
                } else {
                    join(&initials, weight)
                }
                place += 1
                // Scripts that write no spaces make long words: what is kept is cut as a query is.
                append(String(word).bounded(to: Limits.search.word), weight)
            }
            join(&initials, weight)
        }

        mutating func add(_ word: some StringProtocol, taggedAs field: Field) {
            append(field.tag + String(word).bounded(to: Limits.search.word), "D")
        }

        private mutating func join(_ initials: inout String, _ weight: Character) {
            if initials.utf8.count > 1 { append(initials, weight) }
            initials = ""
        }

        private mutating func append(_ word: String, _ weight: Character) {
            // Folded words hold letters and digits only, tags a letter and a slash: nothing in them can end the quotes.
            guard place < Limits.search.places else { return }
            text += text.isEmpty ? "'" : " '"
            text += "\(word)':\(max(1, place))\(weight)"
            vocabulary.insert(word)
        }
    }
}

extension Normaliser {
    /// A title as titles are compared as a whole: folded, without its leading article, as long as the index keeps it.
    package static func titleKey(_ title: String) -> String { withoutArticle(fold(title)).clippedToLabel }

    /// A folded title without its leading article, as it is ordered and compared; a title of one word stays.
    package static func withoutArticle(_ folded: String) -> String {
        guard let space = folded.utf8.firstIndex(of: 0x20), articles.contains(String(folded[..<space])) else {
            return folded
        }
        return String(folded[folded.utf8.index(after: space)...])
    }

    private static let articles: Set<String> = [
        "a", "an", "the", "der", "die", "das", "ein", "eine", "le", "la", "les", "un", "une", "el", "los", "las", "una",
        "il", "lo", "gli", "uno", "os", "um", "uma", "het", "een", "den", "det",
    ]
}
