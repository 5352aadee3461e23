import FoundationEssentials
import PlainText

/// Which column of a CSV file holds what.
///
/// A mapping file has one line a column, `column = field`; lines that begin with `#` and empty lines do not count.
/// Options stand in the same form behind an `@`:
///
/// ```
/// @source = our-library      # short name of the source, a-z 0-9 -; the file's name without it
/// @separator = ;             # one character, or "tab"; a comma without it
/// @author-separator = &      # between names in one column; a comma without it
/// Id = key
/// Title = title
/// Author = authors
/// ISBN = isbn
/// ```
///
/// Fields: `key` (identifies the work: required), `edition_key`, `title`, `title_with_series`, `subtitle`,
/// `description`, `authors`, `year`, `genres`, `subjects`, `series`, `series_position`, `isbn` (several columns may),
/// `publisher`, `published`, `pages`, `language`, `format`, `ratings_1` … `ratings_5`.
package struct CSVMapping: Sendable {
    package enum Field: String, Sendable, CaseIterable {
        case key, title, subtitle, description, authors, year, genres, subjects, series, isbn, publisher, published,
            pages
        case language, format
        case editionKey = "edition_key"
        case titleWithSeries = "title_with_series"
        case seriesPosition = "series_position"
        case ratings1 = "ratings_1"
        case ratings2 = "ratings_2"
        case ratings3 = "ratings_3"
        case ratings4 = "ratings_4"
        case ratings5 = "ratings_5"
        /// Lost its leading zeros in a spreadsheet.
        case unpaddedISBN = "isbn_without_zeros"
        /// Counts only where it is whole, its check digit holds, and no other ISBN was found.
        case doubtfulISBN = "isbn_doubtful"
        /// Leads to the genres of the genres file.
        case genresKey = "genres_key"
    }

    /// Short name of the source: part of every key.
    package let source: String
    package let separator: UInt8
    package let authorSeparator: Character
    /// By column name, in lower case.
    package let columns: [String: Field]

    /// `books.csv` of goodbooks-10k: 10,000 books of Goodreads, whose `isbn` lost leading zeros and whose `isbn13` is a
    /// truncated float.
    package static let goodbooks = CSVMapping(
        source: "goodreads", separator: UInt8(ascii: ","), authorSeparator: ",",
        columns: [
            "work_id": .key, "goodreads_book_id": .editionKey, "title": .titleWithSeries, "authors": .authors,
            "original_publication_year": .year, "isbn": .unpaddedISBN, "isbn13": .doubtfulISBN,
            "language_code": .language, "ratings_1": .ratings1, "ratings_2": .ratings2, "ratings_3": .ratings3,
            "ratings_4": .ratings4, "ratings_5": .ratings5, "book_id": .genresKey,
        ])

    package init(source: String, separator: UInt8, authorSeparator: Character, columns: [String: Field]) {
        self.source = source
        self.separator = separator
        self.authorSeparator = authorSeparator
        self.columns = columns
    }

    /// Reads a mapping file's text. Throws `Failure.invalid` with every fault, the line's number as pointer.
    package init(text: String, defaultSource: String) throws(Failure) {
        var faults = Faults()
        var source = defaultSource
        var separator = UInt8(ascii: ",")
        var authorSeparator: Character = ","
        var columns: [String: Field] = [:]
        for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let content = line.trimmed()
            if content.isEmpty || content.hasPrefix("#") { continue }
            let parts = content.split(separator: "=", maxSplits: 1).map { $0.trimmed() }
            guard parts.count == 2 else {
                faults.add("line \(number + 1)", .badFormat, "must read: column = field")
                continue
            }
            switch (parts[0], parts[1]) {
            case ("@source", let name): source = name
            case ("@separator", "tab"): separator = 9
            case ("@separator", let mark) where mark.utf8.count == 1: separator = mark.utf8.first ?? separator
            case ("@author-separator", let mark) where mark.count == 1: authorSeparator = mark.first ?? authorSeparator
            case (let name, _) where name.hasPrefix("@"):
                faults.add("line \(number + 1)", .unknown, "no such option, or a bad value")
            case (let column, let name):
                guard let field = Field(rawValue: name) else {
                    faults.add("line \(number + 1)", .unknown, "there is no field \(name)")
                    continue
                }
                columns[column.lowercased()] = field
            }
        }
        let isPlain = source.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 }
        faults.require(
            isPlain && (1...20).contains(source.utf8.count), "@source", .badFormat,
            "the name of a source has 1 to 20 of a-z, 0-9 and -")
        faults.require(source != "ol", "@source", .taken, "the name `ol` is kept for Open Library")
        faults.require(columns.values.contains(.key), "key", .required, "one column must be the key")
        try faults.check()
        self.init(source: source, separator: separator, authorSeparator: authorSeparator, columns: columns)
    }
}

/// Makes books of the records of one CSV file.
package struct CSVBooks: Sendable {
    private let mapping: CSVMapping
    /// Field of each column, `nil` for columns that are not mapped.
    private let fields: [CSVMapping.Field?]
    /// Labels by `genresKey`.
    private let genres: [String: [String]]
    /// Values that were dropped, by reason.
    package private(set) var notes: [String: Int64] = [:]

    /// Throws `Catalog.Reject` where the header lacks a column that the mapping needs.
    package init(_ mapping: CSVMapping, header: [String], genres: [String: [String]] = [:]) throws(Catalog.Reject) {
        self.mapping = mapping
        self.genres = genres
        fields = header.enumerated().map { index, name in
            // Spreadsheets put a byte order mark before the first name.
            let name =
                index == 0 && name.unicodeScalars.first == "\u{FEFF}" ? String(name.unicodeScalars.dropFirst()) : name
            return mapping.columns[name.trimmed().lowercased()]
        }
        guard fields.contains(.key) else {
            let name = mapping.columns.first { $0.value == .key }?.key ?? "key"
            throw Catalog.Reject("csv", "the header has no column \(name)")
        }
    }

    /// One record as a book. Throws `Catalog.Reject` for one of another length than the header, or without a key.
    package mutating func book(_ record: [String]) throws(Catalog.Reject) -> Catalog.NewBook {
        guard record.count == fields.count else {
            throw Catalog.Reject("columns", "\(record.count) fields instead of \(fields.count)")
        }
        var book = Catalog.NewBook(key: "", title: nil)
        var values: [CSVMapping.Field: String] = [:]
        for (field, value) in zip(fields, record) {
            let text = value.trimmed()
            guard let field, !text.isEmpty else { continue }
            if field == .isbn { add(text, to: &book) } else { values[field] = text }
        }
        guard let key = values[.key], key.utf8.count <= 200 else {
            throw Catalog.Reject("missing", "the record has no key")
        }
        book.key = key
        book.editionKey = values[.editionKey] ?? key
        book.title = values[.title]
        if let title = values[.titleWithSeries] { (book.title, book.series) = SeriesTitle.split(title) }
        if let series = values[.series] { book.series.append((series, values[.seriesPosition])) }
        book.subtitle = values[.subtitle]
        book.description = values[.description]
        book.authors = list(values[.authors], by: mapping.authorSeparator)
        book.genres = list(values[.genres], by: ",") + (values[.genresKey].flatMap { genres[$0] } ?? [])
        book.subjects = list(values[.subjects], by: ",")
        book.publisher = values[.publisher]
        book.published = values[.published]
        book.format = values[.format]
        book.language = values[.language]
        book.year = number(values[.year], in: -5000...2200, "bad_year")
        book.pages = number(values[.pages], in: 1...100_000, "bad_pages")
        if let isbn = values[.unpaddedISBN] {
            add(String(repeating: "0", count: max(0, 10 - isbn.utf8.count)) + isbn, to: &book)
        }
        if let isbn = values[.doubtfulISBN], book.isbns.isEmpty, values[.unpaddedISBN] == nil { add(isbn, to: &book) }
        book.stars = stars(values)
        return book
    }

    private mutating func add(_ text: String, to book: inout Catalog.NewBook) {
        guard let isbn = try? ISBN(text) else {
            notes["bad_isbn", default: 0] += 1
            return
        }
        if !book.isbns.contains(isbn) { book.isbns.append(isbn) }
    }

    private func list(_ text: String?, by separator: Character) -> [String] {
        (text ?? "").split(separator: separator).map { $0.trimmed() }.filter { !$0.isEmpty }
    }

    /// `2008` and `2008.0`.
    private mutating func number(_ text: String?, in range: ClosedRange<Int>, _ reason: String) -> Int? {
        guard let text else { return nil }
        guard let value = Double(text), let whole = Int(exactly: value), range.contains(whole) else {
            notes[reason, default: 0] += 1
            return nil
        }
        return whole
    }

    private func stars(_ values: [CSVMapping.Field: String]) -> [Int32] {
        let counts = [CSVMapping.Field.ratings1, .ratings2, .ratings3, .ratings4, .ratings5].compactMap { field in
            values[field].flatMap { Int32($0) }.flatMap { $0 >= 0 ? $0 : nil }
        }
        return counts.count == 5 ? counts : []
    }
}
