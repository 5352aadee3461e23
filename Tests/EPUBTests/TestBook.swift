import EPUB
import Foundation

/// An EPUB that a test makes: what it does not name is as in a sound book of one chapter.
struct TestBook {
    var metadata = "<dc:title>A Book</dc:title><dc:language>en</dc:language>"
    var packageAttributes = #"version="3.0""#
    var spineAttributes = ""
    /// Bodies of the chapters: `c0.xhtml`, `c1.xhtml`, ….
    var chapters = ["<p>One.</p>"]
    /// Items of the manifest beside chapters and `nav.xhtml`, with the files' contents.
    var items: [(attributes: String, name: String, content: String)] = []
    /// Instead of `itemref` elements for the chapters.
    var spine: String?
    var navigation: String? = #"<nav epub:type="toc"><ol><li><a href="c0.xhtml">One</a></li></ol></nav>"#
    /// Files that the manifest does not have.
    var others: [TestArchive.Entry] = []
    var isDeflated = false

    /// A chapter as a whole document, where it is not one already.
    static func document(_ body: String) -> String {
        body.hasPrefix("<?xml") || body.hasPrefix("<svg")
            ? body
            : #"<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>T</title></head><body>\#(body)</body></html>"#
    }

    var archive: TestArchive {
        let documents = chapters.indices.map {
            #"<item id="c\#($0)" href="c\#($0).xhtml" media-type="application/xhtml+xml"/>"#
        }
        let named = items.map { #"<item href="\#($0.name)" \#($0.attributes)/>"# }
        let nav =
            navigation == nil
            ? "" : #"<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>"#
        let order = spine ?? chapters.indices.map { #"<itemref idref="c\#($0)"/>"# }.joined()
        let package = """
            <package xmlns="http://www.idpf.org/2007/opf" \(packageAttributes)>
            <metadata xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:opf="http://www.idpf.org/2007/opf">\(metadata)</metadata>
            <manifest>\((documents + named).joined())\(nav)</manifest><spine \(spineAttributes)>\(order)</spine></package>
            """
        let container = """
            <container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
            <rootfile full-path="E/p.opf" media-type="application/oebps-package+xml"/></rootfiles></container>
            """
        var entries = [
            TestArchive.Entry("mimetype", "application/epub+zip"), .init("META-INF/container.xml", container),
            .init("E/p.opf", package),
        ]
        entries += chapters.enumerated().map {
            .init("E/c\($0.offset).xhtml", Self.document($0.element), isDeflated: isDeflated)
        }
        entries += items.map { .init("E/\($0.name)", $0.content) }
        if let navigation { entries.append(.init("E/nav.xhtml", Self.document(navigation))) }
        return TestArchive(entries + others)
    }

    /// Read whole.
    func read(_ limits: EPUB.Limits = .init()) throws(EPUB.Refusal) -> WholeBook {
        try WholeBook(archive.bytes, limits: limits)
    }

    /// The HTML of one chapter that is `body`, pages joined.
    static func html(_ body: String) throws(EPUB.Refusal) -> String {
        try TestBook(chapters: [body]).read().pages.map(\.html).joined(separator: "\n")
    }

    /// A picture of one pixel, as an item of the manifest.
    static func picture(_ name: String, _ attributes: String = "") -> (
        attributes: String, name: String, content: String
    ) {
        (#"id="i-\#(name)" media-type="image/png" \#(attributes)"#, name, "PNG")
    }
}

/// A book with all of its chapters, and with everything checked that holds of every page.
struct WholeBook: Equatable {
    let facts: EPUB.Facts
    let chapters: [EPUB.Chapter]
    let remarks: [EPUB.Remark]

    var pages: [EPUB.Page] { chapters.flatMap(\.pages) }

    init(_ bytes: [UInt8], limits: EPUB.Limits = .init()) throws(EPUB.Refusal) {
        let file = TestFile(bytes)
        try self.init(EPUB.read(descriptor: file.descriptor, limits: limits))
    }

    init(text: [UInt8]) throws(EPUB.Refusal) {
        let file = TestFile(text)
        try self.init(EPUB.readText(descriptor: file.descriptor))
    }

    init(path: String) throws(EPUB.Refusal) { try self.init(EPUB.read(path: path)) }

    init(_ reading: EPUB.Reading) throws(EPUB.Refusal) {
        var chapters: [EPUB.Chapter] = []
        while let chapter = try reading.nextChapter() { chapters.append(chapter) }
        (facts, self.chapters, remarks) = (reading.facts, chapters, reading.remarks)
    }
}

/// A file without a name that goes with its owner.
final class TestFile {
    let descriptor: Int32
    private let stream: UnsafeMutablePointer<FILE>

    init(_ bytes: [UInt8] = []) {
        guard let stream = tmpfile() else { fatalError("no temporary file") }
        self.stream = stream
        descriptor = fileno(stream)
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress.map { $0 + done }, bytes.count - done, done)
            }
            guard count > 0 else { fatalError("no room for a temporary file") }
            done += count
        }
    }

    var content: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(lseek(descriptor, 0, SEEK_END)))
        let count = bytes.count
        let got = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, count, 0) }
        return Array(bytes.prefix(max(0, got)))
    }

    deinit { fclose(stream) }
}
