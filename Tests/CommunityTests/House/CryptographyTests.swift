import Cryptography
import Testing

/// The answers that the standards print.
struct CryptographyTests {
    @Test func `SHA-256 is as in FIPS 180-4`() {
        #expect(
            SHA256.hash(Array("abc".utf8)).hexadecimal
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(
            SHA256.hash([]).hexadecimal == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    }

    @Test func `HMAC is as in RFC 4231`() {
        #expect(
            HMAC.code(for: Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8)).hexadecimal
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(
            HMAC.code(for: Array("Hi There".utf8), key: [UInt8](repeating: 0x0B, count: 20)).hexadecimal
                == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
    }

    /// The first 32 of the 42 bytes that stand there.
    @Test func `HKDF is as in RFC 5869`() {
        let secret = [UInt8](repeating: 0x0B, count: 22)
        #expect(
            HKDF.key(from: secret, salt: Array(0x00...0x0C), info: Array(0xF0...0xF9)).hexadecimal
                == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf")
        #expect(
            HKDF.key(from: secret, info: []).hexadecimal
                == "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d")
    }

    /// Test cases 13 and 14 of the mode's authors.
    @Test func `AES-256-GCM is as its authors print it`() {
        let (key, nonce) = ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 12))
        let (empty, block) = (
            AESGCM.seal([], key: key, nonce: nonce, context: []),
            AESGCM.seal([UInt8](repeating: 0, count: 16), key: key, nonce: nonce, context: [])
        )
        #expect(empty.dropFirst(12).hexadecimal == "530f8afbc74536b9a963b4f1c4cb738b")
        #expect(
            block.dropFirst(12).hexadecimal == "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919")
        #expect(AESGCM.open(empty, key: key, context: []) == [])
        #expect(AESGCM.open(block, key: key, context: []) == [UInt8](repeating: 0, count: 16))
    }
}

extension Collection<UInt8> {
    fileprivate var hexadecimal: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
