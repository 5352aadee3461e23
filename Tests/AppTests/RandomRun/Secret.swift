import Foundation
import TestSupport

/// A word that stands only in what gives away the end of a book, and in nothing that is asked or logged.
enum Secret {
    /// Where it is written. Each has a mark of its own behind the word, so that what came tells where it stood.
    enum Place: String, Sendable, CaseIterable {
        /// A post under a scope.
        case post
        /// The title of a thread on a book's board.
        case title
        /// An inline spoiler of a post that is free.
        case inline
        /// A post that was free and said something else before.
        case edit
        /// A review under the spoiler mark, and a reply to one.
        case review, answer
        /// The first post of a thread on a group's board, and its title.
        case group, heading
        /// A post that a message shows: its text is that of the post.
        case card

        /// Written into texts; a card has the mark of its post.
        static let marked = allCases.filter { $0 != .card }
        /// Told on the stream to whom it lies open; an inline spoiler is veiled there for everybody.
        static let pushed = marked.filter { $0 != .inline }
    }

    static let word = "secret" + UUID().uuidString.replacing("-", with: "").lowercased()
    /// Stands beside it always, so that it can be searched for.
    static let neighbour = "lanternkeeper"

    static func text(_ random: TestRandom, in place: Place) -> String {
        "The \(neighbour) did it, \(word)at\(place.rawValue)x\(random.number(in: 0..<1_000_000_000))."
    }

    /// The word with its mark and number, wherever it stands in these bytes, in either case; cut off where the text
    /// was.
    static func tokens(in bytes: [UInt8]) -> [String] {
        let text = String(decoding: bytes, as: UTF8.self).lowercased()
        guard text.contains(word) else { return [] }
        return text.components(separatedBy: word).dropFirst().map { rest in
            word + rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }
        }
    }

    static func tokens(in text: String) -> [String] { tokens(in: Array(text.utf8)) }

    /// `nil` where the mark was cut off.
    static func place(of token: String) -> Place? {
        Place.marked.first { token.hasPrefix(word + "at" + $0.rawValue + "x") }
    }
}
