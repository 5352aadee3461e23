import TestSupport
import Testing

@testable import Community

/// What may be posted at all.
@Suite(.requirement("DIS-2")) struct MarkdownRulesTests {
    private func faults(_ source: String, characters: ClosedRange<Int>? = nil) -> [String] {
        var faults = Faults()
        Markdown.check(source, into: &faults, bytes: 1...40, characters: characters, at: "/body")
        #expect(faults.all.allSatisfy { $0.pointer == "/body" })
        return faults.all.map(\.code)
    }

    @Test(arguments: ["a", ".", " é ", "👩‍👩‍👧‍👦", String(repeating: "x", count: 40)])
    func `a text that can be seen is taken`(source: String) {
        #expect(faults(source, characters: 1...40) == [])
    }

    @Test(arguments: [
        "", " ", "\n\t\r\n", "\u{200B}\u{2060}", "\u{202E}\u{2066}", "\u{FEFF}", "\u{FFFE}", "\u{3164}", "\u{A0}",
    ])
    func `a text of nothing that is seen is refused`(source: String) {
        #expect(faults(source) == ["too_short"])
    }

    @Test func `a text is refused for its bytes and for its characters`() {
        #expect(faults(String(repeating: "x", count: 41)) == ["too_long"])
        #expect(faults("abcd", characters: 1...3) == ["too_long"])
        #expect(faults("äöü", characters: 1...3) == [])
        #expect(faults("ab", characters: 3...10) == ["too_short"])
        #expect(faults("👩‍👩‍👧‍👦", characters: 1...1) == [])
    }

    @Test func `a NUL is refused`() {
        #expect(faults("a\u{0}b") == ["bad_format"])
    }

    @Test func `what is dropped from a text is dropped once`() {
        let drops =
            "\u{0}\u{1F}\u{7F}\u{80}\u{9F}\u{202A}\u{202E}\u{2066}\u{2069}\u{206A}\u{206F}\u{FEFF}\u{FFFE}\u{FFFF}"
        #expect(Markdown.clean("a\(drops)b") == "ab")
        #expect(Markdown.clean("\r\n\r\u{2028}\u{2029}\n") == "\n\n\n\n\n")
        let kept = "\t\n a\u{A0}\u{200D}\u{200E}\u{2027}\u{202F}\u{2065}\u{2070}\u{FF01}\u{1F600}"
        #expect(Markdown.clean(kept) == kept)
    }
}
