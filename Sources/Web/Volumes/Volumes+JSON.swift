import Community

extension Volumes {
    /// Writes volumes as Google Books does.
    struct Writer: Sendable {
        /// Where this server is reached, without a slash at the end.
        let base: String
        let isLite: Bool

        func list(_ found: Finder.Found) -> JSONValue {
            .object([
                "kind": .string("books#volumes"), "totalItems": .number(String(found.total)),
                "items": .array(found.volumes.map(volume)),
            ])
        }

        func volume(_ volume: Catalog.Volume) -> JSONValue {
            let id = volume.work.text
            return .object([
                "kind": .string("books#volume"), "id": .string(id), "etag": .string("\(id)-\(volume.version)"),
                "selfLink": .string("\(base)/books/v1/volumes/\(id)"), "volumeInfo": info(volume),
                "saleInfo": .object([
                    "country": .string(""), "saleability": .string("NOT_FOR_SALE"), "isEbook": .boolean(false),
                ]),
                "accessInfo": .object([
                    "country": .string(""), "viewability": .string("NO_PAGES"), "embeddable": .boolean(false),
                    "publicDomain": .boolean(false), "textToSpeechPermission": .string("ALLOWED"),
                    "epub": .object(["isAvailable": .boolean(false)]), "pdf": .object(["isAvailable": .boolean(false)]),
                    "webReaderLink": .string(page(volume)), "accessViewStatus": .string("NONE"),
                    "quoteSharingAllowed": .boolean(false),
                ]),
                "searchInfo": .object(["textSnippet": .string(snippet(volume.description ?? ""))]),
            ])
        }

        private func info(_ volume: Catalog.Volume) -> JSONValue {
            let edition = volume.edition
            let pages = JSONValue.number(String(edition?.pages ?? 0))
            return .object([
                "title": .string(volume.title), "subtitle": .string(volume.subtitle ?? ""),
                "authors": .array(volume.authors.map(JSONValue.string)), "publisher": .string(edition?.publisher ?? ""),
                "publishedDate": .string(published(volume)),
                "description": .string(isLite ? "" : volume.description ?? ""),
                "industryIdentifiers": .array(identifiers(volume)),
                "readingModes": .object(["text": .boolean(false), "image": .boolean(false)]), "pageCount": pages,
                "printedPageCount": pages, "printType": .string("BOOK"),
                "mainCategory": .string(volume.genres.first ?? ""),
                "categories": .array(isLite ? [] : volume.genres.map(JSONValue.string)),
                "averageRating": .number("\(volume.rating.average ?? 0)"),
                "ratingsCount": .number(String(volume.rating.count)), "maturityRating": .string("NOT_MATURE"),
                "allowAnonLogging": .boolean(false), "contentVersion": .string("\(volume.version).0.0"),
                "panelizationSummary": .object([
                    "containsEpubBubbles": .boolean(false), "containsImageBubbles": .boolean(false),
                ]),
                "imageLinks": covers(volume), "language": .string(language(volume)),
                "previewLink": .string(page(volume)), "infoLink": .string(page(volume)),
                "canonicalVolumeLink": .string(page(volume)),
            ])
        }

        private func page(_ volume: Catalog.Volume) -> String { "\(base)/api/v1/books/\(volume.work)" }

        /// Both forms of the edition's first ISBN; without one, our own number, so that the first identifier is always
        /// there.
        private func identifiers(_ volume: Catalog.Volume) -> [JSONValue] {
            func identifier(_ type: String, _ text: String) -> JSONValue {
                .object(["type": .string(type), "identifier": .string(text)])
            }
            guard let isbn = volume.edition?.isbns.first else {
                return [identifier("OTHER", "commonplace:\(volume.work)")]
            }
            return [identifier("ISBN_13", isbn.text)] + (isbn.ten.map { [identifier("ISBN_10", $0)] } ?? [])
        }

        /// `1990-09-01`, `1990-09` or `1990`, as Google writes dates; empty where no year is known.
        private func published(_ volume: Catalog.Volume) -> String {
            if let text = volume.edition?.published, text.wholeMatch(of: /[0-9]{4}(-[0-9]{2}){0,2}/) != nil {
                return text
            }
            guard let year = volume.edition?.year ?? volume.year, year > 0 else { return "" }
            let digits = String(year)
            return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        }

        /// The first part of the tag; `und` where nobody said.
        private func language(_ volume: Catalog.Volume) -> String {
            let tag = volume.edition?.language ?? volume.language
            return tag.flatMap { $0.split(separator: "-").first.map(String.init) } ?? "und"
        }

        /// The first words of a text, at most `Limits.volumes.snippet` characters.
        private func snippet(_ text: String) -> String {
            let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            guard line.count > Limits.volumes.snippet else { return line }
            let head = line.prefix(Limits.volumes.snippet - 1)
            return (head.lastIndex(of: " ").map { String(head[..<$0]) } ?? String(head)) + "…"
        }

        /// Of the edition that stands for the book; a book without editions has a cover of its own.
        private func covers(_ volume: Catalog.Volume) -> JSONValue {
            let cover = volume.edition.map { "\(base)/covers/\($0.id)" } ?? "\(base)/covers/books/\(volume.work)"
            let links = Volumes.covers.map { name, width in (name, JSONValue.string("\(cover)/\(width)")) }
            return .object(Dictionary(links) { first, _ in first })
        }
    }
}
