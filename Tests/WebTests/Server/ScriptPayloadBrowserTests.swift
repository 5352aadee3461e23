import Community
import HTTPTypes
import TestSupport
import Testing

@testable import Web

/// Attempts to run a script, written into every field that comes back as HTML, in a browser. Where there is none they
/// are skipped; a full proof fails.
@Suite(
    .database, .enabled(if: Browser.program != nil || ProofCount.isFull, Comment(rawValue: Browser.isMissing)))
struct ScriptPayloadBrowserTests {
    init() throws {
        try #require(Browser.program != nil, "\(Browser.isMissing), and a full proof needs it")
    }

    /// Those that can be stored: a text that holds a NUL is refused.
    private static let payloads = ScriptPayloads.all.filter { !$0.utf8.contains(0) }
    /// `%` is the payload.
    private static let long = """
        %

        [%](https://x.example) [x](%) [x](https://x.example/%) https://x.example/%

        >!%!< *%* `%` @%

        > %

        - %

        ```%
        %
        ```
        """
    /// Where 2,000 characters are all.
    private static let short = "%\n\n[%](https://x.example) [x](%) >!%!< `%`"

    /// Each payload in `context`. In ordinary runs those that come one after the other share a text of at most so many
    /// bytes; in a full proof each stands alone, where nothing before it can hide it.
    private static func texts(_ context: String, of bytes: Int) -> [String] {
        payloads.reduce(into: []) { texts, payload in
            let text = context.replacing("%", with: payload)
            if !ProofCount.isFull, let last = texts.last, last.utf8.count + 2 + text.utf8.count <= bytes {
                texts[texts.count - 1] = last + "\n\n" + text
            } else {
                texts.append(text)
            }
        }
    }

    private struct Field: Sendable {
        let name: String
        let sources: [String]
        /// Writes a text; gives where it is to be read at once, `nil` where `lists` has all of them later.
        let write: @Sendable (JSONValue) async throws -> String?
        /// Lists that hold what was written, or the newest of it, ending in `?` or `&`.
        let lists: [String]
        let reader: TestApp
    }

    @Test(.timeLimit(.minutes(ProofCount.minutes)))
    func `no text of a reader runs anything, with a policy and without`() async throws {
        try await withApp(leaving: [.outbox, .jobs], settings: { $0.limitsRates = false }) { app in
            #expect(Self.payloads.count >= 300)
            let read = try await withThrowingTaskGroup(of: [String].self) { group in
                for field in try await fields(app) {
                    group.addTask { try await filled(field, everyone: app) }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            // Most are the same for their author and a stranger.
            let texts = Set(read).sorted()
            for hasPolicy in [true, false] {
                let seen = try await ScriptWatch.showing(texts, hasPolicy: hasPolicy)
                #expect(seen == .nothing(of: texts.count))
            }
        }
    }

    /// Writes each payload into the field and reads all of them again: the HTML that its own reader gets, and a
    /// stranger where one gets any.
    private func filled(_ field: Field, everyone: TestApp) async throws -> [String] {
        var texts: [String] = []
        for source in field.sources {
            guard let path = try await field.write(.string(source)) else { continue }
            texts += htmls(in: try await field.reader.get(path).json)
        }
        for list in field.lists {
            for app in [field.reader, everyone] {
                var cursor: String? = ""
                while let place = cursor {
                    let page = try await app.get("/api/v1/\(list)limit=100&cursor=\(place)").json
                    texts += htmls(in: page)
                    cursor = page["next_cursor"]?.text
                }
            }
        }
        #expect(texts.count >= field.sources.count, "\(field.name)")
        return texts
    }

    /// Every field that comes back as HTML.
    private func fields(_ app: TestApp) async throws -> [Field] {
        let given = app.world.given
        let (one, other) = (try await given.account("ann"), try await given.account("ben"))
        let (ann, ben) = (app.as(one), app.as(other))
        let book = try await given.book()
        let thread = try await given.thread(on: book, by: one.id)
        let review = try await given.review(by: other.id, of: book, body: "Before.")
        let own = try await given.review(by: one.id, of: book, body: "Before.")
        try await given.friendship(one, other)
        let talk = try await given.conversation(of: one, with: other)
        let club = try await given.club(by: one.id)
        let long = Self.texts(Self.long, of: 3900)
        let short = Self.texts(Self.short, of: 1900)
        @Sendable func written(_ answer: TestAnswer) throws {
            try #require([200, 201].contains(answer.status.code), "\(answer.text)")
        }
        return [
            Field(
                name: "a reply", sources: long,
                write: { text in
                    try written(
                        try await ben.post("/api/v1/threads/\(thread.id)/posts", ["body": text, "scope": "free"]))
                    return nil
                }, lists: ["threads/\(thread.id)/posts?"], reader: ben),
            Field(
                name: "a first post", sources: long,
                write: { text in
                    try written(try await ann.patch("/api/v1/posts/\(thread.post)", ["body": text]))
                    return "/api/v1/posts/\(thread.post)"
                }, lists: ["posts/\(thread.post)/history?"], reader: ann),
            Field(
                name: "a review", sources: long,
                write: { text in
                    try written(try await ann.put("/api/v1/books/\(book)/review", ["rating": 4, "body": text]))
                    return "/api/v1/reviews/\(own.id)"
                }, lists: ["reviews/\(own.id)/history?", "books/\(book)/reviews?"], reader: ann),
            Field(
                name: "a reply to a review", sources: long,
                write: { text in
                    try written(try await ann.post("/api/v1/reviews/\(review.id)/replies", ["body": text]))
                    return nil
                }, lists: ["reviews/\(review.id)/replies?"], reader: ann),
            Field(
                name: "a group's description", sources: short,
                write: { text in
                    try written(try await ann.patch("/api/v1/groups/\(club)", ["description": text]))
                    return "/api/v1/groups/\(club)"
                }, lists: [], reader: ann),
            Field(
                name: "a message", sources: long,
                write: { text in
                    try written(try await ben.post("/api/v1/conversations/\(talk)/messages", ["body": text]))
                    return nil
                }, lists: ["conversations/\(talk)/messages?"], reader: ann),
            Field(
                name: "a note", sources: long,
                write: { text in
                    let note = try await ann.post(
                        "/api/v1/books/\(book)/notes",
                        ["visibility": "public", "items": [["kind": "text", "body": text]]])
                    try written(note)
                    return "/api/v1/notes/\(note.json["id"]?.text ?? "")"
                }, lists: ["me/notebook/search?q=script&", "me/notebook/search?q=alert&"], reader: ann),
        ]
    }

    private func htmls(in json: JSONValue) -> [String] {
        switch json {
        case .array(let items): items.flatMap(htmls)
        case .object(let members):
            members.sorted { $0.key < $1.key }.flatMap { name, value in
                if name == "html", let text = value.text { return [text] }
                return htmls(in: value)
            }
        default: []
        }
    }

    /// A new one belongs among `fields`.
    @Test func `nothing else comes back as HTML`() async throws {
        try await withApp { app in
            let schemas = try #require(try await app.get("/api/v1/openapi.json").json["components"]?["schemas"])
            guard case .object(let all) = schemas else { return }
            let names = all.filter { $0.value["properties"]?["html"] != nil }.keys.sorted()
            #expect(
                names == [
                    // `EbooksPayloadBrowserTests` shows pages.
                    "EbookPage", "Group", "Message", "NoteText", "NotebookHit", "Post", "PostText", "Review",
                    "ReviewReply",
                    "ReviewText",
                ])
        }
    }

    // MARK: The proof itself

    /// Each tells its own number when it runs.
    private static let controls = [
        "<script>alert(0)</script>", "<img src=/asked onerror=alert(1)>", "<a href=\"javascript:alert(2)\">x</a>",
        "<p onmouseover=alert(3)>x</p>", "<svg/onload=alert(4)>", "<details open ontoggle=alert(5)>x</details>",
        "<input autofocus onfocus=alert(6)>", "<a href=\"https://x.example/\"onclick=\"alert(7)\">x</a>",
        "<a href=\"java\tscript:alert(8)\">x</a>", "<script>prompt(9)</script>",
    ]

    @Test func `what is shown as it was written runs, and is seen to run`() async throws {
        let others = [
            "<script>throw 1</script>", "<script>document.title='2'</script>", "<style>@import '/style'</style>",
        ]
        let seen = try await ScriptWatch.showing(Self.controls + others, hasPolicy: false)
        for number in Self.controls.indices {
            #expect(seen.ran.contains("\(number == 9 ? "prompt" : "alert") \(number)"))
        }
        #expect(seen.ran.contains { $0.hasPrefix("error") } && seen.ran.contains("title 2"))
        #expect(Set(seen.asked) == ["/asked", "/style"])
        #expect(Set(seen.odd).isSuperset(of: ["<script>", "<img>", "onerror", "javascript:", "onclick", "<style>"]))
    }

    @Test func `the policy keeps even that from running, and says so`() async throws {
        let seen = try await ScriptWatch.showing(Self.controls, hasPolicy: true)
        #expect(seen.ran == [] && seen.asked == [])
        #expect(Set(seen.blocked).isSuperset(of: ["script-src-elem inline", "script-src-attr inline"]))
    }

    @Test func `a text that swallows others is seen to`() async throws {
        let seen = try await ScriptWatch.showing(["<p>a</p>", "<textarea>", "<p>b</p>"], hasPolicy: false)
        #expect(seen.texts < 3 && !seen.isWhole)
    }
}
