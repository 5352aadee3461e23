extension Catalog {
    /// The page of a book: its catalogue half as it is stored, and what our readers made of it.
    package struct BookPage: Sendable {
        /// The work's; that of another one where the one asked for was merged.
        package let id: ID<Work>
        /// Raised by every change to the catalogue half.
        package let version: Int
        /// JSON object without its closing brace: see `PageDocument`.
        package let document: [UInt8]
        package let rating: RatingSummary
        /// Readers of ours who rated or reviewed it.
        package let readers: Int
        /// Readers of ours who recommend it.
        package let recommends: Int
        /// Readers of ours who have it on a shelf.
        package let shelves: ShelfCounts
        /// Times that it was checked out.
        package let checkouts: Int
    }

    /// The catalogue half of a book's page in the form in which it goes out: snake_case, explicit nulls.
    ///
    /// Stored encoded, because a page is read thousands of times for each time that it changes. The address in `cover`
    /// begins with a byte 0, which JSON text cannot hold, in the place of the server's own address. Members, in this
    /// order: `id`, `kind`, `form`, `title`, `subtitle`, `authors` [{`id`, `name`}], `contributors` [{`id`, `name`, `role`}], `cover` {`url`, `alt`},
    /// `description`, `year`, `language`, `series` [{`id`, `name`, `position`}], `genres` [{`slug`, `name`}],
    /// `subjects` [{`kind`, `name`}], `editions` [{`id`, `title`, `subtitle`, `publisher`, `published`, `year`,
    /// `pages`, `minutes`, `language`, `format`, `isbn13`, `isbns`, `contributors` [{`id`, `name`, `role`}],
    /// `access_modes`, `accessibility_features`, `accessibility_hazards`, `accessibility_summary`}].
    struct PageDocument {
        let id: ID<Work>
        let work: WorkRow
        let authors: [Contributor]
        let genres: [(slug: String, name: String)]
        let subjects: [(kind: String, name: String)]
        let series: [(id: ID<Series>, name: String, position: String?)]
        let editions: [EditionFacts]
        let contributors: [ID<Edition>: [Contributor]]
        let cover: Media.Cover?

        /// The year of first publication, else the earliest edition's.
        var year: Int? { work.year ?? editions.compactMap(\.year).min() }

        /// As somebody said, else as the genres tell.
        var form: String? {
            if let form = work.form { return form }
            let slugs = Set(genres.map(\.slug))
            if slugs.contains("poetry") { return "poetry" }
            return slugs.contains("nonfiction") ? "nonfiction" : slugs.contains("fiction") ? "fiction" : nil
        }

        /// The JSON without its closing brace.
        func encoded() -> [UInt8] {
            var json = JSONText()
            json.open("{")
            json.member("id", id.text)
            json.member("kind", work.kind)
            json.member("form", form)
            json.member("title", work.title)
            json.member("subtitle", work.subtitle)
            json.list("authors", authors) { author, json in
                json.member("id", author.id.text)
                json.member("name", author.name)
            }
            json.list("contributors", authors) { $0.put(into: &$1) }
            if let cover {
                json.key("cover")
                json.open("{")
                json.address("url", cover.path(width: Media.Cover.pageWidth))
                json.member("alt", cover.alt)
                json.close("}")
            } else {
                json.member("cover", String?.none)
            }
            json.member("description", work.description)
            json.member("year", year)
            json.member("language", work.language)
            json.list("series", series) { series, json in
                json.member("id", series.id.text)
                json.member("name", series.name)
                json.member("position", series.position)
            }
            json.list("genres", genres) { genre, json in
                json.member("slug", genre.slug)
                json.member("name", genre.name)
            }
            json.list("subjects", subjects) { subject, json in
                json.member("kind", subject.kind)
                json.member("name", subject.name)
            }
            json.list("editions", editions) { edition, json in encode(edition, into: &json) }
            return json.bytes
        }

        private func encode(_ edition: EditionFacts, into json: inout JSONText) {
            json.member("id", edition.id.text)
            json.member("title", edition.title)
            json.member("subtitle", edition.subtitle)
            json.member("publisher", edition.publisher)
            json.member("published", edition.published)
            json.member("year", edition.year)
            json.member("pages", edition.pages)
            json.member("minutes", edition.minutes)
            json.member("language", edition.language)
            json.member("format", edition.format)
            json.member("isbn13", edition.isbns.first?.text)
            json.list("isbns", edition.isbns.map(\.text))
            json.list("contributors", contributors[edition.id] ?? []) { $0.put(into: &$1) }
            json.list("access_modes", edition.modes)
            json.list("accessibility_features", edition.features)
            json.list("accessibility_hazards", edition.hazards)
            json.member("accessibility_summary", edition.summary)
        }
    }
}

/// Writes JSON text, nothing more: for documents that are stored as they go out.
struct JSONText {
    private(set) var bytes: [UInt8] = []
    private var needsComma = false

    mutating func open(_ bracket: Unicode.Scalar) {
        separate()
        bytes.append(UInt8(ascii: bracket))
        needsComma = false
    }

    mutating func close(_ bracket: Unicode.Scalar) {
        bytes.append(UInt8(ascii: bracket))
        needsComma = true
    }

    mutating func key(_ name: String) {
        separate()
        quote(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    mutating func member(_ name: String, _ value: String?) {
        key(name)
        if let value { quote(value) } else { bytes.append(contentsOf: "null".utf8) }
        needsComma = true
    }

    mutating func member(_ name: String, _ value: (some FixedWidthInteger)?) {
        key(name)
        bytes.append(contentsOf: (value.map { String($0) } ?? "null").utf8)
        needsComma = true
    }

    /// An address on this server: `path`, which needs no escaping, behind a byte 0.
    mutating func address(_ name: String, _ path: String) {
        key(name)
        bytes.append(contentsOf: "\"\0\(path)\"".utf8)
        needsComma = true
    }

    mutating func element(_ value: String) {
        separate()
        quote(value)
        needsComma = true
    }

    /// An array of texts.
    mutating func list(_ name: String, _ texts: [String]) {
        key(name)
        open("[")
        for text in texts { element(text) }
        close("]")
    }

    /// An array of objects.
    mutating func list<Element>(_ name: String, _ elements: [Element], _ members: (Element, inout JSONText) -> Void) {
        key(name)
        open("[")
        for element in elements {
            open("{")
            members(element, &self)
            close("}")
        }
        close("]")
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = false
    }

    private mutating func quote(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0x0A: bytes.append(contentsOf: "\\n".utf8)
            case 0x0D: bytes.append(contentsOf: "\\r".utf8)
            case 0x09: bytes.append(contentsOf: "\\t".utf8)
            case 0..<0x20: bytes.append(contentsOf: "\\u00".utf8 + Self.hexadecimal(byte))
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func hexadecimal(_ byte: UInt8) -> [UInt8] {
        let text = String(byte, radix: 16)
        return Array((text.utf8.count == 1 ? "0" + text : text).utf8)
    }
}
