import TestSupport
import Testing

@testable import Community

/// What readers may write at all.
@Suite struct WordingTests {
    private func text(_ text: String, characters: ClosedRange<Int>? = nil) -> [String] {
        var faults = Faults()
        Wording.check(text: text, into: &faults, characters: characters, bytes: 1...40, at: "/body")
        #expect(faults.all.allSatisfy { $0.pointer == "/body" })
        return faults.all.map(\.code.rawValue)
    }

    private func line(_ line: String) -> [String] {
        var faults = Faults()
        Wording.check(line: line, into: &faults, characters: 1...10, at: "/title")
        #expect(faults.all.allSatisfy { $0.pointer == "/title" })
        return faults.all.map(\.code.rawValue)
    }

    @Test(arguments: ["a", ".", " é ", "👩‍👩‍👧‍👦", String(repeating: "x", count: 40)])
    func `a text that can be seen is taken`(source: String) {
        #expect(text(source, characters: 1...40) == [])
    }

    @Test(arguments: [
        "", " ", "\n\t\r\n", "\u{200B}\u{2060}", "\u{202E}\u{2066}", "\u{FEFF}", "\u{FFFE}", "\u{3164}", "\u{A0}",
        "\u{2800}", "\u{1}", "\u{E0041}\u{FE0F}",
    ])
    func `a text of nothing that is seen is refused`(source: String) {
        #expect(text(source, characters: 1...40) == ["too_short"])
        #expect(line(source).first == "too_short")
    }

    @Test func `a text is refused for its bytes and for its characters`() {
        #expect(text(String(repeating: "x", count: 41)) == ["too_long"])
        #expect(text("abcd", characters: 1...3) == ["too_long"])
        #expect(text("äöü", characters: 1...3) == [])
        #expect(text("ab", characters: 3...10) == ["too_short"])
    }

    @Test func `characters are Unicode scalar values, in a text and in a line`() {
        // Seven of them, which a reader sees as one.
        #expect(text("👩‍👩‍👧‍👦", characters: 1...7) == [])
        #expect(text("👩‍👩‍👧‍👦", characters: 1...6) == ["too_long"])
        #expect(text("e\u{301}\u{301}", characters: 1...2) == ["too_long"])
        #expect(line("👩‍👩‍👧‍👦abc") == [])
        #expect(line("👩‍👩‍👧‍👦abcd") == ["too_long"])
    }

    @Test func `what is left out of a text does not count, and a line is refused for it`() {
        #expect(text("a\u{1}\u{202E}\r\nb", characters: 1...3) == [])
        #expect(line("a\u{1}b") == ["bad_format"])
        #expect(line("a\u{202E}b") == ["bad_format"])
        #expect(line("a\r\nb") == ["bad_format"])
    }

    @Test func `a NUL is refused`() {
        #expect(text("a\u{0}b") == ["bad_format"])
        #expect(line("a\u{0}b") == ["bad_format"])
    }

    /// One rule for all: what nobody sees is nothing, and a character is a character.
    @Test func `every text of readers is judged alike`() {
        let checks: [(String, (String, inout Faults) -> Void, Int)] = [
            ("post", { Boards.check(body: $0, into: &$1) }, Limits.boards.body.upperBound),
            ("title", { Boards.check(title: $0, into: &$1) }, Limits.boards.title.upperBound),
            ("message", { Messages.NewMessage.check(body: $0, into: &$1) }, Limits.messages.body.upperBound),
            ("about", { Groups.check(about: $0, into: &$1) }, Limits.groups.about.upperBound),
            ("name", { Groups.check(name: $0, into: &$1) }, Limits.groups.name.upperBound),
            ("review", { Reviews.NewReview.check(body: $0, into: &$1) }, Limits.reviews.body.upperBound),
        ]
        for (name, check, most) in checks {
            func codes(_ text: String) -> [String] {
                var faults = Faults()
                check(text, &faults)
                return faults.all.map(\.code.rawValue)
            }
            #expect(codes("\u{200B}\u{2060} ") == ["too_short"], "\(name)")
            #expect(codes(String(repeating: "a", count: most)) == [], "\(name)")
            // Two for each letter: as many letters as are taken, and twice as many characters.
            #expect(codes(String(repeating: "e\u{301}", count: most)) == ["too_long"], "\(name)")
        }
    }
}
