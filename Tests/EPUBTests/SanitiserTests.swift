import EPUB
import TestSupport
import Testing

@Suite struct SanitiserTests {
    @Test(arguments: [
        // Blocks
        ("<p>a</p>b<div>c<div>d</div>e</div>", "<p>a</p>\n<p>b</p>\n<p>c</p>\n<p>d</p>\n<p>e</p>"),
        ("<section><h2>H</h2><p> a \n b </p></section>", "<h2>H</h2>\n<p>a b</p>"),
        ("<p></p><p> </p><div/><h1/>a", "<p>a</p>"),
        ("<h1><div>One</div><p>Two</p></h1>", "<h1>One<br>Two</h1>"),
        ("<p>a<blockquote>b</blockquote>c</p>", "<p>a</p>\n<blockquote><p>b</p></blockquote>\n<p>c</p>"),
        ("<pre>\n a\n  b\n</pre>", "<pre> a\n  b\n</pre>"), ("a<hr/>b", "<p>a</p>\n<hr>\n<p>b</p>"),
        ("<p>a<br/>b<br/></p>", "<p>a<br>b</p>"),
        (
            "<center>a</center><p align='center'>b</p><p style='text-align: center'>c</p>",
            "<p class=\"centred\">a</p>\n<p class=\"centred\">b</p>\n<p class=\"centred\">c</p>"
        ),
        // Lists
        (
            "<ol start='3'><li>a</li><li/><li value='9'><p>b</p></li></ol>",
            "<ol start=\"3\"><li>a</li><li></li><li value=\"9\"><p>b</p></li></ol>"
        ),
        ("<ul>a<li>b</li><p>c</p></ul>", "<ul><li>a</li><li>b</li><li><p>c</p></li></ul>"), ("<li>a</li>", "<p>a</p>"),
        ("<dl><dt>a</dt><dd>b</dd></dl>", "<dl><dt>a</dt><dd>b</dd></dl>"),
        ("<ul><div><li>a</li></div></ul>", "<ul><li>a</li></ul>"),
        // Tables
        (
            "<table border='1'><caption>c</caption><colgroup><col/></colgroup><tr><th scope='col'>a</th><td colspan='2' onclick='x'>b</td></tr></table>",
            "<table><caption>c</caption><tr><th scope=\"col\">a</th><td colspan=\"2\">b</td></tr></table>"
        ),
        ("<table>a<tr>b</tr></table>", "<table><tr><td>a</td></tr><tr><td>b</td></tr></table>"),
        ("<td>a</td><tr>b</tr>", "<p>a</p>\n<p>b</p>"),
        ("<table><tr><td/><td>x</td></tr></table>", "<table><tr><td></td><td>x</td></tr></table>"),
        // Among words
        ("<p>a <em>b </em> c<em> </em><em/>d</p>", "<p>a <em>b</em> c d</p>"),
        ("<p><b>a<i>b</b>c</i></p>", "<p><b>a<i>b</i></b>c</p>"),
        (
            "<p><span style='font-style:italic'>a</span><font color='red'>b</font><tt>c</tt></p>",
            "<p><i>a</i>b<code>c</code></p>"
        ),
        ("<p><abbr title='a \"b\"'>c</abbr></p>", "<p><abbr title=\"a &quot;b&quot;\">c</abbr></p>"),
        (
            "<p><ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby><rt>x</rt></p>",
            "<p><ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>x</p>"
        ),
        (
            "<p lang='de'>a <span xml:lang='fr' dir='rtl'>b</span></p>",
            "<p lang=\"de\">a <span lang=\"fr\" dir=\"rtl\">b</span></p>"
        ),
        (
            "<div lang='de' dir='rtl'><p>a</p><ul><li>b</li></ul></div>",
            "<p lang=\"de\" dir=\"rtl\">a</p>\n<ul lang=\"de\" dir=\"rtl\"><li>b</li></ul>"
        ),
        ("<p lang='\"><script>'>a</p><p dir='x'>b</p>", "<p>a</p>\n<p>b</p>"),
        // Links
        ("<a href='c0.xhtml#x'>a</a>", "<p><a data-item=\"0\" data-fragment=\"at-x\">a</a></p>"),
        (
            "<a href='#y%20z'>a</a><a href='#%C3%A9'>b</a>",
            "<p><a data-item=\"0\">a</a><a data-item=\"0\" data-fragment=\"at-é\">b</a></p>"
        ),
        (
            "<a href='../E/./c0.xhtml'>a</a><a href='../../c0.xhtml'>b</a><a href='gone.xhtml'>c</a><a href='/E/c0.xhtml'>d</a>",
            "<p><a data-item=\"0\">a</a>bc<a data-item=\"0\">d</a></p>"
        ),
        (
            "<a href='HTTPS://x.example/ä?a=b&amp;c'>a</a>",
            "<p><a href=\"https://x.example/%C3%A4?a=b&amp;c\" rel=\"external nofollow noopener\" class=\"external\">a</a></p>"
        ),
        (
            "<a href='mailto:a@b.example'>a</a>",
            "<p><a href=\"mailto:a@b.example\" rel=\"external nofollow noopener\" class=\"external\">a</a></p>"
        ),
        (
            "<a href='#a'><p>x</p><div>y</div></a>",
            "<p><a data-item=\"0\" data-fragment=\"at-a\">x</a></p>\n<p><a data-item=\"0\" data-fragment=\"at-a\">y</a></p>"
        ),
        ("<a href='#a'>x<a href='#b'>y</a></a>", "<p><a data-item=\"0\" data-fragment=\"at-a\">xy</a></p>"),
        // Identifiers
        (
            "<a id='one'/><p id='two'>a<a name='three'/></p><p id='two'>b</p><p id=''>c</p>",
            "<p id=\"at-two\"><span id=\"at-one\"></span>a<span id=\"at-three\"></span></p>\n<p>b</p>\n<p>c</p>"
        ),
        ("<section id='s'><p/><h1 id='h'>a</h1></section>", "<h1 id=\"at-h\"><span id=\"at-s\"></span>a</h1>"),
        ("<p id='a\"b'>a</p><p id='a b'>b</p>", "<p>a</p>\n<p>b</p>"),
        // Goes
        ("a<script>alert(1)</script><style>x</style><iframe>y</iframe><object data='x'>z</object>", "<p>az</p>"),
        ("<form action='x'><input value='a'/><button>b</button><label>c</label></form>", "<p>c</p>"),
        ("<p hidden='hidden'>a</p><nav hidden=''>b</nav>c", "<p>c</p>"),
        ("<svg:script>a</svg:script><x:style>b</x:style><blink>c</blink>", "<p>c</p>"),
        ("<video><p>a</p></video><audio>b</audio>c", "<p>c</p>"),
        ("<switch><case required-namespace='x'>a</case><default>b</default></switch>", "<p>b</p>"),
        (
            "<switch><case required-namespace='http://www.w3.org/1998/Math/MathML'>a</case><default>b</default></switch>",
            "<p>a</p>"
        ),
        ("<p>&lt;script&gt; &amp;amp; \"'</p>", "<p>&lt;script&gt; &amp;amp; &quot;&#39;</p>"),
        // Formulas
        (
            "<math display='block' onclick='x' href='javascript:x'><mfrac><mi mathvariant='bold'>a</mi><mn> 2 </mn></mfrac><mtext><p>t</p></mtext><annotation>z</annotation></math>",
            "<p><math display=\"block\"><mfrac><mi mathvariant=\"bold\">a</mi><mn>2</mn></mfrac><mtext>t</mtext></math></p>"
        ),
        (
            "<math><semantics><mi>x</mi><annotation-xml><p>y</p></annotation-xml></semantics>w<script>v</script></math>",
            "<p><math><mi>x</mi><mtext>w</mtext></math></p>"
        ),
        (
            "<math><mi mathvariant='\"&gt;&lt;script&gt;'>x</mi><mo lspace='url(x:y)'>y</mo><mfenced open='\"&lt;'><mn>1</mn></mfenced></math>",
            "<p><math><mi>x</mi><mo>y</mo><mfenced open=\"&quot;&lt;\"><mn>1</mn></mfenced></math></p>"
        ),
        // Drawings
        (
            "<svg><title>T</title><text>a<tspan>b</tspan></text><foreignObject><p>c</p></foreignObject></svg>",
            "<p>ab</p>"
        ), ("<svg><title>T</title></svg>", "<p>T</p>"),
        ("x<svg onload='y'><path d='z'/></svg>", "<p>x</p>"),
    ])
    func `what becomes of a piece of a book`(source: String, html: String) throws {
        let made = try TestBook.html(source)

        #expect(made == html)
    }

    @Test func `pictures come as their numbers, others not at all`() throws {
        let body = """
            <p><img src="a.png" alt='a "b"' onerror="x"/><img src="http://x.example/t.gif" alt="t"/><img src="data:image/png;base64,AA"/>
            <img src="../E/b.png?x#y"/><img src="missing.png" alt="m"/><img/></p><svg><title>S</title><image xlink:href="b.png"/></svg>
            <object data="a.png" type="image/png" title="o">fallback</object>
            """
        let book = try TestBook(chapters: [body], items: [TestBook.picture("a.png"), TestBook.picture("b.png")]).read()

        #expect(
            book.pages.map(\.html) == [
                #"<p><img data-picture="0" alt="a &quot;b&quot;"> <img data-picture="1" alt=""></p>"#,
                #"<p><img data-picture="1" alt="S"> <img data-picture="0" alt="o"></p>"#,
            ])
        #expect(book.pages.map(\.pictures) == [[0, 1], [1, 0]])
        #expect(book.faults.isEmpty)
    }

    private static let addresses = [
        "javascript:alert(1)", " javascript:alert(1)", "JaVaScRiPt:alert(1)", "java\tscript:alert(1)",
        "java&#10;script:alert(1)", "data:text/html,x",
        "vbscript:x", "file:///etc/passwd", "//evil.example/x", "\\\\evil.example\\x", "/\\evil.example",
        "http:evil.example", "http:/evil.example",
        "http://", "http:///x", "http://a@evil.example/", "http://a\\@evil.example", "blob:x", "about:blank",
        "ftp://x.example", "https://x y.example",
        "mailto:", "tel:1", "&#x6A;avascript:x", "\u{1}javascript:x", "filesystem:x", "view-source:x", "intent://x",
        "x-app:y", "feed:http://x.example",
    ]

    @Test(arguments: addresses) func `an address that is not for readers makes no link`(address: String) throws {
        let safe = address.replacing("\"", with: "&quot;")
        for body in [
            "<a href=\"\(safe)\">a</a>", "<img src=\"\(safe)\"/>a",
            "<svg><a xlink:href=\"\(safe)\"><text>a</text></a></svg>",
        ] {
            #expect(try TestBook.html(body) == "<p>a</p>")
        }
    }

    /// As they are, in an attribute, in elements that parsers treat in their own ways; well-formed and not.
    @Test func `no payload comes out as anything but words`() throws {
        let frames: [(String) -> String] = [
            { $0 }, { "<p>\($0)</p>" }, { "<p title='\($0)'>a</p>" }, { "<a href=\"\($0)\">a</a>" },
            { "<table><tr>\($0)</tr></table>" },
            { "<math><mtext>\($0)</mtext></math>" },
            { "<math><mfenced open=\"\($0)\" width=\"\($0)\"><mi mathvariant='\($0)'>a</mi></mfenced></math>" },
            { "<svg><title>\($0)</title></svg>" }, { "<pre>\($0)" },
            { "<img alt=\"\($0)\" src='a.png'/>" },
            { "<noscript>\($0)</noscript>" },
            { "<p id=\"\($0)\" lang=\"\($0)\" class=\"\($0)\" style=\"\($0)\">b</p>" }, { "<![CDATA[\($0)]]>" },
        ]
        for payload in ScriptPayloads.all {
            for frame in frames {
                let book = try? TestBook(chapters: [frame(payload), "<p>b</p>"], items: [TestBook.picture("a.png")])
                    .read()
                let faults = try #require(book).faults
                #expect(faults.isEmpty, "\(frame(payload))")
            }
        }
    }

    @Test func `the checker of this suite sees what must not be`() {
        for html in [
            "<script>", "<p onclick=\"x\">a</p>", "<a href=\"javascript:x\">a</a>", "<img src=\"x\">", "<p>a", "a</p>",
            "<p>a > b</p>", "<p>a & b</p>",
            "<p style=\"x\">a</p>", "<p id=\"x\">a</p>", "<math><p>a</p></math>", "<p><p>a</p></p>",
            "<ul><p>a</p></ul>", "<p id=\"at-a\">a</p><p id=\"at-a\">b</p>",
            "<a href=\"http://x\"><a href=\"http://x\">a</a></a>", "<li>a</li>", "<p class=\"x\">a</p>",
            "<p title=\"a\"b>c</p>", "<a data-item=\"x\">a</a>",
        ] { #expect(!SafeHTML(html).faults.isEmpty, "\(html)") }
    }

    @Test func `nesting is cut at the limit and its words stay`() throws {
        for (open, close) in [
            ("<ul><li>", "</li></ul>"), ("<blockquote>", "</blockquote>"), ("<i>", "</i>"), ("<div>", "</div>"),
            ("<table><tr><td>", "</td></tr></table>"),
        ] {
            let body = String(repeating: open, count: 60) + "word" + String(repeating: close, count: 60)
            let book = try TestBook(chapters: [body]).read()

            #expect(book.pages.map(\.text) == ["word"])
            #expect(book.faults.isEmpty)
            #expect(try #require(book.pages.first).html.components("<") <= 2 * 33)
        }
    }

    @Test func `a formula that is too long becomes its words`() throws {
        let formula = "<p>a <math>" + String(repeating: "<mi>x</mi>", count: 8_000) + "</math> b</p>"
        let book = try TestBook(chapters: [formula]).read()

        #expect(book.faults.isEmpty)
        #expect(book.pages.map(\.text).joined().spacesRemoved == "a" + String(repeating: "x", count: 8_000) + "b")
        #expect(!book.pages.contains { $0.html.contains("<math") })
    }
}

extension String {
    /// How many times `sign` is in it.
    func components(_ sign: Character) -> Int { count { $0 == sign } }
}
