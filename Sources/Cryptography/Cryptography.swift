import CCrypto

/// SHA-256 (FIPS 180-4).
package enum SHA256 {
    package static let byteCount = 32

    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: byteCount)
        written(commonplace_sha256(bytes, bytes.count, &digest))
        return digest
    }

    /// Of what can still be read from an open file; `nil` where it cannot be read.
    package static func hash(ofFile descriptor: Int32) -> [UInt8]? {
        var digest = [UInt8](repeating: 0, count: byteCount)
        return commonplace_sha256_of_file(descriptor, &digest) ? digest : nil
    }
}

/// HMAC (RFC 2104) of SHA-256.
package enum HMAC {
    /// 32 bytes.
    package static func code(for bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: SHA256.byteCount)
        written(commonplace_hmac_sha256(key, Int32(key.count), bytes, bytes.count, &code))
        return code
    }
}

/// HKDF (RFC 5869) of SHA-256.
package enum HKDF {
    /// One key of 32 bytes, the first block of the expansion. An empty `salt` is the one of 32 zeros.
    package static func key(from secret: [UInt8], salt: [UInt8] = [], info: [UInt8]) -> [UInt8] {
        HMAC.code(for: info + [1], key: HMAC.code(for: secret, key: salt))
    }
}

/// AES-256 in Galois/Counter Mode (NIST SP 800-38D).
package enum AESGCM {
    package static let keyLength = 32, nonceLength = 12, tagLength = 16

    /// The nonce, the encrypted text and its tag: 28 bytes longer than `plain`. Two texts under one key must not share a nonce. Traps on a
    /// key or a nonce of another length.
    package static func seal(_ plain: [UInt8], key: [UInt8], nonce: [UInt8], context: [UInt8]) -> [UInt8] {
        precondition(key.count == keyLength && nonce.count == nonceLength)
        var sealed = [UInt8](repeating: 0, count: nonceLength + plain.count + tagLength)
        written(
            commonplace_aes_gcm_seal(
                key, nonce, context, Int32(context.count), plain, Int32(plain.count), &sealed))
        return sealed
    }

    /// What was sealed under the same key and context; `nil` for anything else.
    package static func open(_ sealed: [UInt8], key: [UInt8], context: [UInt8]) -> [UInt8]? {
        precondition(key.count == keyLength)
        let length = sealed.count - nonceLength - tagLength
        guard length >= 0 else { return nil }
        var plain = [UInt8](repeating: 0, count: length)
        return commonplace_aes_gcm_open(key, context, Int32(context.count), sealed, Int32(length), &plain)
            ? plain : nil
    }
}

/// libcrypto fails at these only where there is no memory, as Swift itself would.
private func written(_ isWritten: Bool) { precondition(isWritten, "libcrypto has no memory") }
