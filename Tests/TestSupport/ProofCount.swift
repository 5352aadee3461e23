import Foundation

/// How many rounds a long proof runs.
package enum ProofCount {
    /// `full` where `COMMONPLACE_FULL_PROOFS=1` (`deploy/prove`), else a twentieth of it, at least 1.
    package static func of(_ full: Int) -> Int {
        isFull ? full : max(1, full / 20)
    }

    package static let isFull = ProcessInfo.processInfo.environment["COMMONPLACE_FULL_PROOFS"] == "1"

    /// How long one proof may take beside all others: an hour, and with full counts three hours. A test waits for its turn within that time, so
    /// that a shorter limit fails on a slow machine what nothing is wrong with.
    package static let minutes = isFull ? 180 : 60
}
