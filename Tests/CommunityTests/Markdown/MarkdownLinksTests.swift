import TestSupport
import Testing

@testable import Community
@testable import MarkdownReading

/// Links and mentions: where they lead, and where there is none.
@Suite struct MarkdownLinksTests {
    private func link(_ address: String, _ words: String? = nil) -> String {
        "<a href=\"\(address)\" rel=\"nofollow ugc noopener\">\(words ?? address)</a>"
    }

    private func mention(_ name: String, _ words: String? = nil) -> String {
        "<a href=\"/@\(name)\" class=\"mention\">\(words ?? "@" + name)</a>"
    }

    @Test func `a link with a text leads to the web or to a mailbox`() {
        let x = "https://x.example"
        let cases = [
            ("[a *b*](\(x))", link(x, "a <em>b</em>")), ("[a](HTTP://x.example)", link("HTTP://x.example", "a")),
            ("[a](\(x)/a_(b)_c)", link("\(x)/a_(b)_c", "a")),
            ("[a](\(x)?a=1&b='2')", link("\(x)?a=1&amp;b=&#39;2&#39;", "a")),
            ("[a](\(x)/ä)", link("\(x)/%C3%A4", "a")), ("[a](\(x):80/)", link("\(x):80/", "a")),
            ("[a [b] c](\(x))", link(x, "a [b] c")), ("[a\\]](\(x))", link(x, "a]")),
            ("[`]`](\(x))", link(x, "<code>]</code>")),
            ("[a](mailto:ann.b+c@x.example)", link("mailto:ann.b+c@x.example", "a")),
            ("*[a](\(x))*", "<em>\(link(x, "a"))</em>"), ("[@ann](\(x)/)", link("\(x)/", "@ann")),
            ("[https://y.example](\(x)/)", link("\(x)/", "https://y.example")),
            ("[[a](\(x)/)](\(x)/b)", "[\(link("\(x)/", "a"))](\(link("\(x)/b")))"),
            ("[[a](\(x)/)] [b](\(x))", "[\(link("\(x)/", "a"))] \(link(x, "b"))"),
            ("*[a*](\(x))", "<em>[a</em>](\(link(x)))"), ("[a *b](\(x)) c*", "\(link(x, "a *b")) c*"),
            ("*[a](b)*", "<em>[a](b)</em>"), ("[a](b)", "[a](b)"), ("[a]( \(x))", "[a]( \(link(x)))"),
        ]
        for (source, html) in cases { #expect(Markdown.render(source).html == "<p>\(html)</p>", "\(source)") }
    }

    @Test(arguments: [
        "[a](javascript:x)", "[a](//x.example)", "[a](/x)", "[a](https:x)", "[a](https://)", "[a](ftp://x.example)",
        "[a](mailto:a)", "[a](mailto:a@b?subject=x)", "[](mailto:a@b.example)", "[a](http://a@b.example)",
        "[a](http://ä.example)", "[a](http://x.example", "[a] (mailto:a@b.example)", "https://", "xhttps://x.example",
        "https://a:b@x.example/", "https://a%40b@x.example", "https://a_b.example",
        "https://ä.example", "ftp://x.example", "www.x.example", "mailto:a@b.example",
    ])
    func `what leads elsewhere is words`(source: String) {
        let addresses = MarkdownFragment(Markdown.render(source).html).addresses
        #expect(addresses.allSatisfy { $0 == "http://x.example" })
        #expect(addresses.isEmpty || source == "[a](http://x.example")
    }

    @Test func `a bare address ends before the punctuation of its sentence`() {
        let x = "https://x.example"
        let cases = [
            ("see \(x).", "see \(link(x))."), ("\(x)!?", "\(link(x))!?"), ("\(x):", "\(link(x)):"),
            ("\(x)*@y", "\(link(x))*@y"), ("\(x)./a", link("\(x)./a")), ("_\(x)_", "<em>\(link(x))</em>"),
            ("(\(x)/a)", "(\(link("\(x)/a")))"), ("\(x)/a_(b)", link("\(x)/a_(b)")),
            ("\(x)/a_b_c!", "\(link("\(x)/a_b_c"))!"), ("*\(x)/a*", "<em>\(link("\(x)/a"))</em>"),
            ("**\(x)**", "<strong>\(link(x))</strong>"), ("<\(x)>", "&lt;\(link(x))&gt;"),
            ("\"\(x)\"", "&quot;\(link(x))&quot;"),
            ("\(x)?a=1&b=2#c", link("\(x)?a=1&amp;b=2#c")), ("\(x):8080/a", link("\(x):8080/a")),
            ("\(x)/ä", link("\(x)/%C3%A4", "\(x)/ä")), ("`\(x)`", "<code>\(x)</code>"),
            ("\(x)\n\(x)", "\(link(x))<br>\(link(x))"),
            ("\(x)/\(x)", link("\(x)/\(x)")),
        ]
        for (source, html) in cases { #expect(Markdown.render(source).html == "<p>\(html)</p>", "\(source)") }
    }

    @Test func `an address that is too long is words`() {
        let most = Limits.markdown.link
        for (bytes, isLink) in [(most, true), (most + 1, false)] {
            let address = "https://x.example/" + String(repeating: "a", count: bytes - 18)
            for source in [address, "[a](\(address))"] {
                let found = MarkdownFragment(Markdown.render(source).html).addresses
                #expect(found == (isLink ? [address] : []), "\(bytes)")
            }
        }
    }

    @Test func `a mention leads to the reader and is told once, in lower case, in order`() {
        let text = Markdown.render("@Zoe: @ann, (@BOB_1) *@ann* > @zoe. “@cy3”\n@dan-")
        #expect(text.mentions == ["zoe", "ann", "bob_1", "cy3", "dan"])
        #expect(
            text.html
                == "<p>\(mention("zoe", "@Zoe")): \(mention("ann")), (\(mention("bob_1", "@BOB_1"))) "
                + "<em>\(mention("ann"))</em> &gt; \(mention("zoe")). “\(mention("cy3"))”<br>\(mention("dan"))-</p>")
    }

    @Test(arguments: [
        "@ab", "@" + String(repeating: "a", count: 31), "a@ann", "ann@x.example", "ä@ann", "@annä", "/@ann", ".@ann",
        "@@ann",
        "@ann@x.example", "+@ann", "\\@ann", "`@ann`", "```\n@ann\n```", "[@ann](https://x.example)",
        "https://x.example/@ann",
        "_a_@ann", ">!@ann!<",
    ])
    func `what is no mention tells nobody`(source: String) {
        #expect(Markdown.render(source).mentions == [])
    }

    @Test func `of names that lead nowhere only words are left, and those that lead somewhere are found again`() {
        let source = "@Zoe [@ann](https://x.example/@ann) >!@bob!< @ann `@bob` <a href=\"/@cem\">"
        let all = Markdown.render(source)
        #expect(Markdown.linked(in: all.html) == ["zoe", "bob", "ann"])
        #expect(Markdown.linked(in: all.veiled?.html ?? "") == ["zoe", "ann"])
        let some = Markdown.render(source, linking: ["zoe", "bob", "cem"])
        #expect(
            some.html
                == "<p>\(mention("zoe", "@Zoe")) \(link("https://x.example/@ann", "@ann")) "
                + "<span class=\"spoiler\">\(mention("bob"))</span> @ann <code>@bob</code> "
                + "&lt;a href=&quot;/@cem&quot;&gt;</p>")
        #expect(some.mentions == ["zoe"] && Markdown.linked(in: some.html) == ["zoe", "bob"])
        #expect(some.plain == all.plain && some.body == all.body)
        #expect(Markdown.render(some.veiled?.body ?? "", linking: ["zoe", "bob"]).veiled?.html == some.veiled?.html)
    }

    @Test func `no more than so many are told of one text`() {
        let names = (0..<30).map { "reader\($0)" }
        let text = Markdown.render(names.map { "@\($0)" }.joined(separator: " "))
        #expect(text.mentions == Array(names.prefix(Limits.markdown.mentions)))
    }
}
