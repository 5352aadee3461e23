import TestSupport
import Testing

@testable import Community
@testable import MarkdownReading

/// What the worst texts cost, counted in steps and bytes: time would tell of the machine.
@Suite struct MarkdownCostTests {
    /// A beginning, what is said over and over, an end.
    typealias Hostile = (start: String, unit: String, end: String)

    private static let units = [
        "a", " ", "\n", "\t", "\\", "é", "*", "**", "***", "_", "~~", "`", "[", "]", "(", ")", "<", ">", "!", "&", "\"",
        "@", "#", ":",
        ">!", "!<", ">!!<", ">!a!<", ">!`", "`>!", "*a ", "*a_ ", "**a *b ", "*a **b* ", "a**b", "_a*b~~c ", "*[", "[*",
        "[]", "[a](", "](",
        "[a](https://x.example", "[a](https://x.example)", "](https://x.example/(", "[[a](https://x.example)",
        "https://x.example/",
        " https://x.example", "http://", "https:", " https://x.example/((((", " https://x.example/))))", "@ann ",
        "@ann", "@@", "\\*", "\\`",
        "` `` ", "` `` ``` ", "`a``b```c", "> ", ">\n", "> a\n", ">>>a\n\n", ">>>-\n-\n", "- ", "-\n", "- a\n", "1. ",
        "1.\n", "-\n1.\n",
        "  - a\n", "      - a\n   > b\n", "- > ", "- - -\n", ">>>- - - a\n\n", "```\n", "```a\n", "`````\n", "# a\n",
        "# # ", "# a #######",
        "a\n\n", "a\n", "*a\n\n", "\n\n", ">!a\n\n", "> >!a\n> b!<\n", "\u{202E}", "\r", "&amp;", "a  \n",
        "\t\t\t- a\n", "\"'<>&",
    ]
    private static let hostile: [Hostile] =
        units.map { ("", $0, "") } + [
            (">", ">", "a"), ("", "[", "](https://x.example)"), ("", "*a ", "*"), ("", "`", " `"),
            ("a", "*a_ ", "b* c_"),
            ("`", "``a", "`"), (">!", "a *", "!<"), ("https://x.example/", "a", ""), ("https://x.example/", "!", "<"),
            ("[a](https://x.example/", "(", ")"), ("@", "a", ""), ("- a\n", "      b\n", ""),
            ("```\n", ">!a!<\n", "```"),
            ("1", "1", ". a"), ("", "*", "a"), ("a ", "*", ""),
            ("[", "[a](https://x.example) ", "](https://x.example)"),
        ]

    private func source(_ hostile: Hostile, bytes: Int) -> String {
        hostile.start + String(repeating: hostile.unit, count: bytes / hostile.unit.utf8.count) + hostile.end
    }

    @Test func `every text costs at most so much for each of its bytes`() {
        for hostile in Self.hostile {
            for bytes in [100, 4_000, 20_000] {
                let source = source(hostile, bytes: bytes)
                let (text, steps) = Markdown.measure(source)
                let size = source.utf8.count
                let note = "\(bytes) bytes of \(hostile)"
                #expect(steps <= Markdown.stepsPerByte * size + Markdown.fixedSteps, "\(note)")
                for html in [text.html, text.veiled?.html ?? ""] {
                    #expect(html.utf8.count <= Markdown.growth * size + Markdown.fixedGrowth, "\(note)")
                }
                #expect(MarkdownFragment(text.html).faults == [], "\(note)")
            }
        }
    }

    @Test func `a text of twice the length costs twice as much`() {
        for hostile in Self.hostile {
            let once = Markdown.measure(source(hostile, bytes: 5_000)).steps
            let twice = Markdown.measure(source(hostile, bytes: 10_000)).steps
            #expect(twice <= 2 * once + 2 * once / 10 + Markdown.fixedSteps, "\(hostile): \(once), then \(twice)")
        }
    }
}
