import Community
import Foundation
import JSONWriting
import Postgres
import TestSupport
import Testing

@testable import Web

@Suite struct JSONTests {
    @Test(arguments: [
        (#"{"a":[1,-2.5e3,true,false,null,"x"]}"#, #"{"a":[1,-2500,true,false,null,"x"]}"#),
        (#" [ ] "#, "[]"),
        (#"{"é":"\u00e9\ud83d\ude00\/\"\\\n"}"#, #"{"é":"é😀/\"\\\n"}"#),
        ("0", "0"),
    ])
    func `well-formed text is read as it was meant`(text: String, written: String) throws {
        let (value, faults) = try JSONValue.parse(Array(text.utf8))

        #expect(faults.all.isEmpty)
        #expect(String(decoding: try JSONWriter.bytes(value), as: UTF8.self) == written)
    }

    @Test(arguments: [
        "", " ", "{", "[1,]", "{\"a\":1,}", "{a:1}", "01", "1.", "+1", ".5", "1e", "nul", "truE", "\"", "\"\\x\"",
        "\"\\u12\"", "[1 2]",
        "{} {}", "\"\t\"", "\u{0}", "{\"a\" 1}", "NaN", "'a'", "\u{FEFF}{}", "// c\n{}",
    ])
    func `what is no JSON is refused`(text: String) {
        #expect(throws: JSONSyntaxError.self) { try JSONValue.parse(Array(text.utf8)) }
    }

    @Test func `bytes that are not UTF-8 are refused`() {
        for bytes: [UInt8] in [[0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0xFE]] {
            #expect(throws: JSONSyntaxError.self) { try JSONValue.parse(bytes) }
        }
    }

    @Test func `nesting beyond the limit is refused before the stack ends`() {
        let deep = String(repeating: "[", count: 100_000)

        #expect(throws: JSONSyntaxError.self) { try JSONValue.parse(Array(deep.utf8)) }
    }

    @Test func `NUL, half a surrogate pair, a key twice and endless digits are faults with pointers, all at once`()
        throws
    {
        let text =
            #"{"a":"x\u0000","b/c":["\ud800","\udc00\ud800"],"d":1,"d":2,"e":"# + String(repeating: "9", count: 100)
            + "}"

        let (_, faults) = try JSONValue.parse(Array(text.utf8))

        #expect(
            faults.all.map { "\($0.pointer) \($0.code)" } == [
                "/a bad_character", "/b~1c/0 bad_character", "/b~1c/1 bad_character", "/b~1c/1 bad_character",
                "/d duplicate",
                "/e out_of_range",
            ])
    }

    @Test func `faults are kept up to a number and a length, so that a small body makes no large answer`() throws {
        let escapes = String(repeating: #"\u0000"#, count: 1_000)
        let long = try JSONValue.parse(Array("{\"\(String(repeating: "é", count: 10_000))\":\"\(escapes)\"}".utf8))
            .faults.all
        let twice = try JSONValue.parse(Array("{\((0..<5_000).map { _ in #""k":1"# }.joined(separator: ","))}".utf8))
            .faults
            .all

        for faults in [long, twice] {
            #expect(faults.count == Faults.limit && faults.last?.code == .tooMany)
            #expect(faults.allSatisfy { $0.pointer.utf8.count <= Faults.pointerLength })
        }
        #expect(long.first?.pointer == "/" + String(repeating: "é", count: 99))
        #expect(throws: JSONSyntaxError.self) { try JSONValue.parse(Array(#"["\u0000"]"#.utf8), refusesFaults: true) }
    }

    @Test func `random bytes never do worse than be refused`() throws {
        let random = TestRandom()
        let alphabet = Array(#"{}[]",:\u0dD8eE+-.19 tfn"#.utf8) + [0, 0xFF, 0xC3, 0xA9]
        for _ in 0..<ProofCount.of(40_000) {
            let bytes = (0..<random.number(in: 0...40)).map { _ in random.element(of: alphabet) ?? 0 }
            if let value = try? JSONValue.parse(bytes).value {
                let again = try JSONValue.parse(JSONWriter.bytes(value)).value
                #expect(try JSONWriter.bytes(again) == JSONWriter.bytes(value))
            }
        }
    }

    private struct Sample: Encodable {
        struct Part: Encodable { let isbn13: String? }
        let publicURL: String
        let nextCursor: String?
        let parts: [Part]
        let byName: [String: [String: Int]]
        let at: Timestamp
        let ratio: Double
        let nothing: [Int]
    }

    @Test func `replies have snake_case keys, explicit nulls and times in milliseconds`() throws {
        let sample = Sample(
            publicURL: "a\u{1}b", nextCursor: nil, parts: [.init(isbn13: nil), .init(isbn13: "978")],
            byName: ["keepMe": ["andMe": 1], "a": [:]],
            at: Timestamp(microseconds: 1_700_000_000_123_456), ratio: 4.25, nothing: [])

        let text = String(decoding: try JSONWriter.bytes(sample), as: UTF8.self)

        #expect(
            text
                == #"{"public_url":"a\u0001b","next_cursor":null,"parts":[{"isbn13":null},{"isbn13":"978"}],"by_name":{"a":{},"keepMe":{"andMe":1}},"#
                + #""at":"2023-11-14T22:13:20.123Z","ratio":4.25,"nothing":[]}"#)
    }

    private struct Form: JSONForm {
        let note: String?
        let level: Double?
        let parts: [Form]

        func put(into object: JSONObject) {
            object.put("always", note)
            if let note { object.put("only_if_given", note) }
            object.put("level", level)
            object.put("inner") { $0.put("parts", parts) }
            object.put(named: "keepMe", ["x": parts.count])
        }
    }

    @Test func `a form has the members that it puts, null for what is not there, and none that it leaves out`() throws {
        let bare = Form(note: nil, level: nil, parts: [])
        let bytes = try JSONWriter.bytes(["forms": [bare, Form(note: "n", level: 5, parts: [bare])]])

        let empty = #"{"always":null,"level":null,"inner":{"parts":[]},"keepMe":{"x":0}}"#
        let full = #"{"always":"n","only_if_given":"n","level":5,"inner":{"parts":[\#(empty)]},"keepMe":{"x":1}}"#
        #expect(String(decoding: bytes, as: UTF8.self) == #"{"forms":[\#(empty),\#(full)]}"#)
    }

    @Test func `a form is an error for another encoder, not an empty value`() {
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(Form(note: nil, level: nil, parts: [])) }
    }

    @Test func `a number that JSON does not have is an error, not a broken reply`() {
        #expect(throws: EncodingError.self) { try JSONWriter.bytes([Double.nan]) }
        #expect(throws: EncodingError.self) { try JSONWriter.bytes(["a": Double.infinity]) }
        #expect(throws: EncodingError.self) { try JSONWriter.bytes(Form(note: nil, level: .nan, parts: [])) }
    }
}
