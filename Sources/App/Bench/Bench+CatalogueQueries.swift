import Community
import FoundationEssentials
import PlainText

/// Queries that readers might type for books that are known: what each should find among the first five.
struct CatalogueQueries {
    struct Book: Sendable {
        let id: String
        let title: String
        let authors: [String]
        let isbns: [ISBN]
    }

    struct Query: Sendable, Hashable {
        let text: String
        let book: Book

        static func == (one: Query, other: Query) -> Bool { (one.text, one.book.id) == (other.text, other.book.id) }
        func hash(into hasher: inout Hasher) { hasher.combine(text) }
    }

    enum Class: String, CaseIterable, Sendable {
        case exact
        case unaccented = "accents left out"
        case accented = "accents put in"
        case cut = "without the last 3 letters"
        case shuffled = "with author, any order"
        case oneEdit = "one edit in ≥ 5 letters"
        case twoEdits = "two edits in ≥ 9 letters"
        case isbn10 = "ISBN-10"
        case endingInX = "ISBN-10 with X"
        case hyphenated10 = "ISBN-10 with hyphens"
        case sbn = "SBN"
        case isbn13 = "ISBN-13"
        case hyphenated13 = "ISBN-13 with hyphens"
        case spaced13 = "ISBN-13 with spaces"
        case prefixed = "ISBN: before it"

        static let texts: [Class] = [.exact, .unaccented, .accented, .cut, .shuffled, .oneEdit, .twoEdits]

        /// The least share of queries that must succeed.
        var bar: Double {
            switch self {
            case .exact, .unaccented, .accented: 0.98
            case .cut, .oneEdit: 0.90
            case .shuffled: 0.95
            case .twoEdits: 0.80
            case .isbn10, .endingInX, .hyphenated10, .sbn, .isbn13, .hyphenated13, .spaced13, .prefixed: 1
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

    /// `count` different queries of one kind; fewer where few books have what it takes.
    mutating func queries(_ kind: Class, count: Int) -> [Query] {
        var queries: [Query] = []
        var seen: Set<Query> = []
        var tries = 0
        while queries.count < count, tries < count * 200 {
            tries += 1
            let book = books[roll(books.count)]
            guard let text = text(kind, book) else { continue }
            let query = Query(text: text, book: book)
            if seen.insert(query).inserted { queries.append(query) }
        }
        return queries
    }

    private mutating func text(_ kind: Class, _ book: Book) -> String? {
        switch kind {
        case .exact: book.title
        case .unaccented: Self.unaccented(book.title)
        case .accented: accented(book.title)
        // What is left must still be something to search for.
        case .cut: book.title.count < 6 ? nil : String(book.title.dropLast(3))
        case .shuffled: shuffled(book)
        case .oneEdit: misspelt(book.title, letters: 5, edits: 1)
        case .twoEdits: misspelt(book.title, letters: 9, edits: 2)
        default: book.isbns.first.flatMap { number(kind, $0) }
        }
    }

    /// What somebody sends who types a title: each beginning of at least one letter.
    mutating func typed(count: Int) -> [Query] {
        (0..<count).map { _ in
            let book = books[roll(books.count)]
            return Query(text: String(book.title.prefix(1 + roll(max(1, book.title.count)))), book: book)
        }
    }

    private mutating func roll(_ bound: Int) -> Int { Int(random.next() % UInt64(max(1, bound))) }

    // MARK: Words

    private mutating func shuffled(_ book: Book) -> String? {
        guard let author = book.authors.first else { return nil }
        var words = Normaliser.words(book.title + " " + author, limit: 16)
        for place in words.indices.dropFirst() { words.swapAt(place, roll(place + 1)) }
        // A space behind the last word: none of them is a beginning.
        return words.joined(separator: " ") + " "
    }

    /// A title that has accents on Latin letters, without them; `nil` for every other title. By Unicode's decomposition
    /// and not by the code that is measured.
    static func unaccented(_ title: String) -> String? {
        var plain = String.UnicodeScalarView()
        var isChanged = false
        for scalar in title.normalised(.nfd).unicodeScalars {
            if scalar.properties.generalCategory == .nonspacingMark, plain.last?.isASCII == true {
                isChanged = true
            } else {
                plain.append(scalar)
            }
        }
        return isChanged ? String(plain).normalised(.nfc) : nil
    }

    /// A plain title with accents on half of the letters that take one, whole or as marks of their own; `nil` where
    /// none does.
    private mutating func accented(_ title: String) -> String? {
        guard title.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let marks: [Unicode.Scalar] = ["\u{300}", "\u{301}", "\u{302}", "\u{303}", "\u{308}"]
        var letters = String.UnicodeScalarView()
        var isChanged = false
        for scalar in title.unicodeScalars {
            letters.append(scalar)
            if "aeinouAEINOU".unicodeScalars.contains(scalar), roll(2) == 0 {
                letters.append(marks[roll(marks.count)])
                isChanged = true
            }
        }
        guard isChanged else { return nil }
        let text = String(letters)
        return roll(2) == 0 ? text : text.normalised(.nfc)
    }

    /// The title with one word of so many letters or more misspelt; `nil` where it has none.
    private mutating func misspelt(_ title: String, letters: Int, edits: Int) -> String? {
        var words = Normaliser.words(title, limit: 16)
        let long = words.indices.filter {
            words[$0].count >= letters && words[$0].allSatisfy { ("a"..."z").contains($0) }
        }
        guard !long.isEmpty else { return nil }
        let place = long[roll(long.count)]
        let word = words[place]
        // Two edits may undo each other, or be one.
        repeat {
            words[place] = (0..<edits).reduce(word) { word, _ in edited(word) }
        } while Nearest.edits(word, words[place]) != edits
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

    // MARK: Numbers

    /// The number in one of its written forms; `nil` where it has no such form.
    private mutating func number(_ form: Class, _ isbn: ISBN) -> String? {
        let parts13 = Self.split(isbn.text, at: [3, 4, 8, 12])
        switch form {
        case .isbn13: return isbn.text
        case .hyphenated13: return parts13.joined(separator: "-")
        case .spaced13: return parts13.joined(separator: " ")
        case .prefixed:
            let prefix = ["ISBN:", "ISBN: ", "isbn ", "ISBN-13: "][roll(4)]
            return prefix + (roll(2) == 0 ? isbn.text : parts13.joined(separator: "-"))
        default: break
        }
        guard let ten = isbn.ten else { return nil }
        switch form {
        case .isbn10: return ten
        case .endingInX: return ten.hasSuffix("X") ? (roll(2) == 0 ? ten : ten.lowercased()) : nil
        case .hyphenated10: return Self.split(ten, at: [1, 5, 9]).joined(separator: "-")
        // Nine digits: those of British and American books before 1970, whose ISBN begins with the 0 that they lack.
        case .sbn: return ten.hasPrefix("0") ? String(ten.dropFirst()) : nil
        default: return nil
        }
    }

    private static func split(_ text: String, at places: [Int]) -> [String] {
        let letters = Array(text)
        return zip([0] + places, places + [letters.count]).map { String(letters[$0..<$1]) }
    }
}
