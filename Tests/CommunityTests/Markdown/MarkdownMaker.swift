import TestSupport

/// Texts by chance: marks, words and ends of lines in any order. Each word comes once in a text, so that it can be told
/// where it went.
struct MarkdownMaker {
    let random: TestRandom
    private var words = 0

    init(_ random: TestRandom) { self.random = random }

    private static let marks = [
        "*", "**", "***", "_", "__", "~~", "`", "``", "```", "[", "]", "](", "](https://x.example/", ")", "(", ">!",
        "!<", ">!", "!<",
        "\\", "<", ">", "!", "&", "\"", "'", "@", "#", "-", ".", ":", "https://x.example/", "http://", "mailto:",
        "@x.example", "&amp;",
        "<script>", "javascript:", "é", "—", "“", "東", "\u{1F469}\u{200D}\u{1F467}", "\u{202E}", "\u{0}", "\t", "\r",
        "\u{A0}",
    ]
    private static let beginnings = [
        "", "", "", "> ", ">", ">> ", "- ", "* ", "1. ", "27. ", "  ", "   - ", "      ", "# ", "### ", "```", "```",
        "> - ", "- > ", ">!", "\t",
    ]

    /// `q17q`: no such word is part of another.
    mutating func word() -> String {
        words += 1
        return "q\(words)q"
    }

    /// At most `most` marks and words.
    mutating func text(most: Int) -> String {
        var text = random.element(of: Self.beginnings) ?? ""
        for _ in 0..<random.number(in: 0...most) {
            switch random.number(in: 0..<20) {
            case 0..<8: text += random.element(of: Self.marks) ?? ""
            case 8..<14: text += word()
            case 14..<17: text += " "
            case 17: text += random.once(in: 2) ? "@" + word() : ">!" + word() + "!<"
            case 18: text += "\n" + (random.element(of: Self.beginnings) ?? "")
            default: text += random.once(in: 3) ? "\n\n" + (random.element(of: Self.beginnings) ?? "") : " "
            }
        }
        return text
    }

    /// Words with marks that are closed, so that a spoiler around them is one whatever else happens.
    private mutating func piece() -> String {
        switch random.number(in: 0..<8) {
        case 0: "*\(word())*"
        case 1: "**\(word()) _\(word())_**"
        case 2: "`\(word())`"
        case 3: "[\(word())](https://x.example/\(word()))"
        case 4: "@\(word())"
        case 5: "https://x.example/\(word())"
        case 6: "\(word()) * [ ] _ ~~ < > & \\* ( )"
        default: word()
        }
    }

    private mutating func pieces(_ most: Int) -> String {
        (0..<random.number(in: 1...most)).map { _ in piece() }.joined(separator: " ")
    }

    /// A text with spoilers that must be such, and the words in them.
    mutating func spoilt() -> (text: String, secrets: [String]) {
        var text = ""
        var secrets: [String] = []
        for _ in 0..<random.number(in: 1...4) {
            let prefix = random.element(of: ["", "> ", ">> ", "- ", "1. ", "# ", "> - "]) ?? ""
            text += "\n\n" + prefix + pieces(3)
            for _ in 0..<random.number(in: 0...2) {
                let first = words
                let secret = pieces(3)
                secrets += (first + 1...words).map { "q\($0)q" }
                text += " *>!" + secret + (random.once(in: 2) ? " !<" : "!<") + pieces(2) + "* "
            }
        }
        return (text, secrets)
    }
}
