import PlainText
import Testing

/// Apart from `PlainTextTests`, as Foundation has an initializer of this name too.
@Suite struct PlainTextFormatTests {
    @Test func `numbers are written as C writes them, and what is too long is cut off`() {
        #expect(String(format: "%.2f|%02x|%8.1f", 2.345, 10, 1.25) == "2.35|0a|     1.2")
        #expect(String(format: "%5000d", 1).utf8.count == 1_023)
    }
}
