import EPUB
import Testing

@Suite struct PlainTextTests {
    private static func read(_ text: String) throws -> WholeBook { try WholeBook(text: Array(text.utf8)) }

    @Test func `empty lines end paragraphs, whatever ends lines`() throws {
        for end in ["\n", "\r\n", "\r"] {
            let book = try Self.read("\u{FEFF}One\nline.\n\n\n<Two> & 'more'.\n".replacing("\n", with: end))

            #expect(book.pages.map(\.html) == ["<p>One line.</p>\n<p>&lt;Two&gt; &amp; &#39;more&#39;.</p>"])
            #expect(book.facts.format == .text && book.facts.contents.isEmpty && book.faults.isEmpty)
        }
    }

    @Test func `chapters begin with their heading or a form feed`() throws {
        let text =
            "Preface\n\nWords.\n\nCHAPTER I. The Sea\n\nA.\n\nPart Two\n\nB. Chapter 7 was long.\n\n\u{C}C.\n\nChapter one day came\nand went.\n\nchapter xii\n\nD."
        let book = try Self.read(text)

        #expect(book.facts.chapters.map(\.title) == [nil, "CHAPTER I. The Sea", "Part Two", "C.", "chapter xii"])
        #expect(book.facts.contents.map { $0.target?.chapter } == [1, 2, 3, 4])
        #expect(book.chapters[1].pages[0].html == "<h2>CHAPTER I. The Sea</h2>\n<p>A.</p>")
        #expect(book.faults.isEmpty)
    }

    @Test func `verse keeps its lines`() throws {
        #expect(
            try Self.read("  Tyger Tyger,\n  burning bright\n\n  prose").pages[0].html
                == "<p>Tyger Tyger,<br>burning bright</p>\n<p>prose</p>")
    }

    @Test func `what is no text is refused for what it is`() {
        #expect(throws: EPUB.Refusal.empty) { try WholeBook(text: []) }
        #expect(throws: EPUB.Refusal.textWithNUL) { try Self.read("a\0b") }
        #expect(throws: EPUB.Refusal.textNotUTF8) { try WholeBook(text: [0x61, 0xE9, 0x62]) }
        #expect(throws: EPUB.Refusal.nothingToRead) { try Self.read(" \n\u{C}\n\t") }
        #expect(throws: EPUB.Refusal.textTooLarge) {
            try WholeBook(text: Array(repeating: 0x61, count: (16 << 20) + 1))
        }
    }

    @Test func `the words stay the same words in the same order`() throws {
        let text = (0..<5_000).map { "word\($0)" + ($0 % 40 == 0 ? "\n\n" : $0 % 13 == 0 ? "\n" : " ") }.joined()
        let book = try Self.read(text)

        #expect(book.pages.map(\.text).joined(separator: "\n").spacesRemoved == text.spacesRemoved)
        #expect(book.pages.count > 10 && book.faults.isEmpty)
    }
}
