import Testing

@testable import EPUB

@Suite struct XMLTests {
    private static func prepared(_ source: String) throws -> String {
        String(decoding: try EPUB.XML.prepare(Array(source.utf8), attributes: 256), as: UTF8.self)
    }

    @Test(arguments: [
        ("<?xml version=\"1.0\"?><p>a</p>", "<p>a</p>"), ("<p>a<!-- <b> -- c -->d</p>", "<p>ad</p>"),
        ("<p>a<?php x ?>b</p>", "<p>ab</p>"),
        ("<!DOCTYPE html [<!ENTITY a '<b>'><!-- ]> --><!ELEMENT p ANY>]><p/>", "<p/>"), ("<!DOCTYPE html><p/>", "<p/>"),
        ("<p><![CDATA[a < b & c > d]]></p>", "<p>a &lt; b &amp; c &gt; d</p>"), ("a ]]> b", "a ]]&gt; b"),
        ("<p>a<script>if (a < b) { \"</p>\" }</script>b</p>", "<p>ab</p>"), ("<SCRIPT src='>'>x</SCRIPT>y", "y"),
        ("<script/>y", "y"),
        ("<script src=\"a\" />y", "y"), ("a</script>b", "ab"), ("a<style>p { }</style >b", "ab"),
        ("<scripture>a</scripture>", "<scripture>a</scripture>"),
        ("<styled-text>a</styled-text>", "<styled-text>a</styled-text>"), ("a<script>b", "a"), ("a<!-- b", "a"),
        ("a<![CDATA[b", "ab"), ("a<? b", "a"),
        ("&nbsp;&eacute;&hellip;&thetasym;", "\u{A0}é…ϑ"), ("&amp;&lt;&gt;&quot;&apos;", "&amp;&lt;&gt;&quot;&#39;"),
        (
            "AT&T & &lol9; &unknown; &; &#; &#x; &#xZZ;",
            "AT&amp;T &amp; &amp;lol9; &amp;unknown; &amp;; &amp;#; &amp;#x; &amp;#xZZ;"
        ),
        ("&#65;&#x42;&#x1F600;&#0;&#xD800;&#xFFFF;&#x110000;&#11;", "AB😀"), ("&#60;b&#62;", "&lt;b&gt;"),
        ("&#151;&#x80;", "—€"),
        ("a < b <3 <", "a &lt; b &lt;3 &lt;"), ("a\u{0}\u{8}\u{FFFE}\u{FFFF}b\tc", "ab\tc"),
        ("<a title='&nbsp;<!-- x -->'>b</a>", "<a title='\u{A0}<!-- x -->'>b</a>"),
    ])
    func `what libxml2 is to see`(source: String, prepared: String) throws {
        #expect(try Self.prepared(source) == prepared)
    }

    @Test func `the table has the 253 entities of XHTML, each one scalar`() throws {
        #expect(EPUB.XML.entities.count == 253)
        #expect(EPUB.XML.entities.values.allSatisfy { $0 != 0xFFFD && Unicode.Scalar($0) != nil })
    }

    @Test func `preparing takes time in proportion, whatever is not ended`() throws {
        for piece in [
            "<!--", "<![CDATA[", "<?", "<!DOCTYPE [", "<script ", "<style>", "&", "&a", "<a b='", "<", "]]",
            "<script>\"", "&#1",
        ] {
            func time(_ count: Int) throws -> Duration {
                let source = Array(String(repeating: piece, count: count / piece.utf8.count).utf8)
                return ContinuousClock().measure { _ = try? EPUB.XML.prepare(source, attributes: 256) }
            }
            let (short, long) = (try time(100_000), try time(800_000))
            #expect(long < short * 32 + .milliseconds(200), "\(piece): \(short), then \(long)")
        }
    }

    @Test func `a tag with endless attributes is refused`() {
        let many = (0..<2_000).map { " a\($0)='x'" }.joined()
        let bare = (0..<2_000).map { " a\($0)" }.joined()

        for attributes in [many, bare] {
            #expect(throws: EPUB.Refusal.documentTooComplex) { try Self.prepared("<p\(attributes)>x</p>") }
        }
        #expect(throws: Never.self) { try Self.prepared("<p>\(many)</p>") }
        #expect(throws: Never.self) { try Self.prepared("<p title='\(bare)'>x</p>") }
    }

    @Test(
        arguments: [
            (Array("é".utf8), "é", false), ([0xEF, 0xBB, 0xBF, 0x61], "a", false),
            ([0xFF, 0xFE, 0x61, 0, 0x3D, 0xD8, 0, 0xDE], "a😀", false),
            ([0xFE, 0xFF, 0, 0x61, 0xD8, 0x3D, 0xDE, 0], "a😀", false), ([0x3C, 0, 0x61, 0], "<a", false),
            ([0, 0x3C, 0, 0x61], "<a", false),
            ([0xFE, 0xFF, 0, 0x61, 0xD8], "a", true), ([0xFE, 0xFF, 0xD8, 0, 0, 0x61], "\u{FFFD}a", true),
            ([0x61, 0xE9, 0x62], "a\u{FFFD}b", true),
            (Array("<?xml encoding='ISO-8859-1'?>".utf8) + [0xE9, 0x93], "<?xml encoding='ISO-8859-1'?>é“", false),
            (Array("<meta charset=\"windows-1252\">".utf8) + [0x80], "<meta charset=\"windows-1252\">€", false),
            (Array("<?xml encoding=\"x-unknown\"?>é".utf8), "<?xml encoding=\"x-unknown\"?>é", false),
        ] as [([UInt8], String, Bool)])
    func `a document's encoding is found`(bytes: [UInt8], text: String, hadBadBytes: Bool) throws {
        let decoded = try EPUB.XML.decode(bytes)

        #expect(String(decoding: decoded.bytes, as: UTF8.self) == text)
        #expect(decoded.hadBadBytes == hadBadBytes)
    }

    @Test func `an encoding that cannot be read is refused`() {
        let bytes = Array("<?xml version='1.0' encoding='Shift_JIS'?><p>".utf8) + [0x83, 0x65]

        #expect(throws: EPUB.Refusal.encoding) { try EPUB.XML.decode(bytes) }
    }

    @Test func `a billion laughs stay unlaughed`() throws {
        var entities = "<!ENTITY lol '" + String(repeating: "ha", count: 10) + "'>"
        for number in 1...9 {
            entities +=
                "<!ENTITY lol\(number) '"
                + String(repeating: "&lol\(number - 1 == 0 ? "" : "\(number - 1)");", count: 10) + "'>"
        }
        let document = "<?xml version='1.0'?><!DOCTYPE html [\(entities)]><html><body><p>&lol9;</p></body></html>"
        let book = try TestBook(chapters: [document]).read()

        #expect(book.pages.map(\.text) == ["&lol9;"])
    }

    @Test func `entities outside of the document are not fetched`() throws {
        let document = """
            <?xml version='1.0'?><!DOCTYPE html SYSTEM "http://127.0.0.1:9/x.dtd" [<!ENTITY x SYSTEM "file:///etc/passwd">
            <!ENTITY % y SYSTEM "http://127.0.0.1:9/y"> %y;]><html xmlns:xi="http://www.w3.org/2001/XInclude"><body><p>a&x;b</p>
            <xi:include href="file:///etc/passwd" parse="text"/></body></html>
            """

        #expect(try TestBook(chapters: [document]).read().pages.map(\.text) == ["a&x;b"])
    }

    @Test func `more nodes, depth or namespaces than the limits are refused`() {
        let deep = String(repeating: "<i>", count: 250) + "x" + String(repeating: "</i>", count: 250)
        let wide = String(repeating: "<i>x</i>", count: 10)
        let named =
            (0..<20).map { "<i xmlns:a\($0)='b' xmlns:c\($0)='d'>" }.joined() + "x"
            + String(repeating: "</i>", count: 20)
        var limits = EPUB.Limits()
        (limits.nodes, limits.attributes) = (12, 30)

        #expect(throws: EPUB.Refusal.documentTooComplex) { try TestBook(chapters: [deep]).read() }
        #expect(throws: EPUB.Refusal.documentTooComplex) { try TestBook(chapters: [deep + "</b>"]).read() }
        #expect(throws: EPUB.Refusal.documentTooComplex) { try TestBook(chapters: [wide]).read(limits) }
        #expect(throws: EPUB.Refusal.documentTooComplex) { try TestBook(chapters: [named]).read(limits) }
        #expect(throws: Never.self) { try TestBook(chapters: [wide, named]).read() }
    }

    @Test func `a document that is too large is refused, earlier if it is broken`() {
        var limits = EPUB.Limits()
        (limits.document, limits.repairedDocument) = (2_000, 1_000)
        let words = String(repeating: "word ", count: 300)

        #expect(throws: Never.self) { try TestBook(chapters: [words]).read(limits) }
        #expect(throws: EPUB.Refusal.documentTooLarge) { try TestBook(chapters: [words + "<b>"]).read(limits) }
        #expect(throws: EPUB.Refusal.documentTooLarge) { try TestBook(chapters: [words + words]).read(limits) }
        limits.html = 1_000
        let table = "<table>" + String(repeating: "x<tr/>", count: 200) + "</table>"
        #expect(throws: EPUB.Refusal.documentTooLarge) { try TestBook(chapters: [table]).read(limits) }
        #expect(throws: EPUB.Refusal.documentTooLarge) { try TestBook(chapters: [words]).read(limits) }
    }

    @Test func `what is not well-formed is repaired and remarked`() throws {
        let book = try TestBook(chapters: ["<p>one<p>two <b>three</p><p title=x>f&eacute;ur"]).read()

        #expect(book.remarks == [.init(code: .repaired, subject: "E/c0.xhtml")])
        #expect(book.pages.map(\.html) == ["<p>one</p>\n<p>two <b>three</b></p>\n<p>féur</p>"])
    }

    @Test func `paragraphs that are not ended lie beside each other, however many they are`() throws {
        let book = try TestBook(chapters: [String(repeating: "<p>x", count: 1_000)]).read()

        #expect(
            book.pages.map(\.text).joined(separator: "\n")
                == Array(repeating: "x", count: 1_000).joined(separator: "\n"))
    }

    @Test func `a document in UTF-16 and one in Windows-1252 are read`() throws {
        let utf16 = TestBook.document("<p>Größe 漢字</p>").utf16.reduce(into: [0xFF, 0xFE] as [UInt8]) {
            $0 += [UInt8($1 & 0xFF), UInt8($1 >> 8)]
        }
        var archive = TestBook().archive
        archive.entries[3].content = utf16
        #expect(try WholeBook(archive.bytes).pages.map(\.text) == ["Größe 漢字"])
        archive.entries[3].content =
            Array("<?xml version='1.0' encoding='windows-1252'?><html><body><p>Gr".utf8) + [0xF6, 0xDF]
            + Array("e</p></body></html>".utf8)
        #expect(try WholeBook(archive.bytes).pages.map(\.text) == ["Größe"])
    }
}
