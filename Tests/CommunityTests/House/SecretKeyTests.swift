import TestSupport
import Testing

@testable import Community

struct SecretKeyTests {
    private let key = SecretKey(from: SystemRandom())

    @Test func `what was sealed opens for the same purpose and context only`() {
        let plain = Array("cpl_token".utf8)
        let sealed = key.seal(plain, for: .reply, context: [1])
        #expect(sealed.count == plain.count + 28)
        #expect(key.open(sealed, for: .reply, context: [1]) == plain)
        #expect(key.open(sealed, for: .reply, context: [2]) == nil)
        #expect(key.open(sealed, for: .cursor, context: [1]) == nil)
        #expect(SecretKey(from: SystemRandom()).open(sealed, for: .reply, context: [1]) == nil)
        for index in sealed.indices {
            var broken = sealed
            broken[index] ^= 1
            #expect(key.open(broken, for: .reply, context: [1]) == nil)
        }
        for count in 0..<28 { #expect(key.open(Array(sealed.prefix(count)), for: .reply, context: [1]) == nil) }
    }

    @Test func `the same text is sealed differently each time`() {
        let (one, other) = (key.seal([1, 2, 3], for: .reply), key.seal([1, 2, 3], for: .reply))
        #expect(one != other)
    }

    @Test func `what is sealed alike is the same for the same text and context only, and opens as any other`() {
        let texts: [([UInt8], [UInt8])] = [
            ([1, 2, 3], []), ([1, 2, 3], [9]), ([1, 2, 4], []), ([3], [1, 2]), ([2, 3], [1]),
        ]
        let sealed = texts.map { key.sealAlike($0.0, for: .cursor, nonces: .cursorNonce, context: $0.1) }
        let again = texts.map { key.sealAlike($0.0, for: .cursor, nonces: .cursorNonce, context: $0.1) }
        #expect(sealed == again)
        #expect(Set(sealed.map { Array($0.prefix(12)) }).count == texts.count)
        for (bytes, text) in zip(sealed, texts) {
            #expect(key.open(bytes, for: .cursor, context: text.1) == text.0)
            #expect(key.open(bytes, for: .cursor, context: text.1 + [0]) == nil)
            #expect(key.open(bytes, for: .reply, context: text.1) == nil)
        }
    }

    @Test func `a signature holds for its bytes and purpose only`() {
        let signature = key.sign([1, 2, 3], for: .cursor)
        #expect(signature.count == 32)
        #expect(key.verifies(signature, of: [1, 2, 3], for: .cursor))
        #expect(key.verifies(Array(signature.prefix(8)), of: [1, 2, 3], for: .cursor))
        #expect(!key.verifies(Array(signature.prefix(7)), of: [1, 2, 3], for: .cursor))
        #expect(!key.verifies(signature, of: [1, 2, 4], for: .cursor))
        #expect(!key.verifies(signature, of: [1, 2, 3], for: .stream))
    }

    /// Made with another library: what a server has stored and handed out must stay readable.
    @Test func `keys, seals and signatures never change`() throws {
        let key = try #require(SecretKey(bytes: Array(0..<32)))
        let signature: [UInt8] = [
            0x4A, 0x11, 0xCF, 0x7E, 0x0A, 0x61, 0x58, 0xEC, 0x54, 0x96, 0x1E, 0x0C, 0xA1, 0xD3, 0xA3, 0x91,
            0x56, 0x74, 0x2C, 0x1E, 0x5D, 0x1F, 0x4D, 0xFE, 0x27, 0x7B, 0x54, 0x39, 0x6A, 0xDC, 0x7F, 0x7E,
        ]
        #expect(key.sign([1, 2, 3], for: .cursor) == signature)
        let reply: [UInt8] = [
            0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x0B, 0xD9, 0x2F, 0x88, 0xE4, 0x2B, 0xE9,
            0xD3, 0x4A, 0x1D, 0x2D, 0x1F, 0x37, 0xDE, 0x6E, 0xFE, 0x3B, 0x02, 0xEB, 0xCE, 0x1A, 0x55, 0x0A, 0xA7, 0x2E,
            0x8D,
        ]
        #expect(key.open(reply, for: .reply, context: [1]) == Array("cpl_token".utf8))
        let cursor: [UInt8] = [
            0x8F, 0x2D, 0x17, 0x4C, 0x8C, 0x57, 0x9D, 0x04, 0xDB, 0x9D, 0x58, 0x2B, 0x43, 0x56, 0x79, 0xDA, 0x7F, 0x3C,
            0x43, 0xF5, 0x69, 0xBD, 0x4C, 0xB9, 0xA3, 0xB8, 0x81, 0xCF, 0x93, 0xA2, 0xF1, 0x4D, 0x10,
        ]
        let context = Array("ctx".utf8)
        #expect(
            key.sealAlike(Array("place".utf8), for: .cursor, nonces: .cursorNonce, context: context) == cursor)
    }

    @Test func `a secret has at least 32 bytes`() {
        #expect(SecretKey(bytes: [UInt8](repeating: 1, count: 31)) == nil)
        #expect(SecretKey(bytes: [UInt8](repeating: 1, count: 32)) != nil)
    }

    @Test func `base64url is as in RFC 4648`() {
        let vectors = [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"),
        ]
        for (plain, text) in vectors { #expect(Array(plain.utf8).base64URL == text) }
        #expect(([0xFB, 0xFF] as [UInt8]).base64URL == "-_8")
    }
}
