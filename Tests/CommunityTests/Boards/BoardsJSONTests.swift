import JSONWriting
import Postgres
import TestSupport
import Testing

@testable import Community

/// The form of what is shown of boards.
@Suite
struct BoardsJSONTests {
    private func json(_ value: some Encodable) throws -> String {
        String(decoding: try JSONWriter.bytes(value), as: UTF8.self)
    }

    @Test func `a gated post has four members and no other, a tombstone its place`() throws {
        let gated = Boards.Shown.gated(Gate.Placeholder(id: 7, kind: "reply", position: 4200))
        #expect(try json(gated) == #"{"id":"7","state":"gated","kind":"reply","position":4200}"#)
        let thread = Boards.ShownThread.gated(Gate.Placeholder(id: 7, kind: "question", position: 1))
        #expect(try json(thread) == #"{"id":"7","state":"gated","kind":"question","position":1}"#)
        let gone = Boards.Shown.tombstone(
            Boards.Tombstone(id: ID(rawValue: 7), number: 2, parent: ID(rawValue: 6), depth: 1))
        #expect(try json(gone) == #"{"id":"7","state":"deleted","number":2,"parent_id":"6","depth":1}"#)
    }

    @Test func `a post says what it is, with every member`() throws {
        let at = Timestamp(seconds: 1_700_000_000)
        let author = Accounts.Reader(id: ID(rawValue: 3), username: "ann", name: nil)
        let post = Boards.Post(
            id: ID(rawValue: 7), thread: ID(rawValue: 6), number: 2, parent: nil, answers: nil, depth: 0,
            author: author,
            opens: nil, scope: .free, also: Boards.Also(book: ID(rawValue: 9), scope: .finished), quoted: nil,
            text: Boards.Text(body: "b", html: "<p>b", isVeiled: true), createdAt: at, replies: 1,
            reactions: [.wow: 2, .like: 1, .sad: 0], ownReactions: [.wow, .like])
        let shown = try json(post)
        for part in [
            #""also":{"book_id":"9","scope":"finished"}"#,
            #""author":{"id":"3","username":"ann","name":null,"picture":null}"#,
            #""edited_at":null"#, #""kind":"reply""#, #""my_reactions":["like","wow"]"#, #""parent_id":null"#,
            #""in_reply_to":null"#, #""reactions":{"like":1,"wow":2}"#, #""scope":"free""#,
            #""thread_id":"6""#, #""is_veiled":true"#,
        ] {
            #expect(shown.contains(part), "\(part) in \(shown)")
        }
    }
}
