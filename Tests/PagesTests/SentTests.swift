import HTTPTypes
import Hummingbird
import JSONWriting
import NIOCore
import TestSupport
import Testing
import Web

@testable import Pages

/// What becomes of the fields of a form.
struct SentTests {
    private static let scope = Schema.either([
        .choice(["free", "finished"]), .object("Upto", ["upto": .integer]), .object("Chapter", ["chapter": .integer]),
    ])
    private static let shape = Schema.object(
        "Thing",
        ["title": .string, "count": .integer],
        optional: [
            "is_open": .boolean, "note": .orNull(.string), "scope": scope,
            "place": .object("Place", ["page": .integer, "of": .string]),
            "items": .array(.object("Item", ["body": .string])), "tags": .array(.string),
            "kinds": .object("Kinds", ["post.reply": .boolean]), "until": .time,
            "levels": .map(.object("Level", ["mail": .boolean])),
        ])

    private func body(_ fields: [(String, String)]) throws -> String {
        let sent = Sent(fields: fields.map { (name: $0.0, value: $0.1) })
        return String(decoding: try JSONWriter.bytes(sent.body(Self.shape, but: [])), as: UTF8.self)
    }

    @Test func `fields become the JSON that the call takes`() throws {
        #expect(
            try body([
                ("title", "A"), ("count", "3"), ("is_open", "false"), ("is_open", "true"), ("note", ""), ("_x", "y"),
            ])
                == #"{"count":3,"is_open":true,"title":"A"}"#)
        #expect(try body([("_null", "note"), ("note", "")]) == #"{"note":null}"#)
        #expect(
            try body([
                ("place.page", "12"), ("place.of", ""), ("items.0.body", "x"), ("items.1.body", "y"), ("tags", "a"),
                ("tags", "b"),
            ])
                == #"{"items":[{"body":"x"},{"body":"y"}],"place":{"page":12},"tags":["a","b"]}"#)
        #expect(try body([("tags.0", "a"), ("tags.1", ""), ("tags.2", "b")]) == #"{"tags":["a","b"]}"#)
        #expect(try body([("_null", "tags"), ("tags", ""), ("_null", "items")]) == #"{"items":[],"tags":[]}"#)
        #expect(
            try body([("kinds.post.reply", "true"), ("levels.friend.new.mail", "false")])
                == #"{"kinds":{"post.reply":true},"levels":{"friend.new":{"mail":false}}}"#)
        #expect(try body([("until", "2026-12-01")]) == #"{"until":"2026-12-01T23:59:59Z"}"#)
        #expect(try body([("count", "three")]) == #"{"count":"three"}"#)
        #expect(try body([("strange", "x")]) == #"{"strange":"x"}"#)
    }

    @Test func `a choice may name the member that holds`() throws {
        #expect(try body([("scope", "free"), ("scope.upto", "500")]) == #"{"scope":"free"}"#)
        #expect(
            try body([("scope", "upto"), ("scope.upto", "500"), ("scope.chapter", "")]) == #"{"scope":{"upto":500}}"#)
        #expect(try body([("scope", ""), ("scope.upto", "500")]) == "{}")
    }

    private func sent(_ type: String, _ body: String) throws -> Sent { try sent(type, bytes: Array(body.utf8)) }

    private func sent(_ type: String, bytes: [UInt8]) throws -> Sent {
        let request = Request(
            head: HTTPRequest(
                method: .post, scheme: "http", authority: "x", path: "/", headerFields: [.contentType: type]),
            body: .init(buffer: ByteBuffer()))
        return try Sent(request, ByteBuffer(bytes: bytes))
    }

    @Test func `bodies are read as browsers write them`() throws {
        let encoded = try sent("application/x-www-form-urlencoded", "a=1+2&b=%C3%A9%0D%0Ax&a=3&c")
        #expect(
            encoded["a"] == "3" && encoded.all("a") == ["1 2", "3"] && encoded["b"] == "é\nx" && encoded["c"] == "")
        let lines = [
            "--xyz", "Content-Disposition: form-data; name=\"alt\"", "", "a picture", "--xyz",
            "Content-Disposition: form-data; name=\"file\"; filename=\"a.png\"", "Content-Type: image/png", "",
            "\u{1}\r\n--xy", "--xyz--", "",
        ]
        let whole = try sent("multipart/form-data; boundary=xyz", lines.joined(separator: "\r\n"))
        #expect(whole["alt"] == "a picture" && whole.file?.type == "image/png")
        #expect(whole.file.map { String(decoding: $0.bytes, as: UTF8.self) } == "\u{1}\r\n--xy")
    }

    @Test func `a body that no browser sends is refused`() throws {
        #expect(throws: Problem.self) { try sent("application/json", "{}") }
        #expect(throws: Problem.self) { try sent("application/x-www-form-urlencoded", "a=%ZZ") }
        #expect(throws: Problem.self) {
            try sent("application/x-www-form-urlencoded", String(repeating: "a=1&", count: 501))
        }
        #expect(throws: Problem.self) {
            try sent("application/x-www-form-urlencoded", bytes: Array("a=".utf8) + [0xFF])
        }
        let nameless = String(repeating: "--xyz\r\n\r\n\r\n", count: 501) + "--xyz--\r\n"
        #expect(throws: Problem.self) { try sent("multipart/form-data; boundary=xyz", nameless) }
        for broken in ["", "--xyz", "--xyz\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nhalf", "junk"] {
            if broken.isEmpty { continue }
            #expect(throws: Problem.self) { try sent("multipart/form-data; boundary=xyz", broken) }
        }
    }
}
