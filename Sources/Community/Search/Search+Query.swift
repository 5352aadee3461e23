extension Search {
    /// What is looked for: free text, fields, or both. All of it must hold.
    package struct Query: Sendable, Hashable {
        package internal(set) var texts: [Field: String]
        package let isbn: ISBN?
        package let sort: Sort
        /// What the books must be beside that, as they are browsed, also those that an ISBN or a key names.
        package let filter: Catalog.Browse.Filter

        /// `texts` are as typed. An ISBN that is none is a fault of the caller.
        package init(
            _ texts: [Field: String], isbn: ISBN? = nil, sort: Sort = .relevance,
            filter: Catalog.Browse.Filter = Catalog.Browse.Filter()
        ) {
            self.texts = texts
            self.isbn = isbn
            self.sort = sort
            self.filter = filter
        }

        package init(_ text: String) { self.init([.any: text]) }

        /// The same for every spelling of the same query: what a cursor is bound to.
        package var identity: String {
            let fields = Field.allCases.map { field in
                "\(field.rawValue)=\(Normaliser.fold(texts[field] ?? ""))\(isOpen(field) ? "*" : "")"
            }
            let rest = ["isbn=\(isbn?.text ?? "")", "sort=\(sort.rawValue)", filter.text]
            return (fields + rest).joined(separator: "\u{1F}")
        }

        /// Whether the field's last word may go on: nothing but letters and digits stands behind it.
        private func isOpen(_ field: Field) -> Bool {
            guard field != .genre, let last = texts[field]?.unicodeScalars.last else { return false }
            return !Normaliser.fold(String(last)).isEmpty
        }

        /// The words, each once in a field, at most `Limits.search.words` in all.
        var terms: [Term] {
            var terms: [Term] = []
            for field in Field.allCases {
                guard let text = texts[field] else { continue }
                if field == .genre {
                    terms += Self.genres(text).map { Term(field: .genre, words: $0, isOpen: false) }
                    continue
                }
                let words = Normaliser.words(text, limit: Limits.search.words)
                for (index, word) in words.enumerated() {
                    let isOpen = index == words.count - 1 && isOpen(field)
                    let term = Term(
                        field: field, words: [field.tag + word.bounded(to: Limits.search.word)], isOpen: isOpen)
                    if !terms.contains(where: { $0.field == field && $0.words == term.words && $0.isOpen == isOpen }) {
                        terms.append(term)
                    }
                }
            }
            return Array(terms.prefix(Limits.search.words))
        }

        /// The genres that a label stands for, any of them; a label that stands for none is taken as a slug.
        private static func genres(_ text: String) -> [[String]] {
            let folded = Normaliser.fold(text)
            guard !folded.isEmpty else { return [] }
            let slugs = Genres.slugs(of: folded)
            let names = slugs.isEmpty ? [folded.replacing(" ", with: "-")] : slugs
            return [names.map { Field.genre.tag + $0.bounded(to: Limits.search.word) }]
        }

        /// What titles are compared with as a whole: the title asked for, else the free text where it is all that is
        /// asked for.
        func wholeTitle(_ terms: [Term]) -> WholeTitle {
            let field: Field = texts[.title] == nil ? .any : .title
            let words = terms.filter { $0.field == field }.compactMap(\.words.first)
            let text = texts[field].map { Normaliser.fold($0) } ?? ""
            let spelt = terms.contains { $0.isCorrected } ? words.joined(separator: " ") : text
            return WholeTitle(
                text: Normaliser.withoutArticle(spelt).clippedToLabel, isOpen: isOpen(field), words: words.count)
        }
    }

    /// The query as a title might be.
    struct WholeTitle: Sendable {
        /// Folded, without a leading article; empty where nothing is asked of titles as a whole.
        let text: String
        let isOpen: Bool
        let words: Int
    }

    /// One word of a query, or those that may stand for it.
    struct Term: Sendable, Hashable {
        let field: Field
        /// Folded, with the field's tag; any of them will do. Not empty.
        var words: [String]
        /// The word may go on.
        var isOpen: Bool
        /// `words` are not what was asked for.
        var isCorrected = false
        /// Works that hold it when words were last counted; of the rarest estimate, 0 for none.
        var count = 0
        /// The word as it was asked for.
        var asked: String

        init(field: Field, words: [String], isOpen: Bool) {
            self.field = field
            self.words = words
            self.isOpen = isOpen
            asked = words.first ?? ""
        }

        /// The term as part of a `tsquery`, in `field` or in titles alone.
        func text(inTitle: Bool = false) -> String {
            let weights = inTitle ? "A" : field.weights
            // Words hold letters, digits and at most a tag: nothing in them can end the quotes.
            let parts = words.map { word in
                let isBegun = isOpen && (!isCorrected || word == asked)
                return "'\(word)'" + (isBegun || !weights.isEmpty ? ":" : "") + (isBegun ? "*" : "") + weights
            }
            return parts.count == 1 ? parts[0] : "(" + parts.joined(separator: " | ") + ")"
        }
    }
}

extension String {
    /// At most so many bytes, cut between characters.
    package func bounded(to limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var result = String.UnicodeScalarView()
        var bytes = 0
        for scalar in unicodeScalars {
            bytes += UTF8.width(scalar)
            if bytes > limit { break }
            result.append(scalar)
        }
        return String(result)
    }

    /// As long as a title or an author's names are in the index.
    var clippedToLabel: String { bounded(to: Limits.search.label) }
}
