extension EPUB.Package {
    /// What the metadata of a package document says.
    struct Metadata {
        private let metadata: EPUB.XML.Element?
        private let language: String?
        private let title: String?
        /// What `meta refines="#id" property="…"` says of another element, by id and property.
        private var refinements: [String: [String: String]] = [:]

        private static let rightToLeft: Set<String> = [
            "ar", "arc", "ckb", "dv", "fa", "he", "iw", "ku", "nqo", "ps", "sd", "syr", "ug", "ur", "yi",
        ]
        private static let vertical: Set<String> = ["ja", "zh", "ko"]

        init(_ package: EPUB.XML.Element, remarks: inout EPUB.Remarks) {
            metadata = package.child("metadata")
            // EPUB 2 of old keeps them one level deeper, in `dc-metadata`.
            let languages = metadata?.all("language").map(\.text.unspaced) ?? []
            language = languages.first(where: EPUB.isLanguage)
            for meta in metadata?.children("meta") ?? [] {
                guard let id = meta["refines"]?.dropFirst(), let property = meta["property"] else { continue }
                refinements[String(id), default: [:]][property] = meta.text.unspaced
            }
            let titles = metadata?.all("title") ?? []
            let types = refinements
            let main = titles.first { $0["id"].flatMap { types[$0]?["title-type"] } == "main" } ?? titles.first
            let text = main?.text.spaced(atMost: EPUB.Limits.fact) ?? ""
            title = text.isEmpty ? nil : text
            if title == nil { remarks.add(.noTitle) }
            if language == nil { remarks.add(.noLanguage) }
        }

        var isFixedLayout: Bool {
            metadata?.children("meta").contains {
                ($0["property"] == "rendition:layout" && $0.text.unspaced == "pre-paginated")
                    || ($0["name"] == "fixed-layout" && $0["content"] == "true")
            } ?? false
        }

        func fill(_ facts: inout EPUB.Facts) {
            facts.title = title
            facts.language = language
            facts.subtitle = texts("title") { self.refined($0, "title-type") == "subtitle" }.first
            facts.creators = Array(texts("creator").prefix(100))
            facts.publisher = texts("publisher").first
            facts.date = texts("date").first
            facts.description = texts("description").first
            facts.rights = texts("rights").first
            facts.identifiers = Array(texts("identifier").prefix(100))
            for element in metadata?.all("identifier") ?? [] {
                let isNamed = element["scheme"]?.lowercased() == "isbn" || element.text.lowercased().contains("isbn")
                guard let isbn = Self.isbn(element.text, isNamed: isNamed), !facts.isbns.contains(isbn) else {
                    continue
                }
                if facts.isbns.count < 20 { facts.isbns.append(isbn) }
            }
        }

        /// Where pages turn and where lines begin. Text in Chinese, Japanese and Korean runs from the left whichever way
        /// its pages turn; another book whose pages turn to the right is taken for one that is written so.
        func directions(_ stated: EPUB.Facts.Direction?) -> (page: EPUB.Facts.Direction, text: EPUB.Facts.Direction) {
            let primary = language?.split(separator: "-").first?.lowercased() ?? ""
            let own: EPUB.Facts.Direction = Self.rightToLeft.contains(primary) ? .rightToLeft : .leftToRight
            return (stated ?? own, Self.vertical.contains(primary) ? .leftToRight : stated ?? own)
        }

        private func refined(_ element: EPUB.XML.Element, _ property: String) -> String? {
            element["id"].flatMap { refinements[$0]?[property] }
        }

        private func texts(_ name: String, where condition: (EPUB.XML.Element) -> Bool = { _ in true }) -> [String] {
            (metadata?.all(name) ?? []).filter(condition).map { $0.text.spaced(atMost: EPUB.Limits.fact) }
                .filter { !$0.isEmpty }
        }

        /// The 13 digits of an ISBN with a right check digit. One of 10 counts only where the text says what it is.
        private static func isbn(_ text: String, isNamed: Bool) -> String? {
            let tail = text.lowercased().replacing("isbn-13", with: "").replacing("isbn-10", with: "")
            let signs = tail.utf8.filter { (48...57).contains($0) || $0 == UInt8(ascii: "x") }.map {
                $0 == 120 ? 10 : Int($0) - 48
            }
            func checked(_ digits: ArraySlice<Int>) -> Int {
                (10 - digits.enumerated().reduce(0) { $0 + $1.element * ($1.offset % 2 == 0 ? 1 : 3) } % 10) % 10
            }
            if signs.count == 13, signs.starts(with: [9, 7]), signs[2] >= 8, !signs.contains(10) {
                return checked(signs.prefix(12)) == signs[12] ? signs.map(String.init).joined() : nil
            }
            guard isNamed, signs.count == 10, !signs.prefix(9).contains(10),
                signs.enumerated().reduce(0, { $0 + $1.element * (10 - $1.offset) }) % 11 == 0
            else { return nil }
            let digits = [9, 7, 8] + signs.prefix(9)
            return (digits + [checked(digits[...])]).map(String.init).joined()
        }
    }
}

extension EPUB {
    /// Whether `tag` looks like a language of BCP 47: `en`, `zh-Hant-TW`.
    static func isLanguage(_ tag: String) -> Bool {
        (2...35).contains(tag.utf8.count)
            && tag.split(separator: "-", omittingEmptySubsequences: false).enumerated().allSatisfy { index, part in
                (index == 0 ? 2...8 : 1...8).contains(part.utf8.count)
                    && part.utf8.allSatisfy { (97...122).contains($0 | 0x20) || (index > 0 && (48...57).contains($0)) }
            }
    }
}
