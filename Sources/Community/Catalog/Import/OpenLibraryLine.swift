import Postgres

/// Reads one line of an Open Library dump: five columns separated by tabs (type, key, revision, date, JSON), or the
/// JSON alone.
///
/// What is wrong in a field that may be missing (an ISBN, a date, a language) drops the field and is counted in
/// `notes`; what makes the record unreadable or keyless throws `Catalog.Reject`.
struct OpenLibraryLine {
    /// Values that were dropped or cut, by reason.
    var notes: [String: Int64] = [:]

    mutating func entry(_ line: ArraySlice<UInt8>) throws(Catalog.Reject) -> Catalog.Entry {
        guard !line.contains(0) else { throw Catalog.Reject("nul", "the line holds a NUL byte") }
        guard String(validating: line, as: UTF8.self) != nil else {
            throw Catalog.Reject("bad_utf8", "the line is not UTF-8")
        }
        var columns = Columns()
        var json = line
        if line.first != UInt8(ascii: "{") {
            (columns, json) = try Columns.split(line)
            guard !columns.isForeign else {
                var scanner = JSONScanner(json)
                try scanner.skip()
                try scanner.end()
                return .foreign
            }
        }
        var digest = Digest()
        digest.add(json)
        var fields = Fields()
        var scanner = JSONScanner(json)
        guard try scanner.next() == .object else { throw Catalog.Reject("bad_json", "the JSON is no object") }
        try scanner.object { (key, scanner) throws(Catalog.Reject) in
            try fields.take(String(decoding: key, as: UTF8.self), from: &scanner)
        }
        try scanner.end()
        return try entry(fields, columns: columns, digest: digest.value)
    }

    private mutating func entry(_ fields: Fields, columns: Columns, digest: Int64) throws(Catalog.Reject)
        -> Catalog.Entry
    {
        let type = columns.type ?? fields.type
        let path = columns.key ?? fields.key
        guard let type else { throw Catalog.Reject("missing", "the record names no type") }
        guard let path else { throw Catalog.Reject("missing", "the record names no key") }
        if let inner = fields.key, inner != path {
            throw Catalog.Reject("key", "the key in the JSON is another than the line's")
        }
        let stamp = Catalog.Stamp(
            revision: (fields.revision ?? columns.revision).flatMap { Int32(exactly: $0) }, digest: digest)
        switch type {
        case "/type/author": return .author(author(fields, key: try Self.key(path, "A"), stamp))
        case "/type/work": return .work(work(fields, key: try Self.key(path, "W"), stamp))
        case "/type/edition": return .edition(edition(fields, key: try Self.key(path, "M"), stamp))
        case "/type/redirect":
            guard let kind = Self.kind(path) else { return .foreign }
            guard let location = fields.location else {
                throw Catalog.Reject("missing", "the redirect names no location")
            }
            let letter = path.suffix(1)
            return .redirect(kind, from: try Self.key(path, letter), to: try Self.key(location, letter), stamp)
        case "/type/delete":
            guard let kind = Self.kind(path) else { return .foreign }
            return .deletion(kind, key: try Self.key(path, path.suffix(1)), stamp)
        default: return .foreign
        }
    }

    private mutating func author(_ fields: Fields, key: String, _ stamp: Catalog.Stamp) -> Catalog.AuthorRecord {
        let name = (fields.name ?? fields.personalName).flatMap { clip($0, to: Limits.catalog.name.upperBound) }
        var record = Catalog.AuthorRecord(key: key, name: name)
        record.aliases = fields.alternateNames.prefix(Limits.catalog.aliases).compactMap {
            clip($0, to: Limits.catalog.importedAlias)
        }
        record.birth = fields.birthDate.flatMap { clip($0, to: Limits.catalog.note.upperBound) }
        record.death = fields.deathDate.flatMap { clip($0, to: Limits.catalog.note.upperBound) }
        record.about = fields.bio.flatMap { clip($0, to: Limits.catalog.description.upperBound) }
        record.stamp = stamp
        return record
    }

    private mutating func work(_ fields: Fields, key: String, _ stamp: Catalog.Stamp) -> Catalog.WorkRecord {
        var record = Catalog.WorkRecord(key: key, title: title(fields))
        record.subtitle = fields.subtitle.flatMap { clip($0, to: Limits.catalog.title.upperBound) }
        record.description = fields.description.flatMap { clip($0, to: Limits.catalog.description.upperBound) }
        record.year = year(fields.firstPublished)
        record.language = fields.languages.lazy.compactMap { Languages.tag($0) }.first
        record.authors = authors(fields)
        record.subjects = subjects(fields, genres: &record.genres)
        record.stamp = stamp
        return record
    }

    private mutating func edition(_ fields: Fields, key: String, _ stamp: Catalog.Stamp) -> Catalog.EditionRecord {
        let work = fields.works.lazy.compactMap { try? Self.key($0, "W") }.first
        var record = Catalog.EditionRecord(key: key, work: work ?? key)
        record.title = title(fields)
        record.subtitle = fields.subtitle.flatMap { clip($0, to: Limits.catalog.title.upperBound) }
        record.authors = authors(fields)
        record.publisher = fields.publishers.first.flatMap { clip($0, to: Limits.catalog.publisher.upperBound) }
        record.published = fields.published.flatMap { clip($0, to: Limits.catalog.note.upperBound) }
        record.year = year(fields.published)
        record.pages = fields.pages.flatMap { pages in
            guard let fitting = Int32(exactly: pages), (1...100_000).contains(fitting) else {
                note("bad_pages")
                return nil
            }
            return fitting
        }
        record.language = fields.languages.lazy.compactMap { Languages.tag($0) }.first
        record.format = fields.format.flatMap { clip($0, to: Limits.catalog.note.upperBound) }
        for text in fields.isbns {
            guard let isbn = Self.isbn(text) else {
                note("bad_isbn")
                continue
            }
            if !record.isbns.contains(isbn), record.isbns.count < 20 { record.isbns.append(isbn) }
        }
        record.stamp = stamp
        return record
    }

    private mutating func title(_ fields: Fields) -> String? {
        guard let title = fields.title else { return nil }
        return clip((fields.titlePrefix ?? "") + title, to: Limits.catalog.title.upperBound)
    }

    private mutating func authors(_ fields: Fields) -> [String] {
        var keys: [String] = []
        for path in fields.authors {
            guard let key = try? Self.key(path, "A") else {
                note("bad_author_key")
                continue
            }
            if !keys.contains(key), keys.count < Limits.catalog.authors { keys.append(key) }
        }
        return keys
    }

    private mutating func subjects(_ fields: Fields, genres: inout [String]) -> [Catalog.SubjectRecord] {
        var all: [Catalog.SubjectRecord] = []
        for (kind, names) in [
            ("topic", fields.subjects), ("place", fields.places), ("person", fields.people), ("time", fields.times),
        ] {
            for name in names {
                if kind == "topic" {
                    for slug in Genres.slugs(of: name)
                    where !genres.contains(slug) && genres.count < Limits.catalog.genres {
                        genres.append(slug)
                    }
                }
                guard all.count < Limits.catalog.subjects, let clipped = clip(name, to: Limits.catalog.subject) else {
                    continue
                }
                all.append(Catalog.SubjectRecord(kind: kind, name: clipped))
            }
        }
        return all
    }

    private mutating func year(_ date: String?) -> Int16? {
        guard let date, !date.isEmpty else { return nil }
        guard let year = Self.year(in: date) else {
            note("bad_date")
            return nil
        }
        return year
    }

    private mutating func clip(_ text: String, to bytes: Int) -> String? {
        let (clipped, wasCut) = text.clipped(to: bytes)
        if wasCut { note("cut") }
        return clipped
    }

    private mutating func note(_ reason: String) { notes[reason, default: 0] += 1 }

    /// The first four digits in a row that can be a year: 1000...2100.
    static func year(in text: String) -> Int16? {
        var value = 0
        var digits = 0
        for byte in Array(text.utf8) + [0] {
            if (48...57).contains(byte) {
                digits += 1
                if digits <= 4 { value = value * 10 + Int(byte - 48) }
            } else {
                if digits == 4, (1000...2100).contains(value) { return Int16(value) }
                value = 0
                digits = 0
            }
        }
        return nil
    }

    /// Also the number in front of a remark, as in `0140449132 (pbk.)`.
    static func isbn(_ text: String) -> ISBN? {
        if let isbn = try? ISBN(text) { return isbn }
        return try? ISBN(text.prefix { $0.isASCII && ($0.isNumber || $0 == "-" || $0 == "X" || $0 == "x") })
    }

    /// `ol:OL118077A` for `/authors/OL118077A`.
    static func key(_ path: String, _ letter: some StringProtocol) throws(Catalog.Reject) -> String {
        let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[path.utf8.index(after: $0)...] } ?? path[...]
        let digits = name.utf8.dropFirst(2).dropLast()
        guard name.hasPrefix("OL"), name.hasSuffix(letter), (1...15).contains(digits.count),
            digits.allSatisfy({ (48...57).contains($0) })
        else { throw Catalog.Reject("key", "\(path.prefix(80)) is no key of this type") }
        return "ol:" + name
    }

    private static func kind(_ path: String) -> Catalog.Kind? {
        if path.hasPrefix("/works/") { return .work }
        if path.hasPrefix("/authors/") { return .author }
        if path.hasPrefix("/books/") { return .edition }
        return nil
    }
}

extension OpenLibraryLine {
    /// The columns before the JSON.
    struct Columns {
        var type: String?
        var key: String?
        var revision: Int?

        /// Pages, users, languages and what else a full dump holds.
        var isForeign: Bool {
            guard let type else { return false }
            return !["/type/author", "/type/work", "/type/edition", "/type/redirect", "/type/delete"].contains(type)
        }

        static func split(_ line: ArraySlice<UInt8>) throws(Catalog.Reject) -> (Columns, ArraySlice<UInt8>) {
            let parts = line.split(separator: 9, maxSplits: 4, omittingEmptySubsequences: false)
            guard parts.count == 5 else {
                throw Catalog.Reject("columns", "\(parts.count) columns instead of 5, and the line is no JSON object")
            }
            let type = String(decoding: parts[0], as: UTF8.self)
            guard type.hasPrefix("/type/") else { throw Catalog.Reject("columns", "the first column is no type") }
            let columns = Columns(
                type: type, key: String(decoding: parts[1], as: UTF8.self),
                revision: Int(String(decoding: parts[2], as: UTF8.self)))
            return (columns, parts[4])
        }
    }

    /// The members of a record that the catalogue has a place for.
    struct Fields {
        var type, key, location: String?
        var revision: Int?
        var title, titlePrefix, subtitle, description, firstPublished, published: String?
        var name, personalName, birthDate, deathDate, bio, format: String?
        var pages: Int?
        var authors: [String] = []
        var works: [String] = []
        var alternateNames: [String] = []
        var subjects: [String] = []
        var places: [String] = []
        var people: [String] = []
        var times: [String] = []
        var publishers: [String] = []
        var languages: [String] = []
        var isbns: [String] = []

        mutating func take(_ member: String, from scanner: inout JSONScanner) throws(Catalog.Reject) {
            switch member {
            case "type": type = try Self.reference(&scanner)
            case "key": key = try scanner.string()
            case "location": location = try scanner.string()
            case "revision": revision = try scanner.integer()
            case "title": title = try scanner.string()
            case "title_prefix": titlePrefix = try scanner.string()
            case "subtitle": subtitle = try scanner.string()
            case "description": description = try Self.text(&scanner)
            case "first_publish_date": firstPublished = try scanner.string()
            case "publish_date": published = try scanner.string()
            case "name": name = try scanner.string()
            case "personal_name": personalName = try scanner.string()
            case "birth_date": birthDate = try scanner.string()
            case "death_date": deathDate = try scanner.string()
            case "bio": bio = try Self.text(&scanner)
            case "physical_format": format = try scanner.string()
            case "number_of_pages": pages = try scanner.integer()
            case "authors": authors = try Self.references(&scanner)
            case "works": works = try Self.references(&scanner)
            case "alternate_names": alternateNames = try Self.strings(&scanner)
            case "subjects": subjects = try Self.strings(&scanner)
            case "subject_places": places = try Self.strings(&scanner)
            case "subject_people": people = try Self.strings(&scanner)
            case "subject_times": times = try Self.strings(&scanner)
            case "publishers": publishers = try Self.strings(&scanner)
            case "languages", "original_languages": languages = try Self.references(&scanner)
            case "isbn_10", "isbn_13", "isbn": isbns += try Self.strings(&scanner)
            default: try scanner.skip()
            }
        }

        /// A string, or the `value` of `{"type": "/type/text", "value": "…"}`.
        private static func text(_ scanner: inout JSONScanner) throws(Catalog.Reject) -> String? {
            guard try scanner.next() == .object else { return try scanner.string() }
            var value: String?
            try scanner.object { (key, scanner) throws(Catalog.Reject) in
                if key.elementsEqual("value".utf8) { value = try scanner.string() } else { try scanner.skip() }
            }
            return value
        }

        /// A string, `{"key": "…"}` or `{"author": {"key": "…"}, …}`.
        private static func reference(_ scanner: inout JSONScanner) throws(Catalog.Reject) -> String? {
            guard try scanner.next() == .object else { return try scanner.string() }
            var found: String?
            try scanner.object { (key, scanner) throws(Catalog.Reject) in
                if key.elementsEqual("key".utf8) || key.elementsEqual("author".utf8) {
                    found = try reference(&scanner)
                } else {
                    try scanner.skip()
                }
            }
            return found
        }

        private static func references(_ scanner: inout JSONScanner) throws(Catalog.Reject) -> [String] {
            guard try scanner.next() == .array else { return try reference(&scanner).map { [$0] } ?? [] }
            var all: [String] = []
            try scanner.array { (scanner) throws(Catalog.Reject) in
                if let reference = try reference(&scanner) { all.append(reference) }
            }
            return all
        }

        private static func strings(_ scanner: inout JSONScanner) throws(Catalog.Reject) -> [String] {
            guard try scanner.next() == .array else { return try scanner.string().map { [$0] } ?? [] }
            var all: [String] = []
            try scanner.array { (scanner) throws(Catalog.Reject) in
                if let text = try scanner.string() { all.append(text) }
            }
            return all
        }
    }
}

extension String {
    /// Without space at the ends and at most `limit` bytes, cut between characters. `nil` for nothing.
    func clipped(to limit: Int) -> (text: String?, wasCut: Bool) {
        var slice = self[...]
        while let first = slice.unicodeScalars.first, first.properties.isWhitespace {
            slice.unicodeScalars.removeFirst()
        }
        while let last = slice.unicodeScalars.last, last.properties.isWhitespace { slice.unicodeScalars.removeLast() }
        guard !slice.isEmpty else { return (nil, false) }
        guard slice.utf8.count > limit else { return (slice.utf8.count == utf8.count ? self : String(slice), false) }
        var bytes = 0
        var end = slice.startIndex
        while end < slice.endIndex {
            let next = slice.index(after: end)
            bytes += slice[end..<next].utf8.count
            if bytes > limit { break }
            end = next
        }
        return (end == slice.startIndex ? nil : String(slice[..<end]), true)
    }
}
