import Cryptography
import FoundationEssentials

/// The server's secret: from it one key is derived for each purpose, so that what was signed for one is worthless for
/// another.
///
/// Sealing is AES-256-GCM (12 bytes nonce, the text, 16 bytes tag), signing HMAC-SHA-256. Losing the secret invalidates
/// cursors and stored idempotent replies, makes mails that wait in the queue unreadable and lets throttles begin anew.
/// Sessions and passwords do not depend on it.
package struct SecretKey: Sendable {
    /// What a derived key is for. The raw value is part of the derivation: never change one.
    package enum Purpose: String, Sendable, CaseIterable {
        /// Cursors of lists.
        case cursor = "sealed cursor"
        /// Cursors of the stream.
        case stream
        /// Bodies of calls with an `Idempotency-Key`, so that nobody guesses at passwords in a dump of them.
        case fingerprint
        /// Replies stored for an `Idempotency-Key`.
        case reply
        /// Addresses and log-ins in the throttle's table, so that a dump of it names nobody.
        case attempt
        /// Usernames of deleted accounts, which stay reserved for a while.
        case username
        /// Mails that wait in the queue of jobs.
        case mail
        /// The nonces of cursors of lists.
        case cursorNonce = "cursor nonce"
        /// Forms of pages, so that no other site sends them.
        case form
    }

    /// Bytes of a new secret.
    package static let length = 32

    private let keys: [Purpose: [UInt8]]

    /// `nil` for fewer than 32 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count >= Self.length else { return nil }
        self.keys = Dictionary(
            uniqueKeysWithValues: Purpose.allCases.map { purpose in
                let info = Array("commonplace \(purpose.rawValue) 1".utf8)
                return (purpose, HKDF.key(from: bytes, info: info))
            })
    }

    /// A new secret from `random`.
    package init(from random: any RandomSource) {
        guard let key = SecretKey(bytes: random.bytes(Self.length)) else {
            preconditionFailure("the random source gave too few bytes")
        }
        self = key
    }

    /// Encrypts and authenticates `plain` under a random nonce; 28 bytes longer. `context` (a key's scope, say) is
    /// authenticated and not contained.
    package func seal(_ plain: [UInt8], for purpose: Purpose, context: [UInt8] = []) -> [UInt8] {
        let nonce = SystemRandom().bytes(AESGCM.nonceLength)
        return AESGCM.seal(plain, key: key(for: purpose), nonce: nonce, context: context)
    }

    /// As `seal`, but the same text in the same context is sealed to the same bytes: its nonce is the first 12 bytes of
    /// a signature for `nonces` over both, so that no two texts share one. Who sees two sealed texts learns whether
    /// they are the same and how long they are, and nothing else.
    package func sealAlike(_ plain: [UInt8], for purpose: Purpose, nonces: Purpose, context: [UInt8] = [])
        -> [UInt8]
    {
        // The length keeps the end of the one and the beginning of the other apart.
        let length = withUnsafeBytes(of: UInt64(context.count).bigEndian) { Array($0) }
        let nonce = Array(sign(length + context + plain, for: nonces).prefix(AESGCM.nonceLength))
        return AESGCM.seal(plain, key: key(for: purpose), nonce: nonce, context: context)
    }

    /// What was sealed for the same purpose and context; `nil` for anything else.
    package func open(_ sealed: [UInt8], for purpose: Purpose, context: [UInt8] = []) -> [UInt8]? {
        AESGCM.open(sealed, key: key(for: purpose), context: context)
    }

    /// 32 bytes that only the holder of this secret can make.
    package func sign(_ bytes: [UInt8], for purpose: Purpose) -> [UInt8] {
        HMAC.code(for: bytes, key: key(for: purpose))
    }

    /// Compares in constant time. `signature` may be the first bytes of the full one: at least 8.
    package func verifies(_ signature: [UInt8], of bytes: [UInt8], for purpose: Purpose) -> Bool {
        guard (8...32).contains(signature.count) else { return false }
        let expected = sign(bytes, for: purpose)
        var difference: UInt8 = 0
        for (left, right) in zip(signature, expected) { difference |= left ^ right }
        return difference == 0
    }

    private func key(for purpose: Purpose) -> [UInt8] {
        guard let key = keys[purpose] else { preconditionFailure("every purpose has its key") }
        return key
    }
}
