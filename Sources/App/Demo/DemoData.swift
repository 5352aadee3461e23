import Community

/// What the demonstration consists of: real books as facts, and readers, friendships, ratings and reviews made up for it.
///
/// The files beside this one are compiled into the program. Lines of fields separated by tabs, lists within a field by `;`:
/// `books.tsv` ISBN-13, title, authors, year of first publication (negative before our era), pages of that edition, genres;
/// `descriptions.tsv` ISBN-13 and a sentence or two of our own about the books that the readers shelve most;
/// `films.tsv` kind, title, year, minutes, who made it (`role:name`), genres, a sentence of our own;
/// `readers.tsv` username, name, a line about oneself, favourite genres; `reviews.tsv` username, ISBN-13, stars, text.
struct DemoData: Sendable {
    struct Book: Sendable {
        let isbn: ISBN
        let title: String
        let authors: [String]
        let year: Int
        let pages: Int
        let genres: [String]
        let description: String?

        /// As the catalogue takes it.
        var new: Catalog.NewBook {
            var new = Catalog.NewBook(key: isbn.text, title: title, authors: authors, year: year)
            (new.genres, new.isbns, new.pages, new.description) = (genres, [isbn], pages, description)
            return new
        }
    }

    /// A film or a show.
    struct Film: Sendable {
        let kind: String
        let title: String
        let year: Int
        let minutes: Int
        let people: [Catalog.Fact.Part]
        let genres: [String]
        let description: String
    }

    struct Reader: Sendable {
        let username: String
        let name: String
        let bio: String
        let favourites: [String]
    }

    struct Review: Sendable {
        let username: String
        let isbn: ISBN
        let rating: Rating
        let text: String
    }

    let books: [Book]
    let films: [Film]
    let readers: [Reader]
    let reviews: [Review]

    /// Throws `Malformed` for a line that breaks the rules above; a test reads everything.
    static func embedded() throws -> DemoData {
        try DemoData(
            books: PackageResources.books_tsv, descriptions: PackageResources.descriptions_tsv,
            films: PackageResources.films_tsv, readers: PackageResources.readers_tsv,
            reviews: PackageResources.reviews_tsv)
    }

    struct Malformed: Error, CustomStringConvertible {
        let file: String
        let line: Int
        var description: String { "line \(line) of \(file) is malformed" }
    }

    init(books: [UInt8], descriptions: [UInt8], films: [UInt8], readers: [UInt8], reviews: [UInt8]) throws {
        let described = try Self.lines("descriptions.tsv", descriptions, fields: 2) { fields in
            (try? ISBN(fields[0])).map { ($0, fields[1]) }
        }
        let texts = Dictionary(described) { first, _ in first }
        self.books = try Self.lines("books.tsv", books, fields: 6) { fields in
            guard let isbn = try? ISBN(fields[0]), let year = Int(fields[3]), let pages = Int(fields[4]) else {
                return nil
            }
            return Book(
                isbn: isbn, title: fields[1], authors: Self.list(fields[2]), year: year, pages: pages,
                genres: Self.list(fields[5]), description: texts[isbn])
        }
        self.films = try Self.lines("films.tsv", films, fields: 7) { fields in
            guard let year = Int(fields[2]), let minutes = Int(fields[3]) else { return nil }
            let people = Self.list(fields[4]).map { $0.split(separator: ":", maxSplits: 1).map(String.init) }
            guard people.allSatisfy({ $0.count == 2 }) else { return nil }
            return Film(
                kind: fields[0], title: fields[1], year: year, minutes: minutes,
                people: people.map { Catalog.Fact.Part(name: $0[1], role: $0[0]) }, genres: Self.list(fields[5]),
                description: fields[6])
        }
        self.readers = try Self.lines("readers.tsv", readers, fields: 4) { fields in
            Reader(username: fields[0], name: fields[1], bio: fields[2], favourites: Self.list(fields[3]))
        }
        self.reviews = try Self.lines("reviews.tsv", reviews, fields: 4) { fields in
            guard let isbn = try? ISBN(fields[1]), let stars = Double(fields[2]),
                let rating = Rating(stars: stars)
            else { return nil }
            return Review(username: fields[0], isbn: isbn, rating: rating, text: fields[3])
        }
    }

    private static func lines<Value>(
        _ file: String, _ bytes: [UInt8], fields count: Int, _ read: ([String]) -> Value?
    ) throws -> [Value] {
        try String(decoding: bytes, as: UTF8.self).split(separator: "\n").enumerated().map { index, line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard fields.count == count, fields.allSatisfy({ !$0.isEmpty }), let value = read(fields) else {
                throw Malformed(file: file, line: index + 1)
            }
            return value
        }
    }

    private static func list(_ field: String) -> [String] { field.split(separator: ";").map(String.init) }
}
