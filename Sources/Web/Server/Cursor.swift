import Community
import Cryptography
import FoundationEssentials
import JSONWriting

/// Turns the keys of keyset lists into opaque cursors and back.
///
/// A key may hold what its reader is not shown: the reactions or the parents of a post that lies ahead of them. So
/// cursors are sealed, not only signed: base64url of AES-GCM over a direction byte and the key as JSON (times with
/// microseconds), filled up with blanks to whole blocks, since a length would tell how deep a post stands. Version,
/// list and filter are authenticated with it. The same place gives the same cursor, so that a page which has not
/// changed keeps its `ETag`. Anything that was not sealed here, and a cursor of another list or filter, is refused with
/// 400 `invalid_cursor`.
package struct CursorSealer: Sendable {
    private static let version: UInt8 = 2
    /// Bytes: what the longest key of a thread or post fits in, so that theirs are of one length.
    private static let block = 160
    /// Characters: the longest keys hold a title.
    private static let longest = 1200
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
        var plain = [direction] + (try JSONWriter.bytes(key, isExact: true))
        let rest = plain.count % Self.block
        if rest > 0 { plain.append(contentsOf: repeatElement(UInt8(ascii: " "), count: Self.block - rest)) }
        return secret.sealAlike(plain, for: .cursor, nonces: .cursorNonce, context: scope(list, filter)).base64URL
    }

    package func open<Key: Decodable>(_ cursor: String, as key: Key.Type, list: String, filter: String) throws
        -> PageRequest<Key>.Start
    {
        guard cursor.utf8.count <= Self.longest, let sealed = [UInt8](base64URL: cursor),
            let plain = secret.open(sealed, for: .cursor, context: scope(list, filter)),
            let direction = plain.first, direction <= 1,
            let place = try? JSONDecoder().decode(Key.self, from: Data(plain[1...]))
        else { throw Problem.invalidCursor }
        return direction == 0 ? .after(place) : .before(place)
    }

    private func scope(_ list: String, _ filter: String) -> [UInt8] {
        [Self.version] + SHA256.hash(Array((list + "\0" + filter).utf8))
    }
}

extension [UInt8] {
    /// Reads base64url without padding; `nil` for anything else.
    package init?(base64URL text: String) {
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
