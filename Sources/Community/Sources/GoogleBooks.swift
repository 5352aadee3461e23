extension Sources {
    /// Google Books, by the read half of its API (`/books/v1/volumes`).
    struct GoogleBooks: MetadataSource {
        let name = Name.google
        private let host: Host
        private let key: String?
        private let outgoing: Outgoing
        private let covers: CoverHost

        /// `key` is the owner's API key; without one Google answers some hundred questions a day.
        init(host: Host, key: String?, outgoing: Outgoing, covers: CoverHost) {
            self.host = host
            self.key = key
            self.outgoing = outgoing
            self.covers = covers
        }

        func books(for question: Question) async throws -> [Record] {
            let query =
                switch question {
                case .isbn(let isbn): "isbn:" + isbn.text
                case .title(let title, let author):
                    "intitle:" + Self.phrase(title) + (author.map { " inauthor:" + Self.phrase($0) } ?? "")
                }
            let asked = String(Limits.sources.asked)
            let target = Target(
                host, ["books", "v1", "volumes"],
                query: key.map { ["q": query, "maxResults": asked, "printType": "books", "key": $0] } ?? [
                    "q": query, "maxResults": asked, "printType": "books",
                ])
            let answer = try await outgoing.get(target)
            guard answer.status == 200 else { return [] }
            return Array(try Volume.list(answer.body).compactMap(\.record).prefix(Limits.sources.books))
        }

        func book(_ key: String) async throws -> Record? {
            guard let id = Self.id(of: key) else { return nil }
            let path = ["books", "v1", "volumes", id]
            let answer = try await outgoing.get(Target(host, path, query: self.key.map { ["key": $0] } ?? [:]))
            guard answer.status == 200 else { return nil }
            guard let record = try Volume.one(answer.body).record, record.key == key else {
                throw Trouble.unreadable("another volume than was asked for")
            }
            return record
        }

        /// A cover's name is the volume's identifier.
        func cover(_ name: String) async throws -> [UInt8]? {
            guard Self.isIdentifier(name) else { return nil }
            return try await covers.image(
                ["books", "content"], query: ["id": name, "printsec": "frontcover", "img": "1", "zoom": "1"])
        }

        /// In quotes, so that all of it belongs to the field.
        private static func phrase(_ text: String) -> String {
            "\"" + text.filter { $0 != "\"" && $0 != "\\" } + "\""
        }

        /// The volume's identifier in one of our keys: 1 to 40 of `A-Z a-z 0-9 _ -`.
        static func id(of key: String) -> String? {
            let prefix = Name.google.prefix + ":"
            guard key.hasPrefix(prefix) else { return nil }
            let id = key.dropFirst(prefix.count)
            return isIdentifier(id) ? String(id) : nil
        }

        static func isIdentifier(_ text: some StringProtocol) -> Bool {
            (1...40).contains(text.utf8.count)
                && text.utf8.allSatisfy { byte in
                    (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == 0x5F
                        || byte == 0x2D
                }
        }
    }
}

extension Sources.GoogleBooks {
    /// What of a volume the catalogue has a place for.
    struct Volume {
        var id: String?
        var title, subtitle, publisher, published, description, language, printType: String?
        var authors: [String] = []
        var categories: [String] = []
        var isbns: [ISBN] = []
        var pages: Int?
        var hasCover = false

        /// The volumes of an answer of `/volumes`. Throws `Trouble.unreadable`.
        static func list(_ body: [UInt8]) throws(Sources.Trouble) -> [Volume] {
            var volumes: [Volume] = []
            try Sources.read(body) { (member, scanner) throws(Catalog.Reject) in
                guard member == "items", try scanner.next() == .array else { return try scanner.skip() }
                try scanner.array { (scanner) throws(Catalog.Reject) in
                    guard try scanner.next() == .object else { return try scanner.skip() }
                    var volume = Volume()
                    try scanner.object { (key, scanner) throws(Catalog.Reject) in
                        try volume.take(String(decoding: key, as: UTF8.self), from: &scanner)
                    }
                    volumes.append(volume)
                }
            }
            return volumes
        }

        /// The volume of an answer of `/volumes/{id}`.
        static func one(_ body: [UInt8]) throws(Sources.Trouble) -> Volume {
            var volume = Volume()
            try Sources.read(body) { (member, scanner) throws(Catalog.Reject) in
                try volume.take(member, from: &scanner)
            }
            return volume
        }

        private mutating func take(_ member: String, from scanner: inout JSONScanner) throws(Catalog.Reject) {
            switch member {
            case "id": id = try scanner.string()
            case "volumeInfo":
                guard try scanner.next() == .object else { return try scanner.skip() }
                var info = self
                try scanner.object { (key, scanner) throws(Catalog.Reject) in
                    try info.takeInfo(String(decoding: key, as: UTF8.self), from: &scanner)
                }
                self = info
            default: try scanner.skip()
            }
        }

        private mutating func takeInfo(_ member: String, from scanner: inout JSONScanner) throws(Catalog.Reject) {
            switch member {
            case "title": title = try scanner.string()
            case "subtitle": subtitle = try scanner.string()
            case "publisher": publisher = try scanner.string()
            case "publishedDate": published = try scanner.string()
            case "description": description = try scanner.string()
            case "language": language = try scanner.string()
            case "printType": printType = try scanner.string()
            case "authors": authors = try Self.strings(&scanner)
            case "categories": categories = try Self.strings(&scanner)
            case "pageCount": pages = try scanner.integer()
            case "industryIdentifiers": isbns = try Self.identifiers(&scanner)
            case "imageLinks":
                hasCover = try scanner.next() == .object
                try scanner.skip()
            default: try scanner.skip()
            }
        }

        private static func strings(_ scanner: inout JSONScanner) throws(Catalog.Reject) -> [String] {
            guard try scanner.next() == .array else { return try scanner.string().map { [$0] } ?? [] }
            var all: [String] = []
            try scanner.array { (scanner) throws(Catalog.Reject) in
                if let text = try scanner.string(), all.count < Limits.sources.names { all.append(text) }
            }
            return all
        }

        /// `[{"type": "ISBN_13", "identifier": "…"}]`; other types and what is no ISBN are passed over.
        private static func identifiers(_ scanner: inout JSONScanner) throws(Catalog.Reject) -> [ISBN] {
            guard try scanner.next() == .array else {
                try scanner.skip()
                return []
            }
            var isbns: [ISBN] = []
            try scanner.array { (scanner) throws(Catalog.Reject) in
                guard try scanner.next() == .object else { return try scanner.skip() }
                var type: String?
                var identifier: String?
                try scanner.object { (key, scanner) throws(Catalog.Reject) in
                    switch String(decoding: key, as: UTF8.self) {
                    case "type": type = try scanner.string()
                    case "identifier": identifier = try scanner.string()
                    default: try scanner.skip()
                    }
                }
                guard type?.hasPrefix("ISBN") == true, let text = identifier, let isbn = try? ISBN(text),
                    !isbns.contains(isbn), isbns.count < Limits.catalog.isbns
                else { return }
                isbns.append(isbn)
            }
            return isbns
        }

        /// `nil` for what is no book or has no usable key or title.
        var record: Sources.Record? {
            guard let id, Sources.GoogleBooks.isIdentifier(id), printType == nil || printType == "BOOK",
                let title = title.flatMap({ $0.clipped(to: Limits.catalog.title.upperBound).text })
            else { return nil }
            var book = Catalog.NewBook(key: id, title: title, authors: authors)
            book.subtitle = subtitle
            book.description = description.map { Markup.removed(from: $0) }
            book.publisher = publisher
            book.published = published
            book.year = published.flatMap { OpenLibraryLine.year(in: $0) }.map(Int.init)
            book.language = language
            book.pages = pages
            book.isbns = isbns
            var headings: [String] = []
            for heading in categories.flatMap({ $0.split(separator: "/") }) {
                if let text = String(heading).clipped(to: Limits.catalog.subject).text, text != "General",
                    !headings.contains(text)
                {
                    headings.append(text)
                }
            }
            book.genres = headings
            book.subjects = headings
            guard let find = Catalog.Find(book, from: Sources.Name.google.prefix) else { return nil }
            return Sources.Record(
                source: .google, find: find, page: "https://books.google.com/books?id=" + id,
                cover: hasCover ? id : nil)
        }
    }
}

extension Sources {
    /// Walks over the members of a JSON object from a stranger: valid UTF-8, no deeper than 64. Throws
    /// `Trouble.unreadable`.
    static func read(
        _ body: [UInt8], _ member: (String, inout JSONScanner) throws(Catalog.Reject) -> Void
    ) throws(Trouble) {
        guard String(validating: body, as: UTF8.self) != nil else { throw .unreadable("not UTF-8") }
        do throws(Catalog.Reject) {
            var scanner = JSONScanner(body[...])
            guard try scanner.next() == .object else { throw Catalog.Reject("bad_json", "the JSON is no object") }
            try scanner.object { (key, scanner) throws(Catalog.Reject) in
                try member(String(decoding: key, as: UTF8.self), &scanner)
            }
            try scanner.end()
        } catch {
            throw .unreadable(error.detail)
        }
    }
}
