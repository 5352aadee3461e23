import ZIP

extension EPUB {
    /// A book of plain text to be made into an EPUB 3.
    package struct Draft: Sendable {
        package struct Chapter: Sendable {
            package var title: String
            /// Plain text.
            package var paragraphs: [String]

            package init(_ title: String, _ paragraphs: [String]) {
                (self.title, self.paragraphs) = (title, paragraphs)
            }
        }

        package var title: String
        package var creator: String
        /// BCP 47.
        package var language: String
        /// Names the book for good, such as `urn:isbn:…`.
        package var identifier: String
        package var chapters: [Chapter]

        package init(
            title: String, creator: String, language: String = "en", identifier: String, chapters: [Chapter]
        ) {
            (self.title, self.creator, self.language) = (title, creator, language)
            (self.identifier, self.chapters) = (identifier, chapters)
        }

        /// Writes it to `path`. The same draft makes the same bytes.
        package func write(to path: String) throws(ZIP.Failed) {
            let archive = try ZIP.Writer(path)
            try archive.add("mimetype", Array("application/epub+zip".utf8), isStored: true)
            try archive.add("META-INF/container.xml", text: Self.container)
            try archive.add("book/package.opf", text: package)
            try archive.add("book/contents.xhtml", text: contents)
            for (index, chapter) in chapters.enumerated() {
                let paragraphs = chapter.paragraphs.map { "<p>\(Block.escaped($0))</p>\n" }.joined()
                let body = "<h1>\(Block.escaped(chapter.title))</h1>\n\(paragraphs)"
                try archive.add("book/\(Self.name(index)).xhtml", text: document(chapter.title, body))
            }
            try archive.finish()
        }

        private static func name(_ index: Int) -> String { "chapter-\(index + 1)" }

        private static let container = """
            <?xml version="1.0" encoding="UTF-8"?>
            <container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
              <rootfiles><rootfile full-path="book/package.opf" media-type="application/oebps-package+xml"/></rootfiles>
            </container>
            """

        private var package: String {
            let items = chapters.indices.map {
                "<item id=\"\(Self.name($0))\" href=\"\(Self.name($0)).xhtml\" media-type=\"application/xhtml+xml\"/>\n"
            }
            let spine = chapters.indices.map { "<itemref idref=\"\(Self.name($0))\"/>\n" }
            return """
                <?xml version="1.0" encoding="UTF-8"?>
                <package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">
                <metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
                <dc:identifier id="id">\(Block.escaped(identifier))</dc:identifier>
                <dc:title>\(Block.escaped(title))</dc:title>
                <dc:creator>\(Block.escaped(creator))</dc:creator>
                <dc:language>\(Block.escaped(language))</dc:language>
                <meta property="dcterms:modified">1980-01-01T00:00:00Z</meta>
                </metadata>
                <manifest>
                <item id="contents" href="contents.xhtml" media-type="application/xhtml+xml" properties="nav"/>
                \(items.joined())</manifest>
                <spine>
                \(spine.joined())</spine>
                </package>
                """
        }

        private var contents: String {
            let entries = chapters.enumerated().map {
                "<li><a href=\"\(Self.name($0)).xhtml\">\(Block.escaped($1.title))</a></li>\n"
            }
            return document(title, "<nav epub:type=\"toc\"><ol>\n\(entries.joined())</ol></nav>\n")
        }

        private func document(_ title: String, _ body: String) -> String {
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" xml:lang="\(Block.escaped(language))">
            <head><title>\(Block.escaped(title))</title></head>
            <body>
            \(body)</body>
            </html>
            """
        }
    }
}
