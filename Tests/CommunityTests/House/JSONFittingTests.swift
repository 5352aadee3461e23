import Postgres
import TestSupport
import Testing

@testable import Community

@Suite
struct JSONFittingTests {
    private struct Said: Encodable {
        let text: String
        var beside = ""
    }

    @Test func `an event has as much of a text as there is room for`() throws {
        var tried: [Int] = []
        func said(_ text: String, of bytes: Int) throws -> JSON {
            tried = []
            return try JSON.fitting(bytes) { room in
                tried.append(room)
                return Said(text: text.clipped(to: room).text ?? "")
            }
        }
        let short = try said("short", of: 500)
        #expect(short.text == #"{"beside":"","text":"short"}"# && tried == [500])
        let plain = try said(String(repeating: "a", count: 16_000), of: 16_000)
        #expect(plain.text.contains(String(repeating: "a", count: 8_000)) && tried == [16_000, 8_000])
        // Escaped each needs six bytes.
        let escaped = try said(String(repeating: "\u{1}", count: 16_000), of: 16_000)
        #expect(tried == [16_000, 8_000, 3_000, 800] && escaped.bytes.count <= Limits.eventSize)
        // No more is tried than there is.
        _ = try said(String(repeating: "\u{1}", count: 5_000), of: 5_000)
        #expect(tried == [5_000, 3_000, 800])
    }

    @Test func `an event without room for its text at all is refused`() {
        let beside = String(repeating: "n", count: Limits.eventSize)
        #expect(throws: Failure.invalid("/body", "too_long", "the event would be too large")) {
            try JSON.fitting(10) { _ in Said(text: "", beside: beside) }
        }
    }
}
