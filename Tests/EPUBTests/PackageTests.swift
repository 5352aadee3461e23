import Testing

@testable import EPUB

@Suite struct PackageTests {
    @Test func `what the metadata says is found`() throws {
        let metadata = """
            <dc:title id="t2">Sub</dc:title><dc:title id="t1"> The
            Title </dc:title><meta refines="#t1" property="title-type">main</meta><meta refines="#t2" property="title-type">subtitle</meta>
            <dc:creator>A</dc:creator><dc:creator> </dc:creator><dc:creator>B</dc:creator><dc:language>x!</dc:language><dc:language>pt-BR</dc:language>
            <dc:identifier>urn:isbn:9780306406157</dc:identifier><dc:identifier opf:scheme="ISBN">0-306-40615-2</dc:identifier>
            <dc:identifier>978-0-306-40615-8</dc:identifier><dc:identifier>urn:uuid:1</dc:identifier>
            <dc:publisher>P</dc:publisher><dc:date>1999</dc:date><dc:rights>R</dc:rights><dc:description>D</dc:description>
            """
        let facts = try TestBook(metadata: metadata).read().facts

        #expect(facts.title == "The Title" && facts.subtitle == "Sub" && facts.creators == ["A", "B"])
        #expect(facts.language == "pt-BR" && facts.format == .epub3)
        #expect(facts.isbns == ["9780306406157"] && facts.identifiers.count == 4)
        #expect([facts.publisher, facts.date, facts.rights, facts.description] == ["P", "1999", "R", "D"])
    }

    @Test func `a book without title and language opens, with remarks`() throws {
        let book = try TestBook(metadata: "").read()

        #expect(book.facts.title == nil && book.facts.language == nil)
        #expect(book.remarks.map(\.code) == [.noTitle, .noLanguage])
    }

    @Test(arguments: [
        ("en", "", "ltr", "ltr"), ("ar", "", "rtl", "rtl"), ("he-IL", "", "rtl", "rtl"), ("ja", "rtl", "rtl", "ltr"),
        ("zh", "ltr", "ltr", "ltr"),
        ("fr", "rtl", "rtl", "rtl"), ("ar", "ltr", "ltr", "ltr"), ("en", "default", "ltr", "ltr"),
    ])
    func `directions come from the spine, then from the language`(
        language: String, stated: String, page: String, text: String
    ) throws {
        let spine = stated.isEmpty ? "" : "page-progression-direction=\"\(stated)\""
        let facts = try TestBook(metadata: "<dc:language>\(language)</dc:language>", spineAttributes: spine).read()
            .facts

        #expect(facts.pageDirection.rawValue == page && facts.textDirection.rawValue == text)
    }

    @Test func `vertical writing and fixed layout are seen`() throws {
        let style = (
            attributes: #"id="s" media-type="text/css""#, name: "s.css",
            content: "body { -epub-writing-mode : vertical-rl }"
        )
        let facts = try TestBook(metadata: "<meta property=\"rendition:layout\">pre-paginated</meta>", items: [style])
            .read().facts
        #expect(facts.isVertical && facts.isFixedLayout)
        let other = (
            attributes: #"id="s" media-type="text/css""#, name: "s.css",
            content: "writing-mode: horizontal-tb; x: vertical"
        )
        let plain = try TestBook(items: [other]).read().facts
        #expect(!plain.isVertical && !plain.isFixedLayout)
    }

    @Test func `the cover is found by its property, the old meta, or its name`() throws {
        let pictures = [TestBook.picture("a.png"), TestBook.picture("b.png")]
        #expect(try TestBook(items: pictures).read().facts.cover == nil)
        #expect(
            try TestBook(items: [pictures[0], TestBook.picture("b.png", #"properties="cover-image""#)]).read().facts
                .cover == 1)
        #expect(
            try TestBook(metadata: #"<meta name="cover" content="i-b.png"/>"#, items: pictures).read().facts.cover == 1)
        let named = (attributes: #"id="Cover" media-type="image/jpeg""#, name: "c.jpg", content: "x")
        #expect(try TestBook(items: pictures + [named]).read().facts.cover == 2)
    }

    @Test func `items beside the linear order come last`() throws {
        let spine = #"<itemref idref="c1" linear="no"/><itemref idref="c0"/><itemref idref="c2" linear="yes"/>"#
        let book = try TestBook(chapters: ["<p>0 <a href='c1.xhtml'>x</a></p>", "<p>1</p>", "<p>2</p>"], spine: spine)
            .read()

        #expect(book.facts.chapters.map(\.name) == ["E/c0.xhtml", "E/c2.xhtml", "E/c1.xhtml"])
        #expect(book.facts.chapters.map(\.isLinear) == [true, true, false])
        #expect(book.pages.first?.html == #"<p>0 <a data-item="2">x</a></p>"#)
    }

    @Test func `what the spine names wrongly is left out and remarked`() throws {
        let items = [
            (attributes: #"id="pdf" media-type="application/pdf" fallback="c1""#, name: "x.pdf", content: "x"),
            (attributes: #"id="loop" media-type="a/b" fallback="loop""#, name: "y", content: "x"),
            TestBook.picture("p.png"),
        ]
        let spine = ["c0", "gone", "pdf", "loop", "c0", "i-p.png", "far"].map { "<itemref idref=\"\($0)\"/>" }.joined()
        var book = TestBook(chapters: ["<p>0</p>", "<p>1</p>"], items: items, spine: spine)
        book.items.append((#"id="far" media-type="application/xhtml+xml""#, "far.xhtml", ""))
        var archive = book.archive
        archive.entries.removeAll { $0.name == Array("E/far.xhtml".utf8) }
        let read = try WholeBook(archive.bytes)

        #expect(read.remarks.map(\.code) == [.missingItem, .unreadableItem, .repeatedItem, .missingFile])
        #expect(read.pages.map(\.text) == ["0", "1", ""])
        #expect(read.pages.last?.pictures == [0])
    }

    @Test func `a book without spine, package or anything to read is refused`() {
        func refusal(_ book: TestBook, without name: String = "") -> EPUB.Refusal? {
            var archive = book.archive
            archive.entries.removeAll { $0.name == Array(name.utf8) }
            do {
                _ = try WholeBook(archive.bytes)
                return nil
            } catch { return error }
        }
        #expect(refusal(TestBook(spine: "")) == .noSpine)
        #expect(refusal(TestBook(spine: "<itemref idref='x'/>")) == .noSpine)
        #expect(refusal(TestBook(), without: "E/p.opf") == .noPackage)
        #expect(refusal(TestBook(), without: "META-INF/container.xml") == .noContainer)
        #expect(refusal(TestBook(chapters: ["", "<p> </p>"])) == .nothingToRead)
        var limits = EPUB.Limits()
        limits.pages = 1
        #expect(throws: EPUB.Refusal.tooManyPages) { try TestBook(chapters: ["a", "b"]).read(limits) }
    }

    @Test func `a container that names a file outside, and a package that is no package, are refused`() throws {
        var archive = TestBook().archive
        archive.entries[1].content = Array(
            "<container><rootfiles><rootfile full-path=\"../../etc/passwd\"/></rootfiles></container>".utf8)
        #expect(throws: EPUB.Refusal.noContainer) { try WholeBook(archive.bytes) }
        archive = TestBook().archive
        archive.entries[2].content = Array("<html/>".utf8)
        #expect(throws: EPUB.Refusal.noPackage) { try WholeBook(archive.bytes) }
        archive.entries[2].content = Array("words".utf8)
        #expect(throws: EPUB.Refusal.noPackage) { try WholeBook(archive.bytes) }
    }

    @Test func `contents are a tree with places, from the navigation document`() throws {
        let navigation = """
            <nav epub:type="page-list"><ol><li><a href="c0.xhtml#p1">1</a></li><li><a href="c1.xhtml">ii</a></li><li><a href="x.xhtml">3</a></li></ol></nav>
            <nav epub:type="toc"><h1>C</h1><ol><li><a href="c0.xhtml"> A <b>b</b> </a><ol><li><a href="c1.xhtml#f">B</a></li></ol></li>
            <li><span>Part</span><ol><li><a href="gone.xhtml">C</a></li></ol></li><li><a href="c1.xhtml"></a></li></ol></nav>
            """
        let book = try TestBook(chapters: ["<p>0<span id='p1'/></p>", "<p>1</p>"], navigation: navigation).read()
        let contents = book.facts.contents

        #expect(contents.map(\.title) == ["A b", "Part"])
        #expect(contents[0].children == [.init(title: "B", target: .init(chapter: 1, fragment: "at-f"), children: [])])
        #expect(
            contents[1].target == nil && contents[1].children.map(\.title) == ["C"]
                && contents[1].children[0].target == nil)
        #expect(book.facts.pageList.map(\.label) == ["1", "ii"])
        #expect(book.facts.chapters.map(\.title) == ["A b", "B"])
        #expect(book.pages.map(\.label) == ["1", "ii"])
    }

    @Test func `contents come from the NCX of EPUB 2`() throws {
        let ncx = """
            <ncx><navMap><navPoint><navLabel><text>A</text></navLabel><content src="c0.xhtml"/><navPoint><navLabel><text>B</text></navLabel>
            <content src="c1.xhtml#x"/></navPoint></navPoint></navMap><pageList><pageTarget value="7"><navLabel><text>vii</text></navLabel>
            <content src="c1.xhtml"/></pageTarget></pageList></ncx>
            """
        let item = (attributes: #"id="ncx" media-type="application/x-dtbncx+xml""#, name: "t.ncx", content: ncx)
        let book = try TestBook(
            packageAttributes: #"version="2.0""#, spineAttributes: #"toc="ncx""#, chapters: ["a", "b"], items: [item],
            navigation: nil
        ).read()

        #expect(book.facts.format == .epub2)
        #expect(book.facts.contents.map(\.title) == ["A"] && book.facts.contents[0].children.map(\.title) == ["B"])
        #expect(book.pages.map(\.label) == [nil, "vii"])
        #expect(try TestBook(navigation: nil).read().remarks.map(\.code) == [.noContents])
    }

    @Test func `contents are cut at their limits, and what is too deep stands at the last depth`() throws {
        let deep =
            String(repeating: "<ol><li><a href='c0.xhtml'>A</a>", count: 12)
            + String(repeating: "</li></ol>", count: 12)
        let contents = try TestBook(navigation: "<nav epub:type='toc'>\(deep)</nav>").read().facts.contents
        var (depth, level) = (0, contents)
        while let first = level.first {
            depth += 1
            if depth == 8 { #expect(level.count == 5) }
            level = first.children
        }
        #expect(depth == 8)
        let wide = "<ol>" + String(repeating: "<li><a href='c0.xhtml'>A</a></li>", count: 10_050) + "</ol>"
        #expect(try TestBook(navigation: "<nav epub:type='toc'>\(wide)</nav>").read().facts.contents.count == 10_000)
    }

    @Test func `fonts and styles are no pictures, and a picture named twice is one`() throws {
        let items = [
            TestBook.picture("a.png"),
            (attributes: #"id="x" media-type="IMAGE/PNG; q=1""#, name: "./a.png", content: "x"),
            (attributes: #"id="f" media-type="font/otf""#, name: "f.otf", content: "x"),
        ]
        var archive = TestBook(items: items).archive
        archive.entries.removeAll { $0.name == Array("E/./a.png".utf8) }

        #expect(try WholeBook(archive.bytes).facts.pictures.map(\.name) == ["E/a.png"])
    }
}
