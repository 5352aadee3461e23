import TestSupport
import Testing

@testable import Community

struct SecretKeyTests {
    private let key = SecretKey(from: SystemRandom())

    @Test func `what was sealed opens for the same purpose and context only`() throws {
        let plain = Array("cpl_token".utf8)
        let sealed = try key.seal(plain, for: .reply, context: [1])
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

    @Test func `the same text is sealed differently each time`() throws {
        let (one, other) = (try key.seal([1, 2, 3], for: .reply), try key.seal([1, 2, 3], for: .reply))
        #expect(one != other)
    }

    @Test func `what is sealed alike is the same for the same text and context only, and opens as any other`() throws {
        let texts: [([UInt8], [UInt8])] = [
            ([1, 2, 3], []), ([1, 2, 3], [9]), ([1, 2, 4], []), ([3], [1, 2]), ([2, 3], [1]),
        ]
        let sealed = try texts.map { try key.sealAlike($0.0, for: .cursor, nonces: .cursorNonce, context: $0.1) }
        let again = try texts.map { try key.sealAlike($0.0, for: .cursor, nonces: .cursorNonce, context: $0.1) }
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
