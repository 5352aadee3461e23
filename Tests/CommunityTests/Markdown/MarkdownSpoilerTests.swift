import TestSupport
import Testing

@testable import Community
@testable import MarkdownReading

/// Inline spoilers: what is one, and what is left of a text for those who may not see them.
@Suite struct MarkdownSpoilerTests {
    private static let gated = "<span class=\"spoiler\" data-gated=\"true\"></span>"

    /// A source, its HTML with `{…}` for the spoilers, and its source without them; `nil` where it holds none.
    @Test func `what stands between the marks is withheld, whatever it is`() {
        let cases: [(source: String, html: String, veiled: String?)] = [
            ("a >!b!< c", "<p>a {b} c</p>", "a >!!< c"),
            (">!a!<>!b!<", "<p>{a}{b}</p>", ">!!<>!!<"),
            (">!a\nb!< c", "<p>{a<br>b} c</p>", ">!!< c"),
            (
                "> >!a\n> b!< c\n>> d", "<blockquote><p>{a<br>b} c</p><blockquote><p>d</p></blockquote></blockquote>",
                "> >!!< c\n>> d"
            ),
            ("- >!a\n  b!<\n- c", "<ul><li>{a<br>b}</li><li>c</li></ul>", "- >!!<\n- c"),
            ("# >!a!<", "<p><strong>{a}</strong></p>", "# >!!<"),
            ("*a >!*b* c* `d`!< e*", "<p><em>a {<em>b</em> c* <code>d</code>} e</em></p>", "*a >!!< e*"),
            (">!*a!<*", "<p>{*a}*</p>", ">!!<*"), ("*>!a*!<", "<p>*{a*}</p>", "*>!!<"),
            (">!a >!b!< c!<", "<p>{a &gt;!b} c!&lt;</p>", ">!!< c!<"),
            (">!!<", "<p>{}</p>", ">!!<"), (">!<!<", "<p>{&lt;}</p>", ">!!<"),
            (">!`!<`!<", "<p>{<code>!&lt;</code>}</p>", ">!!<"), ("`>!`a!<", "<p><code>&gt;!</code>a!&lt;</p>", nil),
            (">!a `b!< c`", "<p>&gt;!a <code>b!&lt; c</code></p>", nil),
            ("`>!a!<`", "<p><code>&gt;!a!&lt;</code></p>", nil),
            (">!a", "<p>&gt;!a</p>", nil), ("a!<", "<p>a!&lt;</p>", nil),
            (">!a\n\nb!<", "<p>&gt;!a</p><p>b!&lt;</p>", nil),
            (">!a\n- b!<", "<p>&gt;!a</p><ul><li>b!&lt;</li></ul>", nil), ("\\>!a!<", "<p>&gt;!a!&lt;</p>", nil),
            (">!a!\\<", "<p>&gt;!a!&lt;</p>", nil), ("```\n>!a!<\n```", "<pre><code>&gt;!a!&lt;\n</code></pre>", nil),
            ("[a >!b](https://x.example)!<", "<p>[a {b](LINK)}</p>", "[a >!!<"),
            ("[>!a!<](https://x.example)", "<p>[{a}](LINK)</p>", "[>!!<](https://x.example)"),
            (">!https://x.example!<", "<p>{LINK}</p>", ">!!<"),
        ]
        let link = "<a href=\"https://x.example\" rel=\"nofollow ugc noopener\">https://x.example</a>"
        for (source, pattern, veiled) in cases {
            let text = Markdown.render(source)
            let html = pattern.replacing("LINK", with: link)
            #expect(
                text.html == html.replacing("{", with: "<span class=\"spoiler\">").replacing("}", with: "</span>"),
                "\(source)")
            #expect(text.veiled?.body == veiled, "\(source)")
            let gated = html.replacing(#/\{[^}]*\}/#, with: Self.gated)
            #expect(text.veiled?.html == (veiled == nil ? nil : gated), "\(source)")
        }
    }

    @Test func `the words of a spoiler are neither searched nor told to whom they name`() {
        let text = Markdown.render("Ask @ann why >!@bob killed *Carol* `here`!< and [how](https://x.example)")
        #expect(text.plain == "Ask @ann why … and how")
        #expect(text.mentions == ["ann"])
    }

    @Test func `a text without a spoiler has no veiled form`() {
        #expect(Markdown.render("**All** is > !well! <").veiled == nil)
    }

    @Test func `the veiled source renders as the veiled form`() {
        let veiled = Markdown.render("> *a >!b\n> c!< d* @ann\n\n- >!e!<").veiled
        let again = Markdown.render(veiled?.body ?? "")
        #expect(again.veiled == veiled)
        #expect(again.mentions == ["ann"])
    }
}
