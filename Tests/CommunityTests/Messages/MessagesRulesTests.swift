import EventLog
import MarkdownReading
import Postgres
import TestSupport
import Testing

@testable import Community

struct MessagesRulesTests {
    private func codes(_ body: String) -> [String] {
        var faults = Faults()
        Messages.NewMessage.check(body: body, into: &faults)
        return faults.all.map(\.code.rawValue)
    }

    @Test(
        arguments: [
            ("a", []), (" a ", []), (String(repeating: "a", count: 4000), []),
            (String(repeating: "😀", count: 4000), []), (">!spoiler!<\n", []),
            (String(repeating: "a", count: 4001), ["too_long"]), ("", ["too_short"]), (" \n\t\u{2003}", ["too_short"]),
            ("\u{200B}\u{2060}", ["too_short"]), ("\u{202E}\u{1}", ["too_short"]), ("a\u{0}b", ["bad_format"]),
            // Few characters to look at, and many in truth.
            (String(repeating: "👩‍👩‍👧‍👦", count: 600), ["too_long"]),
        ] as [(String, [String])])
    func `a text has 1 to 4,000 characters, none of them NUL, and some are seen`(body: String, expected: [String]) {
        #expect(codes(body) == expected)
    }

    @Test func `a text of 4,000 characters has at most 16,000 bytes`() {
        #expect(Limits.messages.body.upperBound * 4 == Limits.messages.bodyBytes)
    }

    @Test func `what an event has room for is cut between characters, and says so`() throws {
        // Each of these needs six bytes in JSON.
        let long = String(repeating: "\u{1}", count: 4000)
        // The HTML of this one is many times as long.
        let wide = String(repeating: "&", count: 4000)
        let emoji = String(repeating: "😀", count: 4000)
        for (body, isCut) in [("short", false), (long, true), (emoji, true), (wide, true)] {
            let message = Messages.Message(
                id: ID(rawValue: 1), conversation: ID(rawValue: 2), seq: 3, author: nil, body: body,
                html: Markdown.render(body).html, card: nil, reply: nil, version: 1, createdAt: .end, editedAt: nil,
                deletedAt: nil, isHidden: false)
            let reader = Accounts.Reader(id: ID(rawValue: 4), username: "ann", name: nil)
            let event = Messages.Event.sent(message, by: reader, text: 1, inbox: nil)
            let row = try event.row(id: 1, at: .end)
            #expect(row.data.bytes.count <= 15_000)
            let json = String(decoding: row.data.bytes, as: UTF8.self)
            #expect(json.contains("\"is_cut\":\(isCut)") && json.contains("\"html\":\""))
        }
    }
}
