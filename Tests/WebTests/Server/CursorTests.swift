import Community
import JSONWriting
import Postgres
import TestSupport
import Testing

@testable import Web

@Suite struct CursorTests {
    private struct Key: Codable, Hashable, Sendable {
        let at: Timestamp
        let score: Double
        let id: ID<Accounts.Account>
    }

    private let key = Key(
        at: Timestamp(microseconds: 1_700_000_000_123_456), score: 0.1 + 0.2, id: ID(rawValue: 1 << 60))
    private let sealer = CursorSealer(secret: SecretKey(from: TestRandom(seed: 1, name: "cursor")))

    private func place(_ start: PageRequest<Key>.Start) -> (Key, Bool)? {
        switch start {
        case .first: nil
        case .after(let key): (key, true)
        case .before(let key): (key, false)
        }
    }

    @Test func `a key comes back exactly, microseconds and fractions too`() throws {
        for (start, isAfter) in [(PageRequest<Key>.Start.after(key), true), (.before(key), false)] {
            let cursor = try sealer.seal(start, list: "books", filter: "genre=7")
            let opened = try place(sealer.open(cursor, as: Key.self, list: "books", filter: "genre=7"))

            #expect(opened?.0 == key)
            #expect(opened?.1 == isAfter)
        }
    }

    @Test func `a cursor of another list, filter or secret is refused`() throws {
        let cursor = try sealer.seal(.after(key), list: "books", filter: "")
        let other = CursorSealer(secret: SecretKey(from: TestRandom(seed: 2, name: "cursor")))

        #expect(throws: Problem.self) { try sealer.open(cursor, as: Key.self, list: "authors", filter: "") }
        #expect(throws: Problem.self) { try sealer.open(cursor, as: Key.self, list: "books", filter: "x") }
        #expect(throws: Problem.self) { try other.open(cursor, as: Key.self, list: "books", filter: "") }
    }

    @Test func `no change of a single character goes unnoticed`() throws {
        let cursor = Array(try sealer.seal(.after(key), list: "books", filter: "").utf8)
        let alphabet = Array("ABCxyz019-_".utf8)
        for index in cursor.indices {
            var changed = cursor
            changed[index] = alphabet.first { $0 != cursor[index] } ?? 0
            let text = String(decoding: changed, as: UTF8.self)
            #expect(throws: Problem.self) { try sealer.open(text, as: Key.self, list: "books", filter: "") }
        }
        for text in ["", "a", "====", "%00", String(repeating: "A", count: 2000), "é"] {
            #expect(throws: Problem.self) { try sealer.open(text, as: Key.self, list: "books", filter: "") }
        }
    }

    /// The key of a post that lies ahead: its reactions, its parents and its number are none of the reader's business.
    @Test func `nothing of a key can be read out of its cursor`() throws {
        let key = Boards.PostKey(rank: 48_151_623, path: "0a1b2c3d4e5f60718293a4b5c6d7e8f9", number: 4_234_242)
        let cursor = Array(try sealer.seal(.after(key), list: "posts", filter: "board-77").utf8)
        let words = ["rank", "path", "number", "48151623", "0a1b2c3d", "4234242", "posts", "board"]
        #expect(!words.contains { String(decoding: cursor, as: UTF8.self).contains($0) })
        // From each character on: what was written at any offset of the bytes would stand at one of them.
        for start in cursor.indices {
            let part = cursor[start...].prefix((cursor.count - start) / 4 * 4)
            let bytes = try #require([UInt8](base64URL: String(decoding: part, as: UTF8.self)))
            for word in words {
                #expect(bytes.firstRange(of: Array(word.utf8)) == nil, "\(word) from character \(start)")
            }
        }
        // What is only signed is found in the same way.
        let open = (Array("x".utf8) + (try JSONWriter.bytes(key))).base64URL
        let bytes = try #require([UInt8](base64URL: open))
        #expect(words.prefix(6).allSatisfy { bytes.firstRange(of: Array($0.utf8)) != nil })
    }

    /// Seven levels are as deep as posts stand; a cursor that grows with them would tell how deep.
    @Test func `cursors of posts and threads are of one length`() throws {
        var lengths: Set<Int> = []
        for depth in 1...7 {
            let key = Boards.PostKey(path: String(repeating: "0123456789abcdef", count: depth))
            lengths.insert(try sealer.seal(.after(key), list: "posts", filter: "").utf8.count)
        }
        for rank in [0, 9, 10, 12_345, Int(Int32.max)] {
            let key = Boards.PostKey(rank: rank, number: rank)
            lengths.insert(try sealer.seal(.before(key), list: "posts", filter: "").utf8.count)
        }
        for rank in [0, 1, 3.141592653589793, -1234.5678901234567, 1e9] {
            let key = Boards.ThreadKey(rank: rank, id: .max)
            lengths.insert(try sealer.seal(.after(key), list: "threads", filter: "").utf8.count)
        }
        #expect(lengths == [251])
    }

    @Test func `the same place has the same cursor, and another place an entirely different one`() throws {
        let cursor = try sealer.seal(.after(key), list: "books", filter: "")
        #expect(try sealer.seal(.after(key), list: "books", filter: "") == cursor)

        let next = Key(at: key.at, score: key.score, id: ID(rawValue: key.id.rawValue + 1))
        let others = [
            try sealer.seal(.before(key), list: "books", filter: ""),
            try sealer.seal(.after(next), list: "books", filter: ""),
            try sealer.seal(.after(key), list: "authors", filter: ""),
            try sealer.seal(.after(key), list: "books", filter: "x"),
        ]
        // Of random characters one in 64 is the same by chance.
        for other in others {
            #expect(zip(cursor.utf8, other.utf8).count { $0 == $1 } < cursor.utf8.count / 6)
        }
    }

    @Test func `a key with a long title has a cursor that is taken back`() throws {
        let key = Titled(title: String(repeating: "\u{1F4D6}", count: 180), id: .max)
        let cursor = try sealer.seal(.after(key), list: "shelf", filter: "")
        guard case .after(let opened) = try sealer.open(cursor, as: Titled.self, list: "shelf", filter: "") else {
            Issue.record("another direction")
            return
        }
        #expect(opened.title == key.title && opened.id == key.id)
    }

    private struct Titled: Codable, Sendable {
        let title: String
        let id: Int64
    }
}
