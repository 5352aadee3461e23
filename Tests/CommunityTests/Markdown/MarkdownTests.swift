import TestSupport
import Testing

@testable import Community
@testable import MarkdownReading

/// What the dialect makes of a text, case by case.
@Suite struct MarkdownTests {
    /// A source and its HTML.
    typealias Case = (source: String, html: String)

    private func expect(_ cases: [Case]) {
        for (source, html) in cases {
            #expect(Markdown.render(source).html == html, "\(source)")
            #expect(MarkdownFragment(html).faults == [], "\(source)")
        }
    }

    @Test func `lines make paragraphs, breaks and headings`() {
        expect([
            ("one", "<p>one</p>"),
            ("one\ntwo", "<p>one<br>two</p>"),
            ("one\r\ntwo\rthree\u{2028}four", "<p>one<br>two<br>three<br>four</p>"),
            ("one\n\n\n \t\ntwo\n", "<p>one</p><p>two</p>"),
            ("  one  \n    two\t", "<p>one<br>two</p>"),
            ("# One *more* #\ntext", "<p><strong>One <em>more</em></strong></p><p>text</p>"),
            ("###### Six", "<p><strong>Six</strong></p>"),
            ("####### seven", "<p>####### seven</p>"),
            ("#tag", "<p>#tag</p>"), ("#", "<p>#</p>"), ("# C#", "<p><strong>C#</strong></p>"),
            ("a\n---\nb", "<p>a<br>---<br>b</p>"),
            ("", ""), (" \n\t\n", ""),
        ])
    }

    @Test func `emphasis closes what is nearest and leaves the rest as words`() {
        expect([
            (
                "*a* _b_ **c** __d__ ~~e~~",
                "<p><em>a</em> <em>b</em> <strong>c</strong> <strong>d</strong> <del>e</del></p>"
            ),
            ("***a***", "<p><em><strong>a</strong></em></p>"),
            ("*a **b***", "<p><em>a <strong>b</strong></em></p>"),
            ("**a *b***", "<p><strong>a <em>b</em></strong></p>"),
            ("***a* b**", "<p><strong><em>a</em> b</strong></p>"),
            ("***a** b*", "<p><em><strong>a</strong> b</em></p>"),
            ("**a*b**", "<p><strong>a*b</strong></p>"),
            ("*a _b* c_", "<p><em>a _b</em> c_</p>"),
            ("**a", "<p>**a</p>"), ("a**", "<p>a**</p>"), ("a * b * c", "<p>a * b * c</p>"),
            ("**foo*", "<p>**foo*</p>"),
            ("****a****", "<p>****a****</p>"), ("~a~ ~~~a~~~", "<p>~a~ ~~~a~~~</p>"),
            ("un*frigging*believable", "<p>un<em>frigging</em>believable</p>"),
            ("snake_case_name", "<p>snake_case_name</p>"), ("2*3*4", "<p>2<em>3</em>4</p>"),
            ("“_Dune_”—_Emma_, «*x*»", "<p>“<em>Dune</em>”—<em>Emma</em>, «<em>x</em>»</p>"),
            ("Über_maß_ _maß_", "<p>Über_maß_ <em>maß</em></p>"),
            ("*a\n\nb*", "<p>*a</p><p>b*</p>"), ("*a\nb*", "<p><em>a<br>b</em></p>"),
        ])
    }

    @Test func `code stands as it is`() {
        expect([
            ("`a *b* <c>`", "<p><code>a *b* &lt;c&gt;</code></p>"),
            ("``a ` b``", "<p><code>a ` b</code></p>"), ("`` ` ``", "<p><code>`</code></p>"),
            ("`a", "<p>`a</p>"), ("``a`", "<p>``a`</p>"), ("`a\nb`", "<p><code>a b</code></p>"),
            ("*a `b*` c*", "<p><em>a <code>b*</code> c</em></p>"),
            ("\\`a`", "<p>`a`</p>"), ("`a\\`", "<p><code>a\\</code></p>"),
            ("```\na\n\n  *b*\n```\nc", "<pre><code>a\n\n  *b*\n</code></pre><p>c</p>"),
            ("```swift\na", "<pre><code>a\n</code></pre>"), ("```\n```", "<pre><code></code></pre>"),
            ("````\n```\n````", "<pre><code>```\n</code></pre>"), ("```a`b", "<p>```a`b</p>"),
            ("```>!", "<p>```&gt;!</p>"),
            ("a\n```\nb\n```", "<p>a</p><pre><code>b\n</code></pre>"),
            ("> ```\n> a\nb", "<blockquote><pre><code>a\n</code></pre></blockquote><p>b</p>"),
            ("- ```\n    a\n  ```\n- b", "<ul><li><pre><code>  a\n</code></pre></li><li>b</li></ul>"),
            ("  ```\n   a\n b\n  ```", "<pre><code> a\nb\n</code></pre>"),
        ])
    }

    @Test func `quotes go on with their own mark only`() {
        expect([
            ("> a\n> b", "<blockquote><p>a<br>b</p></blockquote>"), (">a", "<blockquote><p>a</p></blockquote>"),
            ("> a\nb", "<blockquote><p>a</p></blockquote><p>b</p>"),
            ("a\n> b", "<p>a</p><blockquote><p>b</p></blockquote>"),
            ("> a\n>\n> b", "<blockquote><p>a</p><p>b</p></blockquote>"),
            ("> a\n\n> b", "<blockquote><p>a</p></blockquote><blockquote><p>b</p></blockquote>"),
            ("> a\n>> b\n> c", "<blockquote><p>a</p><blockquote><p>b</p></blockquote><p>c</p></blockquote>"),
            (
                ">>>> a",
                "<blockquote><blockquote><blockquote><p>&gt; a</p></blockquote></blockquote></blockquote>"
            ),
            (">", "<blockquote></blockquote>"), (">!a", "<p>&gt;!a</p>"), ("\\> a", "<p>&gt; a</p>"),
        ])
    }

    @Test func `lists hold what stands two columns in`() {
        expect([
            ("- a\n* b", "<ul><li>a</li><li>b</li></ul>"), ("-a", "<p>-a</p>"), ("-", "<ul><li></li></ul>"),
            ("1. a\n7. b", "<ol><li>a</li><li>b</li></ol>"), ("7. a", "<ol start=\"7\"><li>a</li></ol>"),
            ("1) a", "<p>1) a</p>"), ("1234567890. a", "<p>1234567890. a</p>"),
            ("- a\n1. b", "<ul><li>a</li></ul><ol><li>b</li></ol>"),
            ("- a\n  - b\n- c", "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>"),
            ("1. a\n   b\n\n   c", "<ol><li>a<br>b<p>c</p></li></ol>"),
            ("- a\n\n- b", "<ul><li>a</li><li>b</li></ul>"), ("- a\nb", "<ul><li>a</li></ul><p>b</p>"),
            ("a\n- b", "<p>a</p><ul><li>b</li></ul>"), ("a\n2. b\n-", "<p>a<br>2. b<br>-</p>"),
            ("a\n1. b", "<p>a</p><ol><li>b</li></ol>"),
            ("- > a\n  > b", "<ul><li><blockquote><p>a<br>b</p></blockquote></li></ul>"),
            ("> - a\n> - b", "<blockquote><ul><li>a</li><li>b</li></ul></blockquote>"),
            ("- - - - a", "<ul><li><ul><li><ul><li>- a</li></ul></li></ul></li></ul>"),
            ("- a\n\t- b\n\t\t- c", "<ul><li>a<ul><li>b<ul><li>c</li></ul></li></ul></li></ul>"),
            ("- # a", "<ul><li><p><strong>a</strong></p></li></ul>"),
        ])
    }

    @Test func `a backslash takes the meaning from a mark, and every sign of HTML is a word`() {
        expect([
            ("\\*a\\* \\[b](c) \\@ann \\# \\\\", "<p>*a* [b](c) @ann # \\</p>"), ("a\\b\\", "<p>a\\b\\</p>"),
            ("<b>&amp;\"'", "<p>&lt;b&gt;&amp;amp;&quot;&#39;</p>"), ("\\<b>", "<p>&lt;b&gt;</p>"),
            ("a\u{202E}b\u{0}c\u{85}d\u{FEFF}", "<p>abcd</p>"), ("a\tb", "<p>a\tb</p>"),
        ])
    }

    @Test func `the plain form holds the words and no mark`() {
        let source =
            "# One\n> *two* `three`\n- [four](https://x.example)\n- @five & https://six.example\n```\nseven\n```"
        #expect(
            Markdown.render(source).plain == "One\ntwo three\nfour\n@five & https://six.example\nseven\n")
    }

    @Test func `the body is the source without what cannot be seen`() {
        #expect(Markdown.render("a\r\n\u{202E}b\u{7}\u{2066}\tc\r").body == "a\nb\tc\n")
        #expect(Markdown.render("**a** \u{1F3F4}\u{200D}\u{2620}").body == "**a** \u{1F3F4}\u{200D}\u{2620}")
    }
}
