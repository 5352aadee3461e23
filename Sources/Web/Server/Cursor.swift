import Community
import Crypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Turns the keys of keyset lists into opaque cursors and back.
///
/// Form: base64url of a version byte, a direction byte, 4 bytes of a hash over list and filter, the key as JSON (times with
/// microseconds), then the first 8 bytes of an HMAC over all of it. Anything else, and a cursor of another list or filter, is refused
/// with 400 `invalid_cursor`.
package struct CursorSigner: Sendable {
    private static let version: UInt8 = 1
    private static let signatureLength = 8
    private let secret: SecretKey

    package init(secret: SecretKey) { self.secret = secret }

    package func seal<Key: Encodable>(_ start: PageRequest<Key>.Start, list: String, filter: String) throws -> String {
        let direction: UInt8
        let key: Key
        switch start {
        case .first: return ""
        case .after(let place): (direction, key) = (0, place)
        case .before(let place): (direction, key) = (1, place)
        }
        let payload = [Self.version, direction] + scope(list, filter) + (try JSONWriter.bytes(key, exactTimes: true))
        return (payload + secret.sign(payload, for: .cursor).prefix(Self.signatureLength)).base64URL
    }

    package func open<Key: Decodable>(_ cursor: String, as key: Key.Type, list: String, filter: String) throws
        -> PageRequest<Key>.Start
    {
        guard cursor.utf8.count <= 1024, let bytes = [UInt8](base64URL: cursor), bytes.count > 6 + Self.signatureLength
        else {
            throw Problem.invalidCursor
        }
        let payload = Array(bytes.dropLast(Self.signatureLength))
        guard secret.verifies(Array(bytes.suffix(Self.signatureLength)), of: payload, for: .cursor),
            payload[0] == Self.version, payload[1] <= 1, Array(payload[2..<6]) == scope(list, filter),
            let place = try? JSONDecoder().decode(Key.self, from: Data(payload[6...]))
        else { throw Problem.invalidCursor }
        return payload[1] == 0 ? .after(place) : .before(place)
    }

    private func scope(_ list: String, _ filter: String) -> [UInt8] {
        Array(SHA256.hash(data: Array((list + "\0" + filter).utf8)).prefix(4))
    }
}

extension [UInt8] {
    /// Reads base64url without padding; `nil` for anything else.
    init?(base64URL text: String) {
        self = []
        var group: UInt32 = 0
        var digits = 0
        for byte in text.utf8 {
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit = byte - 65
            case UInt8(ascii: "a")...UInt8(ascii: "z"): digit = byte - 71
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte + 4
            case UInt8(ascii: "-"): digit = 62
            case UInt8(ascii: "_"): digit = 63
            default: return nil
            }
            group = group << 6 | UInt32(digit)
            digits += 1
            if digits % 4 == 0 {
                append(contentsOf: [
                    UInt8(truncatingIfNeeded: group >> 16), UInt8(truncatingIfNeeded: group >> 8),
                    UInt8(truncatingIfNeeded: group),
                ])
                group = 0
            }
        }
        switch digits % 4 {
        case 0: break
        case 2 where group & 15 == 0: append(UInt8(truncatingIfNeeded: group >> 4))
        case 3 where group & 3 == 0:
            append(contentsOf: [UInt8(truncatingIfNeeded: group >> 10), UInt8(truncatingIfNeeded: group >> 2)])
        default: return nil
        }
    }
}
