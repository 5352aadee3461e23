import TestSupport
import Testing

@testable import Community
@testable import MarkdownReading

/// What is kept of what is posted.
@Suite struct MarkdownRulesTests {
    @Test func `what is dropped from a text is dropped once`() {
        let drops =
            "\u{0}\u{1F}\u{7F}\u{80}\u{9F}\u{202A}\u{202E}\u{2066}\u{2069}\u{206A}\u{206F}\u{FEFF}\u{FFFE}\u{FFFF}"
        #expect(Markdown.clean("a\(drops)b") == "ab")
        #expect(Markdown.clean("\r\n\r\u{2028}\u{2029}\n") == "\n\n\n\n\n")
        let kept = "\t\n a\u{A0}\u{200D}\u{200E}\u{2027}\u{202F}\u{2065}\u{2070}\u{FF01}\u{1F600}"
        #expect(Markdown.clean(kept) == kept)
    }
}
