import Community

/// Queries that readers might type for books that are known: what each should find among the first five.
struct CatalogueQueries {
    struct Book: Sendable {
        let id: String
        let title: String
        let authors: [String]
        let isbns: [ISBN]
    }

    struct Query: Sendable {
        let text: String
        let book: Book
    }

    enum Class: String, CaseIterable, Sendable {
        case exact, unaccented, cut
        case shuffled = "with author, any order"
        case oneEdit = "one edit in ≥ 5 letters"
        case twoEdits = "two edits in ≥ 9 letters"
        case isbn10 = "ISBN-10"
        case isbn13 = "ISBN-13"
        case hyphenated = "ISBN with hyphens"

        /// The least share of queries that must succeed.
        var bar: Double {
            switch self {
            case .exact, .unaccented: 0.98
            case .cut, .oneEdit: 0.90
            case .shuffled: 0.95
            case .twoEdits: 0.80
            case .isbn10, .isbn13, .hyphenated: 1
            }
        }
    }

    private let books: [Book]
    private var random: SplitMix
    /// For the library's `using:` arguments.
    var generator: SplitMix {
        get { random }
        set { random = newValue }
    }

    init(books: [Book], seed: UInt64) {
        self.books = books
        random = SplitMix(state: seed)
    }

    /// `count` queries of one kind; fewer where few books have what it takes.
    mutating func queries(_ kind: Class, count: Int) -> [Query] {
        var queries: [Query] = []
        var tries = 0
        while queries.count < count, tries < count * 200 {
            tries += 1
            let book = books[roll(books.count)]
            if let text = text(kind, book) { queries.append(Query(text: text, book: book)) }
        }
        return queries
    }

    private mutating func text(_ kind: Class, _ book: Book) -> String? {
        switch kind {
        case .exact: return book.title
        case .unaccented:
            let folded = Search.Normaliser.fold(book.title)
            return folded.isEmpty ? nil : folded
        case .cut:
            // What is left must still be something to search for.
            return book.title.count < 6 ? nil : String(book.title.dropLast(3))
        case .shuffled:
            guard let author = book.authors.first else { return nil }
            var words = Search.Normaliser.words(book.title + " " + author, limit: 16)
            for place in words.indices.dropFirst() { words.swapAt(place, roll(place + 1)) }
            // A space behind the last word: none of them is a beginning.
            return words.joined(separator: " ") + " "
        case .oneEdit: return misspelt(book.title, letters: 5, edits: 1)
        case .twoEdits: return misspelt(book.title, letters: 9, edits: 2)
        case .isbn10: return book.isbns.first?.ten
        case .isbn13: return book.isbns.first?.text
        case .hyphenated:
            return book.isbns.first.map { isbn in
                let digits = Array(isbn.text)
                return
                    "\(String(digits[0..<3]))-\(digits[3])-\(String(digits[4..<8]))-\(String(digits[8..<12]))-\(digits[12])"
            }
        }
    }

    /// The title with one word of so many letters or more misspelt; `nil` where it has none.
    private mutating func misspelt(_ title: String, letters: Int, edits: Int) -> String? {
        var words = Search.Normaliser.words(title, limit: 16)
        let long = words.indices.filter {
            words[$0].count >= letters && words[$0].allSatisfy { ("a"..."z").contains($0) }
        }
        guard !long.isEmpty else { return nil }
        let place = long[roll(long.count)]
        let word = words[place]
        while words[place] == word {
            for _ in 0..<edits { words[place] = edited(words[place]) }
        }
        return words.joined(separator: " ")
    }

    /// One letter left out, put in, replaced, or swapped with the next.
    private mutating func edited(_ word: String) -> String {
        var letters = Array(word)
        let place = roll(letters.count)
        let other = Character(Unicode.Scalar(UInt8(97 + roll(26))))
        switch roll(4) {
        case 0: letters.remove(at: place)
        case 1: letters.insert(other, at: place)
        case 2: letters[place] = other
        default: letters.swapAt(place, place + 1 < letters.count ? place + 1 : place - 1)
        }
        return String(letters)
    }

    /// What somebody sends who types a title: each beginning of at least one letter.
    mutating func typed(count: Int) -> [Query] {
        (0..<count).map { _ in
            let book = books[roll(books.count)]
            return Query(text: String(book.title.prefix(1 + roll(max(1, book.title.count)))), book: book)
        }
    }

    private mutating func roll(_ bound: Int) -> Int { Int(random.next() % UInt64(max(1, bound))) }
}
