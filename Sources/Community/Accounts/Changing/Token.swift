import Cryptography
import Postgres

/// A secret that is handed to somebody: a readable prefix, by which log filters and scanners find it, and 256 random
/// bits as base64url.
///
/// Only its SHA-256 is stored. A fast hash is right here: nobody guesses 256 bits.
package struct Token: Sendable, Hashable {
    /// What a token is for: the prefix of its text, by which a lost one is known.
    package enum Kind: String, Sendable {
        /// Opens everything that the reader may do.
        case session = "cpl_"
        /// Proves that a mail arrived.
        case verification = "cpv_"
        /// Lets somebody sign up.
        case invitation = "cpi_"
        /// Opens some of what the reader may do, to a program.
        case access = "cpa_"
        /// Sets a new password, once.
        case reset = "cpr_"
        /// Proves that a mail arrived at an account's new address.
        case emailChange = "cpe_"
        /// Lets anybody read one shelf or list.
        case share = "cps_"
        /// Opens the stream, once.
        case ticket = "cpt_"
    }

    /// Random bytes in a token.
    static let length = 32

    /// What is handed out; never stored, never logged.
    package let text: String

    /// A new token.
    package static func make(_ kind: Kind, from random: any RandomSource) -> Token {
        Token(text: kind.rawValue + random.bytes(length).base64URL)
    }

    private init(text: String) { self.text = text }

    /// Reads what a caller presented; `nil` unless it has the form of a token of this kind.
    package init?(_ kind: Kind, text: String) {
        let prefix = kind.rawValue
        guard text.utf8.count == prefix.utf8.count + 43, text.hasPrefix(prefix),
            text.utf8.dropFirst(prefix.utf8.count).allSatisfy([UInt8].isBase64URL)
        else { return nil }
        self.text = text
    }

    /// What is stored: SHA-256 of the whole text, 32 bytes.
    package var digest: [UInt8] { SHA256.hash(Array(text.utf8)) }
}

extension [UInt8] {
    private static let alphabet = [UInt8]("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// These bytes as base64url without padding.
    package var base64URL: String {
        var text: [UInt8] = []
        text.reserveCapacity((count * 4 + 2) / 3)
        var index = 0
        while index < count {
            let rest = Swift.min(3, count - index)
            var group = UInt32(self[index]) << 16
            if rest > 1 { group |= UInt32(self[index + 1]) << 8 }
            if rest > 2 { group |= UInt32(self[index + 2]) }
            for position in 0...rest {
                text.append(Self.alphabet[Int(group >> UInt32(18 - 6 * position)) & 63])
            }
            index += 3
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// True for a character of base64url.
    package static func isBase64URL(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
