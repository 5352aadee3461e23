import Foundation
import TestSupport

/// A word that stands only in what gives away the end of a book, and in nothing that is asked or logged.
enum Secret {
    static let word = "secret" + UUID().uuidString.replacing("-", with: "").lowercased()
    /// Stands beside it always, so that it can be searched for.
    static let neighbour = "lanternkeeper"

    static func text(_ random: TestRandom) -> String {
        "The \(neighbour) did it, \(word), number \(random.number(in: 0..<1_000_000))."
    }

    /// Whether it stands anywhere in these bytes, in either case.
    static func isIn(_ bytes: [UInt8]) -> Bool {
        String(decoding: bytes, as: UTF8.self).lowercased().contains(word)
    }
}
