import Community
import HTTPTypes
import TestSupport
import Testing

@testable import Web

/// In an e-book for everybody, nobody is told of words behind their gate: not by its search, not by what others said at its pages.
@Suite(.database) struct EbooksGateCanaryTests {
    private static let chapters = 8

    /// A book of which each page has a word of its own.
    private struct Scene {
        let book: ID<Catalog.Work>
        let ebook: String
        /// By page, from 1: what stands on it, and what was said at it.
        let words: [String]
        let said: [String]

        var path: String { "/api/v1/ebooks/\(ebook)" }
    }

    private func scene(_ app: TestApp, by far: Signed) async throws -> Scene {
        let given = app.world.given
        let book = try await given.book("The long way")
        try await given.shelved(book, .read, by: far.id)
        let words = (1...Self.chapters).map { _ in Canaries.word(in: app.world) }
        let said = (1...Self.chapters).map { _ in Canaries.word(in: app.world) }
        let librarian = app.as(try await given.account(role: .librarian))
        let kept = try await librarian.keepEbook(
            try TestEbooks.epub(
                "The long way",
                words.enumerated().map { ("Part \($0 + 1)", ["Here the lantern burnt, and \($1) was seen."]) }),
            at: try await given.firstEdition(of: book), "rights=public_domain&audience=everybody")
        let ebook = try #require(kept.json["id"]?.text, "\(kept.text)")
        #expect(kept.json["page_count"]?.number == Double(Self.chapters))
        for (page, word) in said.enumerated() {
            let scope: JSONValue = ["ebook": .string(ebook), "page": .number("\(page + 1)")]
            let opened = try await app.as(far).post(
                "/api/v1/books/\(book)/threads",
                ["title": .string("On \(word)"), "body": .string("Of \(word)."), "scope": scope])
            #expect(opened.status == .created, "\(opened.text)")
        }
        return Scene(book: book, ebook: ebook, words: words, said: said)
    }

    /// All pages of a list, joined, from `start` on.
    private func all(_ path: String, from start: String? = nil, as app: TestApp) async throws -> (
        text: String, items: [JSONValue]
    ) {
        var (text, items, cursor) = ("", [JSONValue](), start)
        repeat {
            let place = cursor.map { "&cursor=" + $0 } ?? ""
            let answer = try await app.get(path + place)
            #expect(answer.status == .ok, "\(path) \(answer.text)")
            text += answer.text + answer.headers.map(\.value).joined()
            items += answer.json["items"]?.elements ?? []
            cursor = answer.json["next_cursor"]?.text
        } while cursor != nil
        return (text, items)
    }

    /// Everything that is told of a book's pages holds the words up to page `reached` of those in `scene`, and none behind.
    private func look(
        _ scene: Scene, as app: TestApp, reached: Int, hearing: Bool = true, stranger cursor: String,
        _ name: String
    ) async throws {
        for (page, word) in scene.words.enumerated() {
            for limit in ["", "&limit=1"] {
                let found = try await all(scene.path + "/search?q=\(word)\(limit)", as: app).items
                #expect(found.map { $0["page"]?.number } == (page < reached ? [Double(page + 1)] : []), "\(name)")
            }
        }
        let every = try await all(scene.path + "/search?q=lantern&limit=3", as: app)
        #expect(every.items.compactMap { $0["page"]?.number } == (0..<reached).map { Double($0 + 1) }, "\(name)")
        // Another reader's place in the list opens nothing.
        let behind = try await all(scene.path + "/search?q=lantern&limit=3", from: cursor, as: app)
        #expect(behind.items.allSatisfy { ($0["page"]?.number ?? 99) <= Double(reached) }, "\(name)")
        var text = every.text + behind.text
        for page in 1...Self.chapters {
            let talk = try await all(scene.path + "/pages/\(page)/talk?limit=1", as: app)
            let expected = [page, page - 1].filter { $0 > 0 && $0 <= reached && hearing }.map { scene.said[$0 - 1] }
            let bodies = talk.items.compactMap { $0["body"]?.text }
            #expect(bodies == expected.map { "Of \($0)." }, "\(name) at \(page)")
            text += talk.text
        }
        let margins = try await app.get(scene.path + "/talk?from=1&to=\(Self.chapters)")
        #expect(margins.json["items"]?.elements.map { $0["post_count"]?.number } == scene.said.map { _ in 1 })
        text += margins.text
        for page in reached..<Self.chapters {
            #expect(!text.contains(scene.words[page]), "\(name) is told what stands on page \(page + 1)")
            #expect(!text.contains(scene.said[page]), "\(name) is told what was said at page \(page + 1)")
        }
    }

    @Test(.requirement("REA-7", "TRE-6"))
    func `searching, talk and margins end at each reader's gate`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let far = try await given.elder()
            let scene = try await scene(app, by: far)
            let first = try await app.as(far).get(scene.path + "/search?q=lantern&limit=3")
            let cursor = try #require(first.json["next_cursor"]?.text)
            try await look(scene, as: app.as(far), reached: Self.chapters, stranger: cursor, "who finished")
            try await look(scene, as: app, reached: 0, stranger: cursor, "nobody")
            let near = app.as(try await given.account())
            let deaf = try await given.account()
            try await app.world.community.friends.block(far.username, by: deaf.id)
            try await look(scene, as: near, reached: 0, stranger: cursor, "who has not begun")
            for page in [1, 4, 7] {
                for reader in [near, app.as(deaf)] {
                    let step: JSONValue = [
                        "ebook": .string(scene.ebook), "page": .number("\(page)"), "device": "phone",
                    ]
                    #expect(
                        try await reader.put("/api/v1/books/\(scene.book)/position", step).status.kind == .successful)
                }
                try await look(scene, as: near, reached: page, stranger: cursor, "who is on page \(page)")
                try await look(
                    scene, as: app.as(deaf), reached: page, hearing: false, stranger: cursor, "who blocks the writer")
            }
            // Who said that the gate is to be off is told all of it.
            #expect(try await near.put("/api/v1/books/\(scene.book)/reveal").status.kind == .successful)
            try await look(scene, as: near, reached: Self.chapters, stranger: cursor, "who revealed all of it")
            #expect(try await app.world.everyDifference() == [])
        }
    }
}
