import TestSupport
import Testing

@testable import EPUB

@Suite struct PagesTests {
    private static func words(_ count: Int, _ word: String = "word") -> String {
        (0..<count).map { "\(word)\($0)" }.joined(separator: " ")
    }

    @Test func `pages are whole blocks of about 1,800 characters`() throws {
        let paragraphs = (0..<60).map { "<p>\(Self.words(20 + $0 % 30, "w\($0)x"))</p>" }
        let book = try TestBook(chapters: [paragraphs.joined(), "<p>Two.</p>"]).read()

        #expect(book.faults.isEmpty)
        #expect(book.chapters[0].pages.dropLast().allSatisfy { (1_350...2_250).contains($0.text.count) })
        #expect(book.chapters[0].pages.map(\.html).joined(separator: "\n") == paragraphs.joined(separator: "\n"))
        #expect(book.chapters[1].pages.map(\.text) == ["Two."], "a chapter begins a page")
    }

    @Test func `a heading does not stand last on a page`() throws {
        let parts = (0..<40).map { "<h2>Heading \($0)</h2><p>\(Self.words(200))</p>" }
        let book = try TestBook(chapters: [parts.joined()]).read()

        #expect(book.pages.count > 10)
        #expect(!book.pages.contains { $0.html.hasSuffix("</h2>") })
    }

    @Test func `a block of more than three pages is cut between words`() throws {
        let long = "<p id='a'>\(Self.words(400))<b> \(Self.words(2_000)) <a href='#a'>\(Self.words(400))</a></b></p>"
        let book = try TestBook(chapters: [long]).read()

        #expect(book.faults.isEmpty)
        #expect(book.pages.count > 8)
        #expect(book.pages.dropLast().allSatisfy { (1_500...1_900).contains($0.text.count) })
        let words = [Self.words(400), Self.words(2_000), Self.words(400)].joined(separator: " ")
        #expect(book.pages.map(\.text).joined() == words)
        #expect(book.pages.flatMap(\.anchors) == [.init(name: "at-a", offset: 0)])
    }

    @Test func `a long list goes on with its numbers, and a long table with its rows`() throws {
        let list = "<ol start='5'>" + (0..<400).map { "<li>item \($0) \(Self.words(6))</li>" }.joined() + "</ol>"
        let book = try TestBook(chapters: [list]).read()

        #expect(book.faults.isEmpty && book.pages.count > 5)
        var items = 0
        for page in book.pages {
            #expect(page.html.hasPrefix("<ol start=\"\(5 + items)\">"))
            if !page.html.hasPrefix("<ol start=\"\(5 + items)\"><li>") {
                Issue.record("cut inside of an item: \(page.html.prefix(60))")
            }
            items += page.html.ranges(of: "<li>").count
        }
        #expect(items == 400)
        let table =
            "<table>" + (0..<400).map { "<tr><td>\($0)</td><td lang='fr'>\(Self.words(6))</td></tr>" }.joined()
            + "</table>"
        let rows = try TestBook(chapters: [table]).read()
        #expect(
            rows.faults.isEmpty
                && rows.pages.allSatisfy { $0.html.hasPrefix("<table><tr><td>") && $0.html.hasSuffix("</tr></table>") })
    }

    @Test func `an item that is cut keeps its number`() throws {
        let list = "<ol><li>\(Self.words(2_000))</li><li>two</li></ol>"
        let pages = try TestBook(chapters: [list]).read().pages

        #expect(pages.count > 3)
        #expect(
            pages[1].html.hasPrefix(#"<ol start="1"><li class="continued" value="1">"#)
                || pages[1].html.hasPrefix(#"<ol start="2"><li class="continued" value="1">"#))
        #expect(pages.last?.html.hasSuffix("<li>two</li></ol>") == true)
    }

    @Test func `text without blanks is cut between characters`() throws {
        for text in [
            String(repeating: "漢字かな交じり文。", count: 2_000), String(repeating: "x", count: 20_000),
            String(repeating: "ก", count: 20_000),
        ] {
            let book = try TestBook(chapters: ["<p>\(text)</p>"]).read()

            #expect(book.faults.isEmpty)
            #expect(book.pages.count > 4)
            #expect(book.pages.map(\.text).joined() == text)
        }
    }

    @Test func `pictures count, and a page of them has no words`() throws {
        let body = String(repeating: "<p><img src='a.png'/></p>", count: 30)
        let book = try TestBook(chapters: [body], items: [TestBook.picture("a.png")]).read()

        #expect(book.faults.isEmpty)
        #expect(book.pages.count == 10)
        #expect(book.pages.allSatisfy { $0.text.isEmpty && $0.pictures == [0, 0, 0] && $0.length >= 1 })
    }

    @Test func `markup without words makes pages too`() throws {
        let body = "<ul>" + String(repeating: "<li/>", count: 100_000) + "</ul>"
        let book = try TestBook(chapters: [body]).read()

        #expect(book.faults.isEmpty && book.pages.count > 1)
        #expect(book.pages.map { $0.html.ranges(of: "<li>").count }.reduce(0, +) == 100_000)
        #expect(book.pages.allSatisfy { $0.html.utf8.count < 150_000 })
    }

    /// Documents that are nearly all one thing: none makes an endless page, and none takes long.
    @Test(arguments: [
        "<p>x</p>", "word ", "x", "漢", "<i>x</i>", "<table><tr><td/><td>x</td></tr></table>", "<td/>", "<a id='i'/>",
        "<math><mi>x</mi></math>",
        "<math/>", "<img src='a.png'/>", "<hr/>", "a<br/>", "&amp;", "'", "&nbsp;", "<rt>y</rt>z", "<dt>a</dt><dd/>",
        "<svg><text>a</text></svg>",
        "<b><i><u>x</u></i></b>", "<p>x", "</p>", "<b></i>", "\n", "<a href='#x'><p>y</p></a>",
    ])
    func `much of one thing is still pages`(piece: String) throws {
        for (open, close) in [
            ("", ""), ("<p>", "</p>"), ("<ul>", "</ul>"), ("<table><tr>", "</tr></table>"), ("<pre>", "</pre>"),
            ("<ruby>", "</ruby>"),
        ] {
            let body = open + String(repeating: piece, count: 4_000) + close
            let book = try? TestBook(chapters: [body, "<p>end</p>"], items: [TestBook.picture("a.png")]).read()

            #expect(book?.faults.isEmpty != false)
            #expect(book?.pages.allSatisfy { $0.html.utf8.count < 120_000 && $0.text.utf8.count < 25_000 } != false)
        }
    }

    /// Random books: whatever they hold, every place lies on one page, and the same bytes give the same pages.
    @Test func `place, page, place is stable, and splitting twice gives the same bytes`() throws {
        let random = TestRandom()
        let pieces = [
            "<p>", "</p>", "<ul>", "<li>", "</li>", "</ul>", "<b>", "</b>", "<a href='#x'>", "</a>", "<div>", "</div>",
            "<blockquote>", "</blockquote>",
            "<table>", "<tr>", "<td>", "</td>", "</tr>", "</table>", "<br/>", "<hr/>", "<img src='a.png'/>", "<h2>",
            "</h2>", "<pre>", "</pre>", "<a id='i'/>",
            "<math><mi>x</mi></math>", "<ruby>漢<rt>k</rt></ruby>", "\n", "é漢😀 ", "<svg><text>s</text></svg>",
        ]
        for _ in 0..<ProofCount.of(2_000) {
            let body = (0..<random.number(in: 1...120)).map { _ in
                random.once(in: 2) ? Self.words(random.number(in: 1...80)) + " " : random.element(of: pieces) ?? ""
            }
            let source = TestBook(chapters: [body.joined(), "<p>end</p>"], items: [TestBook.picture("a.png")])
            let book = try source.read()

            #expect(book.faults.isEmpty, "\(body.joined())")
            #expect(try source.read() == book)
            for page in book.chapters[0].pages {
                for place in [page.offset, page.offset + page.length - 1] {
                    #expect(book.chapters[0].pages.filter { $0.offset <= place }.last == page)
                }
            }
        }
    }

    @Test func `addresses are written where the sanitiser left room, and nowhere else`() throws {
        let body = """
            <p id="x"><a href="#x">a</a> <a href="c1.xhtml">b</a> <a href="http://x.example">c</a> <img src="a.png" alt="d"/>
            &lt;a data-item="0"&gt; &lt;img data-picture="0" <code title="&lt;a data-item=&quot;0&quot;">data-item="0"</code></p>
            """
        let html = try TestBook(chapters: [body, "b"], items: [TestBook.picture("a.png")]).read().pages[0].html
        let written = EPUB.Page.addressed(
            html, link: { $0.chapter == 0 ? "/p?a=\($0.chapter)&b=\($0.fragment ?? "")" : nil },
            picture: { "/pictures/\($0)\"" })

        #expect(
            written
                == #"<p id="at-x"><a href="/p?a=0&amp;b=at-x">a</a> <a>b</a> <a href="http://x.example" rel="external nofollow noopener" class="external">c</a> <img src="/pictures/0&quot;" alt="d"> &lt;a data-item=&quot;0&quot;&gt; &lt;img data-picture=&quot;0&quot; <code>data-item=&quot;0&quot;</code></p>"#
        )
        #expect(EPUB.Page.addressed(html, link: { _ in nil }, picture: { _ in nil }).contains("<img alt=\"d\">"))
    }

    @Test func `printed pages: the one on which a page begins`() throws {
        let body =
            "<p>\(Self.words(100))<span id='p2'/></p>"
            + (3...6).map { "<p>\(Self.words(300))<span id='p\($0)'/></p>" }.joined()
        let list =
            "<nav epub:type='page-list'><ol>"
            + ["1", "2#p2", "3#p3", "4#p4", "5#p5", "6#p6", "9#gone"].map {
                let halves = $0.split(separator: "#")
                return "<li><a href='c0.xhtml\(halves.count == 2 ? "#\(halves[1])" : "")'>\(halves[0])</a></li>"
            }.joined() + "</ol></nav>"
        let book = try TestBook(chapters: [body, "<p>z</p>"], navigation: list).read()

        #expect(book.pages.map(\.label).first == "1")
        #expect(book.pages.last?.label == "6", "goes on into the next chapter")
        #expect(book.pages.compactMap { $0.label.flatMap { Int($0) } }.isSorted)
    }
}
