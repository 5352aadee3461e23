import CArgon2

/// A password as it is stored: argon2id in the PHC string format, `$argon2id$v=19$m=65536,t=2,p=1$salt$hash`.
package struct PasswordHash: Sendable, Hashable {
    /// What it costs to compute one hash.
    package struct Cost: Sendable, Hashable {
        /// Passes over the memory.
        package let passes: UInt32
        package let kibibytes: UInt32
        package let lanes: UInt32

        /// About 0.1 s and 64 MiB.
        package static let standard = Cost(passes: 2, kibibytes: 65_536, lanes: 1)
        /// The least that argon2 accepts: for tests, where thousands of passwords are hashed.
        package static let testing = Cost(passes: 1, kibibytes: 8, lanes: 1)

        /// As it stands in the PHC string.
        fileprivate var text: String { "$argon2id$v=19$m=\(kibibytes),t=\(passes),p=\(lanes)$" }
    }

    /// The PHC string.
    package let text: String

    /// One that was stored.
    package init(stored text: String) { self.text = text }

    /// Hashes `password` with `salt` (16 bytes, random). Slow: `PasswordPool` is the only caller.
    init(of password: [UInt8], salt: [UInt8], cost: Cost) throws(Refused) {
        let hashLength = 32
        var encoded = [CChar](
            repeating: 0,
            count: argon2_encodedlen(
                cost.passes, cost.kibibytes, cost.lanes, UInt32(salt.count), UInt32(hashLength), Argon2_id))
        let code = argon2id_hash_encoded(
            cost.passes, cost.kibibytes, cost.lanes, password, password.count, salt, salt.count, hashLength, &encoded,
            encoded.count)
        guard code == ARGON2_OK.rawValue else { throw Refused(code: code) }
        self.text = String(decoding: encoded.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// What a password is compared with where there is no account: costs as much as a real one, and no password fits.
    static func unknown(cost: Cost) -> PasswordHash {
        PasswordHash(stored: cost.text + String(repeating: "A", count: 22) + "$" + String(repeating: "A", count: 43))
    }

    /// Compares in constant time. Slow: `PasswordPool` is the only caller.
    func fits(_ password: [UInt8]) throws(Refused) -> Bool {
        switch argon2id_verify(text, password, password.count) {
        case ARGON2_OK.rawValue: return true
        case ARGON2_VERIFY_MISMATCH.rawValue: return false
        case let code: throw Refused(code: code)
        }
    }

    /// False where it was made under other costs, and should be made again at the next log-in.
    func costs(_ cost: Cost) -> Bool { text.hasPrefix(cost.text) }

    /// argon2 could not work: out of memory, or a stored string that is none.
    package struct Refused: Error, CustomStringConvertible {
        let code: Int32
        package var description: String { "argon2 refused with code \(code)" }
    }
}
