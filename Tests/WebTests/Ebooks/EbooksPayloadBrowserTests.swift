import Community
import HTTPTypes
import TestSupport
import Testing

@testable import Web

/// Pages of hostile e-books, shown in a browser as an app may show them: nothing runs, nothing is fetched, nothing leaves. Where there is no
/// browser they are skipped; a full proof fails.
@Suite(
    .database, .enabled(if: Browser.program != nil || ProofCount.isFull, Comment(rawValue: Browser.isMissing)))
struct EbooksPayloadBrowserTests {
    init() throws {
        try #require(Browser.program != nil, "\(Browser.isMissing), and a full proof needs it")
    }

    /// What may stand on a page beside what `ScriptWatch` knows: the list in the README of `EPUB`.
    private static let known: Set<String> = Set(
        """
        h1 h2 h3 h4 h5 h6 dl dt dd figure figcaption table caption thead tbody tfoot tr td th hr b i u s small sub sup kbd samp var cite q \
        dfn abbr ins bdi bdo ruby rb rt rp rtc img math mi mn mo ms mtext mrow mspace mfrac msqrt mroot mstyle merror mpadded mphantom \
        menclose mfenced msub msup msubsup munder mover munderover mmultiscripts mprescripts none mtable mtr mtd mlabeledtr
        """.split(separator: " ").map { "<\($0)>" })

    /// Keeps a book of these chapters; gives its id and the HTML of all its pages.
    private func pages(_ chapters: [TestEbooks.Chapter], of book: String, by reader: TestApp) async throws -> (
        ebook: String, html: [String], text: String
    ) {
        let given = reader.world.given
        let edition = try await given.firstEdition(of: try await given.book(book))
        let drawing =
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"4\" height=\"2\"><script>alert(1)</script></svg>"
        let bytes = try TestEbooks.raw(
            "<script>alert(1)</script>", by: "\" onclick=\"alert(1)", chapters,
            pictures: [("a.svg", "image/svg+xml", Array(drawing.utf8))])
        let kept = try await reader.keepEbook(bytes, at: edition, "rights=own_copy")
        let ebook = try #require(kept.json["id"]?.text, "\(kept.text)")
        let count = Int(kept.json["page_count"]?.number ?? 0)
        var (html, text) = ([String](), "")
        while html.count < count {
            let items = try await reader.get("/api/v1/ebooks/\(ebook)/pages?from=\(html.count + 1)").json["items"]
            try #require(items?.elements.isEmpty == false)
            html += items?.elements.compactMap { $0["html"]?.text } ?? []
            text += items?.elements.compactMap { $0["text"]?.text }.joined(separator: "\n") ?? ""
        }
        return (ebook, html, text)
    }

    /// Shows pages, some at a time, with a policy and without one.
    private func show(_ html: [String], of ebook: String) async throws {
        let share = 60
        for start in stride(from: 0, to: html.count, by: share) {
            let some = Array(html[start..<min(start + share, html.count)])
            for hasPolicy in [true, false] {
                let seen = try await ScriptWatch.showing(some, hasPolicy: hasPolicy)
                #expect(seen.texts == some.count && seen.isWhole, "pages from \(start) swallow others")
                #expect(seen.ran == [], "pages from \(start)")
                // Its own pictures are all that a page asks for.
                #expect(
                    seen.asked.allSatisfy { $0.hasPrefix("/api/v1/ebooks/\(ebook)/pictures/") }, "\(seen.asked)")
                // It tells no more than fifty.
                #expect(seen.odd.count < 50 && Set(seen.odd).subtracting(Self.known) == [], "pages from \(start)")
                #expect(seen.blocked.allSatisfy { $0.hasPrefix("img-src ") && hasPolicy }, "\(seen.blocked)")
            }
        }
    }

    @Test(.timeLimit(.minutes(ProofCount.minutes)))
    func `no chapter of a hostile e-book runs, fetches or sends anything`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = app.as(try await app.world.given.account("ann"))
            let chapters = HostileChapters.all
            let (ebook, html, text) = try await pages(chapters, of: "Hostile", by: ann)
            // Nothing was lost with what is hostile: the words around it are there.
            for number in 0..<chapters.count - 5 {
                #expect(text.contains("before \(number)"), "\(chapters[number].document)")
            }
            #expect(text.ranges(of: "whole").count > 2)
            #expect(html.contains { $0.contains("/api/v1/ebooks/\(ebook)/pictures/0?v=1") })
            try await show(html, of: ebook)
        }
    }

    /// Those that other fields are tried with; each is a document that is no XML.
    @Test(.timeLimit(.minutes(ProofCount.minutes)))
    func `nor does what readers try elsewhere`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = app.as(try await app.world.given.account("ann"))
            let payloads = ScriptPayloads.all
            // Each stands alone in a full proof; else some share a document, where one may hide another.
            let share = ProofCount.isFull ? 1 : 3
            let chapters = stride(from: 0, to: payloads.count, by: share).map { start in
                let some = payloads[start..<min(start + share, payloads.count)].enumerated().map { place, payload in
                    "<p>mark\(start + place)x</p>\(payload)<p title=\"\(payload)\">\(payload)</p>"
                }
                return TestEbooks.Chapter("Payload", body: some.joined(separator: "\n"))
            }
            let (ebook, html, text) = try await pages(chapters, of: "Payloads", by: ann)
            #expect(text.contains("mark0x"))
            try await show(html, of: ebook)
        }
    }

    @Test func `what is shown as it stands runs and asks, and is seen to`() async throws {
        let seen = try await ScriptWatch.showing(HostileChapters.controls, hasPolicy: false)
        for number in [0, 1, 2, 3] { #expect(seen.ran.contains("alert c\(number)"), "\(number): \(seen.ran)") }
        let asked = seen.asked.joined(separator: " ")
        for number in [4, 5, 6, 7, 8] { #expect(asked.contains("asked\(number)"), "\(number): \(asked)") }
        #expect(!Set(seen.odd).subtracting(Self.known).isEmpty)
    }
}
