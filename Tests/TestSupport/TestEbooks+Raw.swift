extension TestEbooks {
    /// A chapter as its file has it.
    package struct Chapter: Sendable {
        /// What the table of contents calls it.
        package let title: String
        package let document: String

        /// `document` is the whole file, well-formed or not.
        package init(_ title: String, document: String) {
            (self.title, self.document) = (title, document)
        }

        /// `body` is what stands in the document's body.
        package init(_ title: String, body: String) {
            self.init(
                title,
                document: """
                    <?xml version="1.0" encoding="UTF-8"?>
                    <html xmlns="http://www.w3.org/1999/xhtml" xmlns:xlink="http://www.w3.org/1999/xlink">
                    <head><title>Chapter</title></head><body>\(body)</body></html>
                    """)
        }
    }

    /// An EPUB of these documents as they are, with a table of contents. Pages show `pictures` by their names.
    package static func raw(
        _ title: String, by creator: String = "Ada Writer", _ chapters: [Chapter],
        pictures: [(name: String, type: String, bytes: [UInt8])] = []
    ) throws -> [UInt8] {
        let items =
            chapters.indices.map {
                "<item id=\"c\($0)\" href=\"c\($0).xhtml\" media-type=\"application/xhtml+xml\"/>\n"
            }
            + pictures.enumerated().map {
                "<item id=\"p\($0)\" href=\"\($1.name)\" media-type=\"\($1.type)\"/>\n"
            }
        let package = """
            <package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">
            <metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">urn:test:raw</dc:identifier>
            <dc:title>\(escaped(title))</dc:title><dc:creator>\(escaped(creator))</dc:creator><dc:language>en</dc:language></metadata>
            <manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
            \(items.joined())</manifest>
            <spine>\(chapters.indices.map { "<itemref idref=\"c\($0)\"/>" }.joined())</spine></package>
            """
        let entries = chapters.enumerated().map { "<li><a href=\"c\($0).xhtml\">\(escaped($1.title))</a></li>\n" }
        let contents = """
            <html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>T</title></head>
            <body><nav epub:type="toc"><ol>\(entries.joined())</ol></nav></body></html>
            """
        let container = """
            <container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
            <rootfile full-path="package.opf" media-type="application/oebps-package+xml"/></rootfiles></container>
            """
        var members: [(name: String, bytes: [UInt8])] = [
            ("mimetype", Array("application/epub+zip".utf8)), ("META-INF/container.xml", Array(container.utf8)),
            ("package.opf", Array(package.utf8)), ("nav.xhtml", Array(contents.utf8)),
        ]
        members += chapters.enumerated().map { ("c\($0).xhtml", Array($1.document.utf8)) }
        members += pictures.map { ($0.name, $0.bytes) }
        return try archive(members)
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
    }
}
