import Community
import Postgres
import TestSupport
import Testing
import Web

@Suite struct CursorTests {
    private struct Key: Codable, Hashable, Sendable {
        let at: Timestamp
        let score: Double
        let id: ID<Accounts.Account>
    }

    private let key = Key(
        at: Timestamp(microseconds: 1_700_000_000_123_456), score: 0.1 + 0.2, id: ID(rawValue: 1 << 60))
    private let signer = CursorSigner(secret: SecretKey(from: TestRandom(seed: 1, name: "cursor")))

    private func place(_ start: PageRequest<Key>.Start) -> (Key, Bool)? {
        switch start {
        case .first: nil
        case .after(let key): (key, true)
        case .before(let key): (key, false)
        }
    }

    @Test func `a key comes back exactly, microseconds and fractions too`() throws {
        for (start, isAfter) in [(PageRequest<Key>.Start.after(key), true), (.before(key), false)] {
            let cursor = try signer.seal(start, list: "books", filter: "genre=7")
            let opened = try place(signer.open(cursor, as: Key.self, list: "books", filter: "genre=7"))

            #expect(opened?.0 == key)
            #expect(opened?.1 == isAfter)
        }
    }

    @Test func `a cursor of another list, filter or secret is refused`() throws {
        let cursor = try signer.seal(.after(key), list: "books", filter: "")
        let other = CursorSigner(secret: SecretKey(from: TestRandom(seed: 2, name: "cursor")))

        #expect(throws: Problem.self) { try signer.open(cursor, as: Key.self, list: "authors", filter: "") }
        #expect(throws: Problem.self) { try signer.open(cursor, as: Key.self, list: "books", filter: "x") }
        #expect(throws: Problem.self) { try other.open(cursor, as: Key.self, list: "books", filter: "") }
    }

    @Test func `no change of a single character goes unnoticed`() throws {
        let cursor = Array(try signer.seal(.after(key), list: "books", filter: "").utf8)
        let alphabet = Array("ABCxyz019-_".utf8)
        for index in cursor.indices {
            var changed = cursor
            changed[index] = alphabet.first { $0 != cursor[index] } ?? 0
            let text = String(decoding: changed, as: UTF8.self)
            #expect(throws: Problem.self) { try signer.open(text, as: Key.self, list: "books", filter: "") }
        }
        for text in ["", "a", "====", "%00", String(repeating: "A", count: 2000), "é"] {
            #expect(throws: Problem.self) { try signer.open(text, as: Key.self, list: "books", filter: "") }
        }
    }
}
