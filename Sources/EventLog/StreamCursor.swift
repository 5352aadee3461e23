import Crypto

/// A position in the log, given to clients as one opaque signed string.
///
/// Epoch and seq travel together, so that no client can pair the one of one database with the other of another. The position is the log's,
/// not a topic's: a cursor from any frame or REST answer serves for any topic.
package struct StreamCursor: Hashable, Sendable {
    /// Names the history: another after a restore.
    package let epoch: Int64
    /// Everything up to and including this place has been seen.
    package let seq: Int64

    package init(epoch: Int64, seq: Int64) {
        self.epoch = epoch
        self.seq = seq
    }
}

extension StreamCursor {
    /// Why a text is no cursor of ours.
    package enum Refusal: Error, Hashable, Sendable {
        /// Not the form of a cursor at all.
        case malformed
        /// The form is right and the signature is not: another server's, or made by hand.
        case foreign
    }

    /// Signs and reads cursors with one key; of value type, cheap to copy.
    package struct Codec: Sendable {
        private static let version: UInt8 = 1
        private static let signatureCount = 10
        private static let byteCount = 17 + signatureCount
        private let key: SymmetricKey

        /// `secret` is the server's secret, 16 bytes or more; the key for cursors is derived from it.
        package init(secret: some Sequence<UInt8>) {
            key = HKDF<SHA256>.deriveKey(
                inputKeyMaterial: SymmetricKey(data: Array(secret)), info: Array("commonplace stream cursor 1".utf8), outputByteCount: 32)
        }

        /// 36 characters of the URL-safe base64 alphabet.
        package func text(_ cursor: StreamCursor) -> String {
            var bytes = [Self.version]
            bytes.reserveCapacity(Self.byteCount)
            withUnsafeBytes(of: cursor.epoch.bigEndian) { bytes.append(contentsOf: $0) }
            withUnsafeBytes(of: cursor.seq.bigEndian) { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: signature(of: bytes))
            return Base64URL.text(bytes)
        }

        package func cursor(_ text: some StringProtocol) throws(Refusal) -> StreamCursor {
            guard let bytes = Base64URL.bytes(text), bytes.count == Self.byteCount, bytes[0] == Self.version else {
                throw .malformed
            }
            let expected = signature(of: bytes[..<17])
            // Every byte is compared, so that the time taken says nothing about where a guess went wrong.
            let difference = zip(expected, bytes[17...]).reduce(0) { $0 | ($1.0 ^ $1.1) }
            guard difference == 0 else { throw .foreign }
            return StreamCursor(epoch: Self.integer(bytes[1..<9]), seq: Self.integer(bytes[9..<17]))
        }

        private func signature(of bytes: some Sequence<UInt8>) -> [UInt8] {
            Array(HMAC<SHA256>.authenticationCode(for: Array(bytes), using: key).prefix(Self.signatureCount))
        }

        private static func integer(_ bytes: ArraySlice<UInt8>) -> Int64 {
            Int64(bitPattern: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        }
    }
}

/// Base64 with `-` and `_`, without padding (RFC 4648 §5).
enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    static func text(_ bytes: [UInt8]) -> String {
        var characters: [UInt8] = []
        characters.reserveCapacity((bytes.count * 4 + 2) / 3)
        var buffer: UInt32 = 0
        var bits = 0
        for byte in bytes {
            buffer = buffer << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                characters.append(alphabet[Int(buffer >> UInt32(bits) & 63)])
            }
        }
        if bits > 0 { characters.append(alphabet[Int(buffer << UInt32(6 - bits) & 63)]) }
        return String(decoding: characters, as: UTF8.self)
    }

    /// `nil` for a character outside the alphabet or left-over bits that are not zero.
    static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        guard text.utf8.count <= 1024 else { return nil }
        var bytes: [UInt8] = []
        var buffer: UInt32 = 0
        var bits = 0
        for character in text.utf8 {
            let value: UInt8
            switch character {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = character - 65
            case UInt8(ascii: "a")...UInt8(ascii: "z"): value = character - 71
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = character + 4
            case UInt8(ascii: "-"): value = 62
            case UInt8(ascii: "_"): value = 63
            default: return nil
            }
            buffer = buffer << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
                buffer &= (1 << UInt32(bits)) - 1
            }
        }
        return buffer == 0 && bits < 6 ? bytes : nil
    }
}
