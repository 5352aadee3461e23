import TestSupport
import Testing

@testable import Community
@testable import MarkdownReading

/// Attempts to run a script, in every place where a reader can put words.
@Suite struct MarkdownPayloadTests {
    /// `%` is the payload.
    private static let contexts = [
        "%", "[%](https://x.example)", "[x](%)", "[x](https://x.example/%)", "[x](mailto:%@x.example)",
        "https://x.example/%",
        "https://%", ">!%!<", ">!a", "`%`", "``%``", "```\n%\n```", "```%\nx\n```", "> %", ">>> %", "- %", "1. %",
        "%. x",
        "# %", "*%*", "***%***", "~~%~~", "_%_", "@%", "@ann%", "%@ann", "\\%", "a\n%\nb",
        "> - >!*[%](https://x.example)*!<",
        "[>!%!<](%)", "%%", "&%;", "<%>", "\"%\"", "'%'",
    ]

    @Test func `the list is as long as it is meant to be`() {
        #expect(ScriptPayloads.all.count >= 300)
        #expect(Set(ScriptPayloads.all).count == ScriptPayloads.all.count)
    }

    @Test(arguments: contexts) func `no payload leaves the whitelist`(context: String) {
        for payload in ScriptPayloads.all {
            let source = context.replacing("%", with: payload)
            let text = Markdown.render(source)
            for html in [text.html, text.veiled?.html ?? ""] {
                let fragment = MarkdownFragment(html)
                #expect(fragment.faults == [], "\(source.debugDescription)")
            }
        }
    }

    /// The reading of the proof itself.
    @Test(arguments: [
        "<script>", "<p onclick=\"x\"></p>", "<p class=\"x\"></p>", "<p>", "</p>", "<p></em>", "<em>a</em>",
        "<p><p></p></p>", "a", "<p>'</p>",
        "<p>\"</p>", "<p>></p>", "<p>&</p>", "<p>&nbsp;</p>", "<p>\u{202E}</p>", "<p>\u{0}</p>", "<img src=\"x\">",
        "<P></P>", "<p ></p>",
        "<p><a href=\"javascript:x\" rel=\"nofollow ugc noopener\"></a></p>",
        "<p><a href=\"https://x.example\"></a></p>",
        "<p><a href=\"https://a@x.example\" rel=\"nofollow ugc noopener\"></a></p>", "<ol start=\"x\"><li></li></ol>",
        "<p><a href=\"/@Ann\" class=\"mention\"></a></p>",
        "<p><a href=\"/@ann/x\" class=\"mention\"></a></p>",
        "<p><span class=\"spoiler\"><span class=\"spoiler\"></span></span></p>", "<ul>a</ul>", "<li>a</li>",
        "<ul><p>a</p></ul>",
        "<p><span class=\"spoiler\" data-gated=\"true\">a</span></p>", "<p><code><em>a</em></code></p>", "<pre>a</pre>",
        "<p><a href=\"/@ann\" class=\"mention\"><a href=\"/@ann\" class=\"mention\"></a></a></p>",
        "<p><ul></ul></p>",
    ])
    func `the strict reading finds fault`(html: String) {
        #expect(MarkdownFragment(html).faults != [])
    }
}
