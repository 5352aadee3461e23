import Cryptography

/// The token that `Authorization: Bearer …` carries.
struct BearerToken: Sendable {
    let text: String

    /// `nil` for another scheme, or none.
    init?(authorization: String) {
        let parts = authorization.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        text = String(parts[1])
    }

    /// 32 bytes that stand for the token where it must not stand itself.
    var digest: [UInt8] { SHA256.hash(Array(text.utf8)) }
}
