import Community
import HTTPTypes
import TestSupport
import Testing
import Web

/// Texts and questions of every kind: each is kept and found, or refused with a reason, and none breaks the server.
@Suite(.database) struct EbooksOddTextTests {
    private static let chinese = (0..<3_000).map { String(UnicodeScalar(0x4E00 + $0 % 2_000) ?? "x") }.joined()
    /// Bodies of one chapter each, and a word that its reader finds in them.
    private static let books: [(name: String, body: String, word: String)] = [
        ("no blanks", "<p>lantern \(String(repeating: "abcdefgh", count: 3_000)) harbour</p>", "lantern"),
        ("Chinese", "<p>\(chinese)</p><p>lantern</p>", "lantern"),
        ("one paragraph", "<p>\((0..<60_000).map { "w\($0)" }.joined(separator: " ")) lantern</p>", "lantern"),
        ("code", "<pre>\((0..<20_000).map { "line \($0)\n" }.joined())lantern</pre>", "lantern"),
        (
            "table", "<table>\((0..<3_000).map { "<tr><td>\($0)</td><td>lantern</td></tr>" }.joined())</table>",
            "lantern"
        ),
        ("quotes", #"<p>lantern ' \ : &amp; | ! ( ) &lt;-> :* '' \\ "quoted" %s $1 ;--</p>"#, "lantern"),
        (
            "marks",
            "<p>la\u{301}n\u{302}tern \u{200D}\u{FE0F}\u{202E}\u{2028} \u{1F469}\u{200D}\u{1F680} \u{FFFD}</p>",
            "lantern"
        ),
        ("many marks", "<p>lantern z\(String(repeating: "\u{301}", count: 5_000))</p>", "lantern"),
        ("Arabic", "<p dir=\"rtl\">\u{627}\u{644}\u{633}\u{644}\u{627}\u{645} lantern</p>", "lantern"),
        ("controls", "<p>lantern &#1; &#0; &#xD800; &#xFFFF; &#x7F; \u{1}/pages \u{1}</p>", "lantern"),
        ("capitals", "<p>LANTERN \u{130}STANBUL \u{1E9E} \u{FB03}</p>", "lantern"),
    ]

    @Test func `odd texts are read, stored and found`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let account = try await given.account("ann")
            let ann = app.as(account)
            for (name, body, word) in Self.books {
                let book = try await given.book(name)
                try await given.shelved(book, .read, by: account.id)
                let kept = try await ann.keepEbook(
                    try TestEbooks.raw(name, [.init("Chapter", body: body)]),
                    at: try await given.firstEdition(of: book), "rights=own_copy")
                let id = try #require(kept.json["id"]?.text, "\(name): \(kept.text.prefix(500))")
                let found = try await ann.get("/api/v1/ebooks/\(id)/search?q=\(word)")
                #expect(found.json["items"]?.elements.isEmpty == false, "\(name): \(found.text.prefix(500))")
                // The address of the e-book comes into its pages by its links and pictures alone: here there are none.
                let pages = try await ann.get("/api/v1/ebooks/\(id)/pages").json["items"]?.elements ?? []
                #expect(!pages.isEmpty, "\(name)")
                for page in pages {
                    #expect(page["html"]?.text?.contains("/api/v1") == false, "\(name)")
                    #expect(page["text"]?.text?.contains("\u{1}") == false, "\(name)")
                }
            }
            #expect(try await app.world.everyDifference() == [])
        }
    }

    @Test func `whatever is asked of a book is answered, or refused as no question`() async throws {
        try await withApp(leaving: [.outbox, .jobs], settings: { $0.limitsRates = false }) { app in
            let given = app.world.given
            let account = try await given.account("ann")
            let ann = app.as(account)
            let book = try await given.book("Emma")
            try await given.shelved(book, .read, by: account.id)
            let kept = try await ann.keepEbook(
                try TestEbooks.raw("Emma", [.init("Chapter", body: "<p>It's a lantern, isn't it?</p>")]),
                at: try await given.firstEdition(of: book), "rights=own_copy")
            let id = try #require(kept.json["id"]?.text, "\(kept.text)")
            let parts = [
                "'", "\\", ":*", "&", "|", "!", "<->", "(", ")", "\"", "%", "$1", ";", "--", "lantern", "it", "\u{0}",
                "\u{1}", "\u{301}", "\u{FE0F}", "\u{202E}", "\u{4E00}", "\u{130}", "\u{FFFD}", "\u{1F680}", "\u{2028}",
                " ",
                "\u{3000}", "A", "9", String(repeating: "x", count: 60),
            ]
            let random = app.world.random
            var answered: [UInt: Int] = [:]
            for _ in 0..<ProofCount.of(4_000) {
                let text = (0..<random.number(in: 1...6)).map { _ in random.element(of: parts) ?? "" }.joined()
                let asked = text.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
                let answer = try await ann.get("/api/v1/ebooks/\(id)/search?q=\(asked)")
                answered[UInt(answer.status.code), default: 0] += 1
                let isRefused = answer.status == .unprocessableContent || answer.status == .badRequest
                #expect(answer.status == .ok || isRefused, "\(Array(text.unicodeScalars)): \(answer.text)")
                for hit in answer.json["items"]?.elements ?? [] { #expect(hit["page"] == 1) }
            }
            #expect(answered[200, default: 0] > 0 && answered[422, default: 0] > 0, "\(answered)")
        }
    }

    @Test func `a key belongs to one file, and says again what was answered`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let ann = app.as(try await given.account("ann"))
            let edition = try await given.firstEdition(of: try await given.book("Emma"))
            let (one, other) = (try TestEbooks.numbered("One"), try TestEbooks.numbered("Other"))
            let key: HTTPFields = [HTTPField.Name("Idempotency-Key") ?? .accept: "first"]
            let kept = try await ann.keepEbook(one, at: edition, "rights=own_copy", headers: key)
            #expect(kept.status == .created, "\(kept.text)")
            let again = try await ann.keepEbook(one, at: edition, "rights=own_copy", headers: key)
            #expect(again.status == .created && again.json == kept.json)
            for (bytes, said) in [
                (other, "rights=own_copy"), (one, "rights=granted"), (one, "rights=own_copy&audience=me"),
            ] {
                let mixed = try await ann.keepEbook(bytes, at: edition, said, headers: key)
                // What is said by leaving it out is the same.
                if said.hasSuffix("me") {
                    #expect(mixed.json == kept.json, "\(mixed.text)")
                } else {
                    #expect(
                        mixed.status == .unprocessableContent && mixed.code == "idempotency_mismatch", "\(mixed.text)")
                }
            }
            #expect(try await app.world.asSuperuser("select count(*) from ebook") == [["1"]])
            #expect(try await app.world.everyDifference() == [])
        }
    }
}
