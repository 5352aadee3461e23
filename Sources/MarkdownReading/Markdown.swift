/// What readers write, made safe to show: a small subset of Markdown with inline spoilers.
///
/// **Blocks**, line by line:
/// - A paragraph ends with an empty line; a line break in it is `<br>`; blanks around a line do not count.
/// - `# …` to `###### …` is a paragraph in bold.
/// - `> …` is a quote, `- …` and `* …` a list, `1. …` a numbered one that begins where the number says. Quotes lie in
///   quotes, and lists in lists, at most `Markdown.Bounds.nesting` deep; a deeper mark is text.
/// - A line goes on in a quote only with its own `>`, in an item only if it stands two columns in. An empty item, and
///   one that does not begin with 1, does not interrupt a paragraph; `>!` begins no quote.
/// - Three backticks or more, with a language's name or without, begin code as it stands, up to a line of as many or
///   the end of its quote, item or text.
///
/// **In a line**: `*em*` `_em_` `**strong**` `__strong__` `~~del~~` `` `code` `` `[text](https://…)` `https://…`
/// `@username` `>!spoiler!<`; `\` takes a mark's meaning away. What closes first wins; what is not closed, crosses
/// another or means nothing is text.
/// - **Links** go to `http` and `https` (a host of ASCII letters, digits, `-` and `.`, no user) or `mailto` (a bare
///   address), are at most `Markdown.Bounds.link` bytes, and hold no link, mention or spoiler.
/// - **Mentions** are 3 to 30 of `[A-Za-z0-9_]` behind an `@` before which stands no letter and none of `/ . @ + -`. They
///   lead to the page of the reader, `/@name` on this server.
/// - **Spoilers** stay in their paragraph and hold all the rest, but no spoiler; in code they are text.
///
/// No picture, no HTML, no entity: each of `& < > " '` comes out as text.
///
/// **What is guaranteed** of every text:
/// - `body` is the source without control characters (but tab and `\n`), overrides of direction and non-characters;
///   every end of a line is `\n`. Rendering `body` gives the same text.
/// - The HTML is balanced and holds only `p br strong em del code pre blockquote ul ol li`, `ol start="N"`,
///   `a href="…" rel="nofollow ugc noopener"`, `a href="/@name" class="mention"` and `span class="spoiler"`, in
///   the veiled form `span class="spoiler" data-gated="true"` with nothing in it. No `a` lies in an `a`.
/// - No byte from inside of a spoiler is in `veiled`, `plain` or `mentions`, nor how many there are. Rendering
///   `veiled.body` gives `veiled`, `plain` and `mentions` again.
/// - Time is linear in the bytes however the marks are set (`stepsPerByte`); HTML is at most `growth` times as long as
///   the source and `fixedGrowth` bytes; `plain` and both bodies are never longer than the source.
///
/// No table, no event: a domain that keeps a text keeps `body` and renders it again, or keeps all of its forms.
package enum Markdown {
    /// What one text may hold.
    package enum Bounds {
        /// Quotes in quotes, and lists in lists.
        package static let nesting = 3
        /// Names that one text mentions; further ones are links and nothing more.
        package static let mentions = 20
        /// Names that one text may have links to once it is looked up who they are; further ones are words.
        package static let links = 100
        /// Bytes of a link's address.
        package static let link = 2_000
        /// Characters of a name that is mentioned: of every username.
        package static let username = 3...30
    }
}

extension Markdown {
    /// One text in all its forms.
    package struct Text: Hashable, Sendable {
        /// The source, cleaned.
        package let body: String
        /// Safe to show to readers who may see all of it.
        package let html: String
        /// For those who may see the text but not its spoilers; `nil` where it holds none.
        package let veiled: Veiled?
        /// The words without marks, `…` for a spoiler, a line for each line: for search and excerpts, for everybody who
        /// may see the text.
        package let plain: String
        /// Usernames in lower case, each once, in the order of the text, at most `Markdown.Bounds.mentions`; none from
        /// code or spoilers.
        package let mentions: [String]

        /// Forms that were rendered and kept.
        package init(body: String, html: String, veiled: Veiled?, plain: String, mentions: [String]) {
            (self.body, self.html, self.veiled, self.plain, self.mentions) = (body, html, veiled, plain, mentions)
        }
    }

    /// A text with each inline spoiler withheld: `>!!<` in the source, an empty gated element in the HTML.
    package struct Veiled: Hashable, Sendable {
        package let body: String
        package let html: String

        package init(body: String, html: String) { (self.body, self.html) = (body, html) }
    }

    /// `source` in all its forms, with a link for each mention. Takes any text; what may be posted is `Wording`'s to say.
    package static func render(_ source: String) -> Text { render(source, linking: nil) }

    /// The same with links for mentions of `names` alone, in lower case; other mentions are words. `nil`: links for all.
    package static func render(_ source: String, linking names: Set<String>?) -> Text {
        measure(source, linking: names).text
    }

    /// The names, in lower case, that the HTML of a text has links to, those in spoilers too.
    package static func linked(in html: String) -> Set<String> {
        let bytes = Array(html.utf8)
        // Each `<` of a reader's is escaped: no word is like it.
        let mark = Array("<a href=\"/@".utf8)
        var names: Set<String> = []
        var at = 0
        while let start = bytes[at...].firstIndex(of: UInt8(ascii: "<")) {
            at = start + 1
            guard bytes[start...].starts(with: mark) else { continue }
            let name = bytes[(start + mark.count)...].prefix { $0.isNameByte }
            names.insert(String(decoding: name, as: UTF8.self))
            at = name.endIndex
        }
        return names
    }

    /// Steps that rendering takes for each byte, at most, beside `fixedSteps`.
    static let stepsPerByte = 12
    static let fixedSteps = 200
    /// Bytes of HTML for each byte of source, at most, beside `fixedGrowth`: the worst is `>>>-` on every other line.
    package static let growth = 16
    package static let fixedGrowth = 100

    /// `render`, and how many steps it took: looks at a byte, at an open mark, or writes of a byte.
    static func measure(_ source: String, linking names: Set<String>? = nil) -> (text: Text, steps: Int) {
        let body = clean(source)
        var blocks = Blocks(Array(body.utf8), linking: names)
        blocks.run()
        let steps = 2 * source.utf8.count + blocks.steps + blocks.inline.steps + blocks.output.steps
        return (blocks.output.text(of: blocks.source, body: body), steps)
    }
}
