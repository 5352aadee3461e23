import Foundation
import HTTPTypes
import NIOCore
import TestSupport
import Testing

@testable import Web

/// The documents that a running server shows: they say what the repository's say.
@Suite(.database) struct DocumentsTests {
    /// A file of `Sources/Web/Stream`.
    private static func file(_ name: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "Sources/Web/Stream/" + name), encoding: .utf8)
    }

    /// Its letters and digits alone: markup of either kind has gone.
    private static func letters(_ text: String) -> String { text.filter { $0.isLetter || $0.isNumber } }

    /// What a page shows of its HTML.
    private static func shown(_ html: String) -> String {
        html.replacing(#/<[^>]*>/#, with: "").replacing("&lt;", with: "<").replacing("&gt;", with: ">")
            .replacing("&amp;", with: "&")
    }

    @Test(.requirement("TRE-6"))
    func `the protocol of the stream is served as a page that says all that its document says`() async throws {
        let source = try Self.file("README.md")
        try await withApp { app in
            let page = try await app.get("/docs/stream")
            #expect(page.status == .ok && page.headers[.contentType] == "text/html; charset=utf-8")
            #expect(page.headers[.cacheControl] == "public, max-age=0, must-revalidate")
            #expect(page.headers[.contentSecurityPolicy]?.hasPrefix("default-src 'none'") == true)
            let tag = try #require(page.headers[.eTag])
            #expect(try await app.get("/docs/stream", headers: [.ifNoneMatch: tag]).status == .notModified)

            let all = Self.letters(Self.shown(page.text))
            // Addresses of links are not shown, and the numbers of items are no text.
            let words = source.replacing(#/\]\([^)]*\)/#, with: "")
            let lines = words.split(separator: "\n").filter { !$0.hasPrefix("```") && !$0.hasPrefix("|---") }
            #expect(lines.count > 100)
            for line in lines {
                let letters = Self.letters(String(line.drop { $0.isNumber }))
                #expect(all.contains(letters), "\(line)")
            }
            for mark in ["**", "`", "](", "\n|", "\n#", "\n- ", "<script", "<style"] {
                #expect(!page.text.contains(mark), "\(mark)")
            }
        }
    }

    @Test func `links of the page lead to its headings and to the module, which is served as it stands`() async throws {
        try await withApp { app in
            let page = try await app.get("/docs/stream").text
            let targets = page.matches(of: #/href="([^"]*)"/#).map { String($0.1) }
            for target in targets where target != "stream.js" {
                #expect(target.hasPrefix("#") && page.contains("id=\"\(target.dropFirst())\""), "\(target)")
            }
            #expect(Set(targets).isSuperset(of: ["stream.js", "#tickets", "#as-an-event-stream"]))

            let module = try await app.get("/docs/stream.js")
            #expect(module.status == .ok && module.headers[.contentType] == "text/javascript; charset=utf-8")
            let file = try Self.file("Sample/commonplace-stream.js")
            #expect(module.text == file)
            // A page of another origin imports it.
            #expect(module.headers[.accessControlAllowOrigin] == "*")
        }
    }

    @Test func `what stands in a document is shown as it stands there`() {
        let markdown = """
            # A & B

            Words `a<b` and **strong
            ones**, [here](#two-words) and [nowhere](../x.md).

            ## Two `words`

            - one
              goes on
            - two

            1. first

            | a | b |
            |---|---|
            | `<i>` | |

            ```sh
            a > b

            # c
            ```
            """
        guard case .bytes(let bytes) = Document.page(of: Array(markdown.utf8), links: [:]).content else {
            Issue.record("no page")
            return
        }
        #expect(
            String(buffer: bytes) == """
                <!DOCTYPE html>
                <html lang="en">
                <head><meta charset="utf-8"><title>A &amp; B</title></head>
                <body>
                <h1>A &amp; B</h1>
                <p>Words <code>a&lt;b</code> and <strong>strong
                ones</strong>, <a href="#two-words">here</a> and nowhere.</p>
                <h2 id="two-words">Two <code>words</code></h2>
                <ul>
                <li>one
                goes on</li>
                <li>two</li>
                </ul>
                <ol>
                <li>first</li>
                </ol>
                <table>
                <tr><th> a </th><th> b </th></tr>
                <tr><td> <code>&lt;i&gt;</code> </td><td> </td></tr>
                </table>
                <pre>a &gt; b

                # c</pre>
                </body>
                </html>

                """)
    }
}
