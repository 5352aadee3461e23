import JSONWriting
import Postgres
import TestSupport
import Testing

@testable import Community

@Suite
struct JSONFittingTests {
    @Test func `an event has as much of a text as there is room for`() throws {
        var tried: [Int] = []
        func said(_ text: String, of bytes: Int) throws -> JSON {
            tried = []
            return try JSON.fitting(bytes) { object, room in
                tried.append(room)
                object.put("text", text.clipped(to: room).text ?? "")
            }
        }
        let short = try said("short", of: 500)
        #expect(short.text == #"{"text":"short"}"# && tried == [500])
        let plain = try said(String(repeating: "a", count: 16_000), of: 16_000)
        #expect(plain.text.contains(String(repeating: "a", count: 8_000)) && tried == [16_000, 8_000])
        // Escaped each needs six bytes.
        let escaped = try said(String(repeating: "\u{1}", count: 16_000), of: 16_000)
        #expect(tried == [16_000, 8_000, 3_000, 800] && escaped.bytes.count <= Limits.eventSize)
        // So does a slash two, which is written as one.
        let slashes = try said(String(repeating: "/", count: 7_600), of: 7_600)
        #expect(tried == [7_600, 3_000] && slashes.bytes.count < 3_100)
        // No more is tried than there is.
        _ = try said(String(repeating: "\u{1}", count: 5_000), of: 5_000)
        #expect(tried == [5_000, 3_000, 800])
    }

    @Test func `an event without room for its text at all is refused`() {
        let beside = String(repeating: "n", count: Limits.eventSize)
        #expect(throws: Failure.invalid("/body", .tooLong, "the event would be too large")) {
            try JSON.fitting(10) { object, _ in object.put("beside", beside) }
        }
    }
}
