import Community
import FoundationEssentials
import PlainText

/// The Book-Crossing community as its files tell it: who read which book, and what some thought of it. Ages and places are not read.
///
/// `items_info.dat`, `book_history.dat` and `book_ratings.dat` are lines of fields separated by tabs under a line of titles, in Latin-1. Their
/// makers cut lines at each semicolon: a tab behind `&amp` ends that word, and one inside a title or a publisher's name was a semicolon.
/// Some texts are UTF-8 that was taken for Latin-1 once or twice; they are put right where that can be seen.
struct BookCrossing: Sendable {
    struct Book: Sendable, Equatable {
        let isbn: ISBN?
        let title: String
        let author: String?
        let year: Int?
        let publisher: String?
    }

    struct Reading: Sendable, Equatable {
        let reader: Int
        let book: Int
        /// 1 to 10; `nil` where the reader gave none.
        var rating: Int?
    }

    /// By their numbers.
    let books: [Int: Book]
    /// In the order of the file; each reader has a book once.
    let readings: [Reading]

    /// What cannot be read. Nothing was written when it is thrown.
    struct Malformed: Error, CustomStringConvertible, Equatable {
        let file: String
        let line: Int?
        let why: String
        var description: String { line.map { "line \($0) of \(file) \(why)" } ?? "\(file) \(why)" }
    }

    static let itemsFile = "items_info.dat"
    static let historyFile = "book_history.dat"
    static let ratingsFile = "book_ratings.dat"

    /// Bytes of a file, readers, and lines of one; the real ones have 5 MB, 2,946 and 272,679.
    static let fileSize = 64_000_000
    static let readers = 20_000
    static let lines = 1_000_000

    /// The year of the collection: a later one is a mistake.
    static let collected = 2004

    /// Throws `Malformed`.
    init(folder: String) throws {
        func read(_ name: String) throws -> [UInt8] {
            let path = folder + "/" + name
            guard let file = try? OpenFile.reading(path), let bytes = try? file.read(Self.fileSize + 1) else {
                throw Malformed(file: path, line: nil, why: "cannot be read")
            }
            guard bytes.count <= Self.fileSize else {
                throw Malformed(file: path, line: nil, why: "has more than \(Self.fileSize) bytes")
            }
            return bytes
        }
        try self.init(items: read(Self.itemsFile), history: read(Self.historyFile), ratings: read(Self.ratingsFile))
    }

    init(items: [UInt8], history: [UInt8], ratings: [UInt8]) throws {
        var books: [Int: Book] = [:]
        try Self.forEachLine(Self.itemsFile, items, title: "Book_ID") { line, bytes in
            let (number, book) = try Self.book(bytes, line: line)
            guard books.updateValue(book, forKey: number) == nil else {
                throw Malformed(file: Self.itemsFile, line: line, why: "names book \(number) again")
            }
        }
        var readings: [Reading] = []
        // By reader and book, of nine digits each at most.
        var places: [Int: Int] = [:]
        var numbers = Set<Int>()
        try Self.forEachLine(Self.historyFile, history, title: "user") { line, bytes in
            let (reader, book, _) = try Self.numbers(bytes, Self.historyFile, line)
            guard books[book] != nil else {
                throw Malformed(file: Self.historyFile, line: line, why: "names book \(book), which is not there")
            }
            guard places.updateValue(readings.count, forKey: reader << 30 | book) == nil else {
                throw Malformed(
                    file: Self.historyFile, line: line, why: "tells of reader \(reader) and book \(book) again")
            }
            guard numbers.insert(reader).inserted == false || numbers.count <= Self.readers else {
                throw Malformed(file: Self.historyFile, line: line, why: "names more than \(Self.readers) readers")
            }
            readings.append(Reading(reader: reader, book: book))
        }
        try Self.forEachLine(Self.ratingsFile, ratings, title: "user") { line, bytes in
            let (reader, book, stars) = try Self.numbers(bytes, Self.ratingsFile, line)
            guard let place = places[reader << 30 | book] else {
                throw Malformed(file: Self.ratingsFile, line: line, why: "rates what its reader has not read")
            }
            guard let rating = Int(exactly: stars), (1...10).contains(rating) else {
                throw Malformed(
                    file: Self.ratingsFile, line: line, why: "has a rating that is no whole number from 1 to 10")
            }
            readings[place].rating = rating
        }
        guard !readings.isEmpty else { throw Malformed(file: Self.historyFile, line: nil, why: "tells of no reader") }
        self.books = books
        self.readings = readings
    }

    /// Calls `body` with the lines behind the first, which must begin with `title`, by their numbers. Empty lines are passed over.
    private static func forEachLine(
        _ file: String, _ bytes: [UInt8], title: String, _ body: (Int, ArraySlice<UInt8>) throws -> Void
    ) throws {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard lines.first?.starts(with: title.utf8) == true else {
            throw Malformed(file: file, line: 1, why: "does not begin with \(title)")
        }
        guard lines.count <= Self.lines else {
            throw Malformed(file: file, line: nil, why: "has more than \(Self.lines) lines")
        }
        for (index, line) in lines.enumerated().dropFirst() {
            let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            if !line.isEmpty { try body(index + 1, line) }
        }
    }

    /// A reader, a book and a number.
    private static func numbers(
        _ bytes: ArraySlice<UInt8>, _ file: String, _ line: Int
    ) throws -> (reader: Int, book: Int, number: Double) {
        let fields = bytes.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
        guard fields.count == 3, let reader = number(fields[0]), let book = number(fields[1]),
            let value = Double(String(decoding: fields[2], as: UTF8.self))
        else { throw Malformed(file: file, line: line, why: "is not a reader, a book and a number") }
        return (reader, book, value)
    }

    /// 1 to 9 digits.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard (1...9).contains(bytes.count) else { return nil }
        var value = 0
        for byte in bytes {
            guard (48...57).contains(byte) else { return nil }
            value = value * 10 + Int(byte - 48)
        }
        return value
    }
}

extension BookCrossing {
    /// Number, ISBN, title, author, year, publisher, three addresses of pictures and an empty field.
    static func book(_ bytes: ArraySlice<UInt8>, line: Int) throws -> (number: Int, book: Book) {
        func malformed(_ why: String) -> Malformed { Malformed(file: itemsFile, line: line, why: why) }
        let fields = whole(bytes.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false).map(text))
        guard let end = fields.firstIndex(where: { $0.hasPrefix("http://") || $0.hasPrefix("https://") }) else {
            throw malformed("names no picture")
        }
        guard let first = fields.first, let number = number(Array(first.utf8)[...]) else {
            throw malformed("does not begin with a number")
        }
        // The last number before the pictures: a publisher's name may have been cut, too.
        guard end >= 6, let year = fields[4..<end - 1].lastIndex(where: { $0.count <= 4 && Int($0) != nil }) else {
            throw malformed("has fewer fields than number, ISBN, title, author, year and publisher")
        }
        let title = joined(fields[2..<year - 1])
        guard !title.isEmpty else { throw malformed("has no title") }
        let publisher = joined(fields[(year + 1)..<end])
        return (
            number,
            Book(
                isbn: try? ISBN(fields[1]), title: title, author: fields[year - 1].isEmpty ? nil : fields[year - 1],
                year: Int(fields[year]).flatMap { (1...collected).contains($0) ? $0 : nil },
                publisher: publisher.isEmpty ? nil : publisher)
        )
    }

    /// Fields that were cut behind `&amp` in one piece again.
    private static func whole(_ pieces: [String]) -> [String] {
        var fields: [String] = []
        var isCut = false
        for piece in pieces {
            if isCut, let last = fields.popLast() {
                fields.append(last + piece)
            } else {
                fields.append(piece)
            }
            isCut = piece.hasSuffix("&amp")
            if isCut, let last = fields.popLast() { fields.append(String(last.dropLast(3))) }
        }
        return fields.map { $0.trimmed() }
    }

    private static func joined(_ pieces: ArraySlice<String>) -> String {
        pieces.filter { !$0.isEmpty }.joined(separator: "; ")
    }

    /// Latin-1; where the bytes are UTF-8 of what was Latin-1 already, the text that was meant.
    static func text(_ bytes: ArraySlice<UInt8>) -> String {
        var bytes = Array(bytes)
        for _ in 0..<3 where bytes.contains(where: { $0 > 127 }) {
            // Behind Ã stands a control character of Latin-1, for which a question mark was put.
            let mended = bytes.indices.map { place in
                let isLost =
                    bytes[place] == UInt8(ascii: "?") && place > 0 && bytes[place - 1] == 0xC3
                    && place + 1 < bytes.count && bytes[place + 1] == 0xC2
                return isLost ? 0x83 : bytes[place]
            }
            guard let text = String(validating: mended, as: UTF8.self) else { break }
            guard let narrower = latin1(text) else { return clean(text) }
            bytes = narrower
        }
        return clean(String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })))
    }

    private static func latin1(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            guard let byte = UInt8(exactly: scalar.value) else { return nil }
            bytes.append(byte)
        }
        return bytes
    }

    private static func clean(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.properties.generalCategory != .control }))
    }
}
