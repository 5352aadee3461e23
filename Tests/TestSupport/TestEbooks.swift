import EPUB
import Foundation
import ZIP

/// E-books that tests make.
package enum TestEbooks {
    /// An EPUB of some chapters, each of so many paragraphs of some 470 characters that name chapter and place: `c2p5`.
    package static func numbered(
        _ title: String = "The long way", chapters: Int = 3, paragraphs: Int = 12
    ) throws -> [UInt8] {
        try epub(
            title,
            (1...chapters).map { chapter in
                (
                    "Chapter \(chapter)",
                    (1...paragraphs).map { paragraph in
                        "c\(chapter)p\(paragraph) "
                            + String(repeating: "walked on through the quiet woods and ", count: 12) + "rested."
                    }
                )
            })
    }

    /// An EPUB of these chapters, each a title and paragraphs.
    package static func epub(
        _ title: String, by creator: String = "Ada Writer", identifier: String? = nil,
        _ chapters: [(title: String, paragraphs: [String])]
    ) throws -> [UInt8] {
        let draft = EPUB.Draft(
            title: title, creator: creator, identifier: identifier ?? "urn:test:\(title)",
            chapters: chapters.map { .init($0.title, $0.paragraphs) })
        let path = NSTemporaryDirectory() + "draft-\(UUID().uuidString).epub"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try draft.write(to: path)
        return [UInt8](try Data(contentsOf: URL(filePath: path)))
    }

    /// A ZIP archive of some members.
    package static func archive(_ members: [(name: String, text: String)]) throws -> [UInt8] {
        try archive(members.map { ($0.name, Array($0.text.utf8)) })
    }

    /// The same of members of any bytes.
    package static func archive(_ members: [(name: String, bytes: [UInt8])]) throws -> [UInt8] {
        let path = NSTemporaryDirectory() + "archive-\(UUID().uuidString).zip"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let archive = try ZIP.Writer(path)
        for member in members { try archive.add(member.name, member.bytes) }
        try archive.finish()
        return [UInt8](try Data(contentsOf: URL(filePath: path)))
    }

    /// An EPUB of one page with these pictures, each its file and bytes, in their order.
    package static func illustrated(
        _ pictures: [(name: String, type: String, bytes: [UInt8])], body: String = ""
    ) throws -> [UInt8] {
        let items = pictures.enumerated().map {
            "<item id=\"p\($0)\" href=\"\($1.name)\" media-type=\"\($1.type)\"/>"
        }
        let shown = pictures.map { "<p><img src=\"\($0.name)\" alt=\"\($0.name)\"/></p>" }
        let package = """
            <package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">
            <metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">x</dc:identifier>
            <dc:title>Pictures</dc:title><dc:language>en</dc:language></metadata>
            <manifest><item id="c" href="c.xhtml" media-type="application/xhtml+xml"/>\(items.joined())</manifest>
            <spine><itemref idref="c"/></spine></package>
            """
        let page = """
            <html xmlns="http://www.w3.org/1999/xhtml"><head><title>P</title></head><body>\(shown.joined())\(body)</body></html>
            """
        let container = """
            <container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
            <rootfile full-path="package.opf" media-type="application/oebps-package+xml"/></rootfiles></container>
            """
        let texts = [
            ("mimetype", "application/epub+zip"), ("META-INF/container.xml", container), ("package.opf", package),
            ("c.xhtml", page),
        ]
        return try archive(texts.map { ($0.0, Array($0.1.utf8)) } + pictures.map { ($0.name, $0.bytes) })
    }
}
