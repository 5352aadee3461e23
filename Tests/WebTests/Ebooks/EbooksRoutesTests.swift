import Community
import Foundation
import HTTPTypes
import JSONWriting
import TestSupport
import Testing
import Web

/// E-books over HTTP: keeping them, turning their pages, and who may.
@Suite(.database) struct EbooksRoutesTests {
    @Test(.requirement("REA-1", "REA-7"))
    func `a reader keeps an e-book and turns its pages, forward, back and anywhere`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let ann = app.as(try await given.account("ann"))
            let book = try await given.book("The long way")
            let edition = try await given.firstEdition(of: book)
            let kept = try await ann.keepEbook(try TestEbooks.numbered(), at: edition, "rights=own_copy")
            #expect(kept.status == .created, "\(kept.text)")
            let ebook = kept.json
            let id = try #require(ebook["id"]?.text)
            #expect(kept.headers[.location] == "http://127.0.0.1:8080/api/v1/ebooks/\(id)")
            #expect(
                ebook["title"] == "The long way" && ebook["creators"] == ["Ada Writer"] && ebook["language"] == "en")
            #expect(ebook["direction"] == "ltr" && ebook["writing"] == "horizontal" && ebook["cover"] == .null)
            #expect(ebook["audience"] == "me" && ebook["rights"] == "own_copy" && ebook["access"] == "open")
            #expect(ebook["book"]?["id"]?.text == book.text && ebook["edition_id"]?.text == edition)
            let count = try #require(ebook["page_count"]?.number.map { Int($0) })
            #expect(count > 6)
            let contents = ebook["contents"]?.elements ?? []
            #expect(contents.map { $0["title"]?.text } == ["Chapter 1", "Chapter 2", "Chapter 3"])
            #expect(contents.allSatisfy { $0["depth"] == 0 })

            // Forward by the addresses that pages give: all text comes, in order, and the position rises to the end.
            var (path, pages) = (app.path(ebook["first_page"]), [JSONValue]())
            while !path.isEmpty {
                let answer = try await ann.get(path)
                #expect(answer.status == .ok, "\(answer.text)")
                #expect(answer.headers[.cacheControl] == "private, max-age=86400" && answer.headers[.eTag] != nil)
                pages.append(answer.json)
                path = app.path(answer.json["next"])
            }
            #expect(pages.count == count)
            #expect(pages.map { $0["page"]?.number } == (1...count).map { Double($0) })
            let positions = pages.compactMap { $0["position"]?.number }
            #expect(positions == positions.sorted() && positions.last == 10_000)
            let text = pages.compactMap { $0["text"]?.text }.joined(separator: "\n")
            let places = (1...3).flatMap { chapter in (1...12).map { "c\(chapter)p\($0) " } }
            let found = places.compactMap { text.range(of: $0)?.lowerBound }
            #expect(found.count == places.count && found == found.sorted())
            for heading in contents {
                let number = Int(heading["page"]?.number ?? 0)
                let page = pages[number - 1]
                #expect(page["text"]?.text?.hasPrefix(heading["title"]?.text ?? "?") == true)
                #expect(page["chapter"]?["title"] == heading["title"])
            }
            #expect(try await ann.get("/api/v1/me/ebooks").json["items"]?[0]?["id"]?.text == id)
            // Back, anywhere, and several at once.
            let last = pages[count - 1]
            #expect(try await ann.get(app.path(last["previous"])).json == pages[count - 2])
            #expect(last["next"] == .null && pages[0]["previous"] == .null)
            #expect(try await ann.get("/api/v1/ebooks/\(id)/pages/4").json == pages[3])
            let some = try await ann.get("/api/v1/ebooks/\(id)/pages?from=2&to=5&v=1").json["items"]
            #expect(some == .array(Array(pages[1...4])))
            #expect(try await ann.get("/api/v1/ebooks/\(id)/pages?from=\(count)").json["items"] == [last])
            for address in ["pages/0", "pages/\(count + 1)", "pages/x", "pages?from=\(count + 1)"] {
                #expect(try await ann.get("/api/v1/ebooks/\(id)/\(address)").status == .notFound, "\(address)")
            }
            #expect(try await ann.get("/api/v1/ebooks/\(id)/pages?from=1&to=21").status == .unprocessableContent)
            let tag = try #require(try await ann.get("/api/v1/ebooks/\(id)/pages/2?v=1").headers[.eTag])
            let again = try await ann.get("/api/v1/ebooks/\(id)/pages/2?v=1", headers: [.ifNoneMatch: tag])
            #expect(again.status == .notModified)
            #expect(try await app.world.everyDifference() == [])
        }
    }

    @Test func `an own e-book is there for nobody else, and what was bought stays so`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let ann = app.as(try await given.account("ann"))
            let others = [
                app, app.as(try await given.account("bea")), app.as(try await given.account("lib", role: .librarian)),
            ]
            let book = try await given.book("Emma")
            let edition = try await given.firstEdition(of: book)
            let kept = try await ann.keepEbook(try TestEbooks.numbered("canarybook"), at: edition, "rights=own_copy")
            let id = try #require(kept.json["id"]?.text)
            for other in others {
                for path in ["", "/pages/1", "/pages", "/search?q=woods"] {
                    #expect(try await other.get("/api/v1/ebooks/\(id)\(path)").status == .notFound, "\(path)")
                }
                #expect(try await other.get("/api/v1/books/\(book)/ebooks").json["items"] == [])
                #expect(try await other.get("/api/v1/books/\(book)/open").status == .notFound)
            }
            for other in others.dropFirst() {
                #expect(try await other.patch("/api/v1/ebooks/\(id)", ["rights": "granted"]).status == .notFound)
                #expect(try await other.delete("/api/v1/ebooks/\(id)").status == .notFound)
                let step: JSONValue = ["ebook": .string(id), "page": 2, "device": "phone"]
                let refused = try await other.put("/api/v1/books/\(book)/position", step)
                #expect(refused.status == .unprocessableContent && refused.json["errors"]?[0]?["pointer"] == "/ebook")
            }
            #expect(try await ann.get("/api/v1/me/ebooks").json["items"]?[0]?["id"]?.text == id)
            let wider = try await ann.patch("/api/v1/ebooks/\(id)", ["audience": "everybody"])
            #expect(wider.status == .unprocessableContent, "\(wider.text)")
            let shared = try await others[2].keepEbook(
                try TestEbooks.numbered(), at: edition, "rights=own_copy&audience=everybody")
            #expect(shared.json["errors"]?[0]?["pointer"] == "?rights", "\(shared.text)")
            let member = try await ann.keepEbook(
                try TestEbooks.numbered(), at: edition, "rights=public_domain&audience=everybody")
            #expect(member.status == .forbidden && member.json["code"] == "not_librarian")
        }
    }

    @Test func `the same bytes are read and stored once, and go with the last who keeps them`() async throws {
        try await withApp(leaving: [.outbox]) { app in
            let given = app.world.given
            let (ann, bea) = (app.as(try await given.account("ann")), app.as(try await given.account("bea")))
            let editions = [
                try await given.firstEdition(of: try await given.book("Emma")),
                try await given.firstEdition(of: try await given.book("Persuasion")),
            ]
            let bytes = try TestEbooks.numbered()
            let first = try await ann.keepEbook(bytes, at: editions[0])
            let second = try await bea.keepEbook(bytes, at: editions[1])
            #expect(first.status == .created && second.status == .created)
            // Where the same reader had one, it takes its place.
            let again = try await ann.keepEbook(bytes, at: editions[0], "rights=granted")
            #expect(again.status == .ok && again.json["id"] != first.json["id"])
            _ = try await app.world.work()
            #expect(try storedFiles(of: app.world).count == 1)
            #expect(try await app.world.asSuperuser("select count(*) from ebook_file") == [["1"]])
            #expect(try await ann.delete("/api/v1/ebooks/\(again.json["id"]?.text ?? "")").status == .noContent)
            _ = try await app.world.work()
            #expect(try storedFiles(of: app.world).count == 1)
            #expect(try await bea.delete("/api/v1/ebooks/\(second.json["id"]?.text ?? "")").status == .noContent)
            _ = try await app.world.work()
            #expect(try storedFiles(of: app.world).isEmpty)
            #expect(try await app.world.asSuperuser("select count(*) from ebook_page") == [["0"]])
            #expect(try await app.world.everyDifference() == [])
        }
    }

    @Test func `what cannot be read is refused with the reason and leaves nothing`() async throws {
        try await withApp { app in
            let given = app.world.given
            let ann = app.as(try await given.account("ann"))
            let edition = try await given.firstEdition(of: try await given.book("Emma"))
            let whole = try TestEbooks.numbered()
            let container = ("META-INF/container.xml", "<container/>")
            let table: [([UInt8], String, String)] = [
                ([], "ebook_damaged", "empty"),
                (Array("\u{0}\u{1}nothing".utf8), "ebook_damaged", "ZIP"),
                (Array(whole.prefix(whole.count / 2)), "ebook_damaged", "breaks off"),
                (try TestEbooks.archive([("a.txt", "a")]), "ebook_damaged", "container.xml"),
                (try TestEbooks.archive([container, ("../a", "a")]), "ebook_damaged", "outside"),
                (
                    try TestEbooks.archive([("META-INF/rights.xml", "<rights/>"), ("META-INF/container.xml", "<c/>")]),
                    "ebook_locked", "DRM"
                ),
            ]
            for (bytes, code, words) in table {
                let refused = try await ann.keepEbook(bytes, at: edition)
                #expect(refused.status == .unprocessableContent, "\(words): \(refused.text)")
                #expect(refused.json["code"]?.text == code)
                #expect(refused.json["detail"]?.text?.contains(words) == true, "\(refused.text)")
            }
            let type = try await ann.keepEbook(whole, at: edition, type: "image/png")
            #expect(type.status == .unsupportedMediaType)
            let huge = try await ann.send(
                .put, "/api/v1/editions/\(edition)/ebook?rights=granted",
                headers: [.contentType: "application/epub+zip", .contentLength: "\(65 * 1024 * 1024)"])
            #expect(huge.status == .contentTooLarge, "\(huge.text)")
            #expect(try await ann.keepEbook(whole, at: "1234567").status == .notFound)
            #expect(try await ann.keepEbook(whole, at: edition, "").json["errors"]?[0]?["pointer"] == "?rights")
            #expect(try await app.keepEbook(whole, at: edition).status == .unauthorized)
            #expect(try storedFiles(of: app.world).isEmpty)
            #expect(try await app.world.asSuperuser("select count(*) from ebook_file") == [["0"]])
        }
    }

    @Test func `plain text is a book, too`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let ann = app.as(try await given.account("ann"))
            let edition = try await given.firstEdition(of: try await given.book("Emma"))
            let text = "CHAPTER 1\n\nIt was a quiet café.\n\nCHAPTER 2\n\nIt was <b>loud</b>.\n"
            let kept = try await ann.keepEbook(Array(text.utf8), at: edition, type: "text/plain")
            let id = try #require(kept.json["id"]?.text, "\(kept.text)")
            #expect(kept.json["page_count"] == 2 && kept.json["contents"]?.elements.count == 2, "\(kept.text)")
            let first = try await ann.get("/api/v1/ebooks/\(id)/pages/1").json
            #expect(first["text"]?.text?.contains("It was a quiet café.") == true && first["position"] != 0)
            let second = try await ann.get("/api/v1/ebooks/\(id)/pages/2").json
            #expect(second["html"]?.text?.contains("It was &lt;b&gt;loud&lt;/b&gt;.") == true, "\(second)")
            #expect(try await app.world.asSuperuser("select type from media_file") == [["text/plain"]])
            let latin = try await ann.keepEbook(Array("caf".utf8) + [0xE9], at: edition, type: "text/plain")
            #expect(latin.json["code"] == "ebook_damaged", "\(latin.text)")
        }
    }

    @Test(.requirement("REA-2", "REA-4"))
    func `reading logs the place by itself, and a book opens at the page that was bookmarked last`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let ann = app.as(try await given.account("ann"))
            let book = try await given.book("The long way")
            let kept = try await ann.keepEbook(try TestEbooks.numbered(), at: try await given.firstEdition(of: book))
            let id = try #require(kept.json["id"]?.text)
            let open = "/api/v1/books/\(book)/open"
            let beginning = try await ann.get(open).json
            #expect(beginning["opened_at"] == "beginning" && beginning["page"]?["page"] == 1)
            #expect(beginning["page"]?["html"]?.text?.contains("<h1") == true)

            func turn(to page: Int, from device: JSONValue = "phone", _ more: JSONValue = [:]) async throws
                -> TestAnswer
            {
                var step: JSONValue = ["ebook": .string(id), "page": .number("\(page)"), "device": device]
                if case .object(let members) = more, case .object(var all) = step {
                    all.merge(members) { $1 }
                    step = .object(all)
                }
                app.world.clock.advance(by: .seconds(60))
                return try await ann.put("/api/v1/books/\(book)/position", step)
            }
            let page = try await ann.get("/api/v1/ebooks/\(id)/pages/5").json
            let turned = try await turn(to: 5)
            #expect(turned.status == .created, "\(turned.text)")
            #expect(turned.json["position"] == page["position"] && turned.json["page"] == 5)
            #expect(turned.json["page_count"] == page["page_count"] && turned.json["ebook_id"]?.text == id)
            let opened = try await ann.get(open).json
            #expect(opened["opened_at"] == "position" && opened["page"] == page, "\(opened)")
            #expect(opened["place"]?["page"] == 5 && opened["bookmark"] == .null)

            // A bookmark that is made later is where it opens; reading on leads away from it.
            app.world.clock.advance(by: .seconds(60))
            let mark = try await ann.post(
                "/api/v1/books/\(book)/bookmarks", ["ebook": .string(id), "page": 3, "label": "the quiet part"])
            #expect(mark.status == .created && mark.json["page"] == 3, "\(mark.text)")
            #expect(mark.json["ebook_id"]?.text == id && mark.json["page_count"] == page["page_count"])
            let resumed = try await ann.get(open).json
            #expect(resumed["opened_at"] == "bookmark" && resumed["page"]?["page"] == 3)
            #expect(resumed["bookmark"]?["label"] == "the quiet part")
            #expect(try await turn(to: 6).status == .ok)
            #expect(try await ann.get(open).json["page"]?["page"] == 6)

            // Another device that is behind is told; its own may turn back.
            let behind = try await turn(to: 2, from: "tablet")
            #expect(behind.status == .conflict && behind.json["code"] == "position_behind")
            #expect(try await turn(to: 4).status == .ok)
            #expect(try await turn(to: 2, from: "tablet", ["meant": "mine"]).status == .ok)
            #expect(try await ann.get(open).json["page"]?["page"] == 2)
            for step: JSONValue in [
                ["ebook": .string(id), "page": 999, "device": "phone"], ["ebook": .string(id), "device": "phone"],
                ["ebook": "77", "page": 1, "device": "phone"],
                ["ebook": .string(id), "page": 1, "page_count": 9, "device": "phone"],
            ] {
                let refused = try await ann.put("/api/v1/books/\(book)/position", step)
                #expect(refused.status == .unprocessableContent, "\(step) \(refused.text)")
            }
            #expect(try await app.world.everyDifference() == [])
        }
    }

    @Test func `a search in a book ends where its reader is`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let librarian = app.as(try await given.account("lib", role: .librarian))
            let ann = app.as(try await given.account("ann"))
            let book = try await given.book("The long way")
            let bytes = try TestEbooks.epub(
                "The long way",
                (1...6).map { chapter in
                    ("Part \(chapter)", ["In part \(chapter) the Lantern café stood open, canary\(chapter) said."])
                })
            let kept = try await librarian.keepEbook(
                bytes, at: try await given.firstEdition(of: book), "rights=public_domain&audience=everybody")
            let id = try #require(kept.json["id"]?.text, "\(kept.text)")
            let search = "/api/v1/ebooks/\(id)/search?q="
            func pages(_ reader: TestApp, _ words: String) async throws -> [Double] {
                let answer = try await reader.get(search + words)
                #expect(answer.status == .ok, "\(answer.text)")
                return answer.json["items"]?.elements.compactMap { $0["page"]?.number } ?? []
            }
            #expect(try await pages(app, "lantern") == [])
            #expect(try await pages(ann, "lantern") == [])
            let step: JSONValue = ["ebook": .string(id), "page": 3, "device": "phone"]
            #expect(try await ann.put("/api/v1/books/\(book)/position", step).status == .created)
            #expect(try await pages(ann, "lantern%20cafe") == [1, 2, 3])
            #expect(try await pages(ann, "lant") == [1, 2, 3])
            #expect(try await pages(ann, "canary2") == [2])
            #expect(try await pages(ann, "canary4") == [])
            let hit = try await ann.get(search + "canary2").json["items"]?[0]
            #expect(
                hit?["before"]?.text?.hasSuffix("stood open,") == true && hit?["match"] == "canary2", "\(hit ?? .null)")
            #expect(hit?["after"] == "said." && hit?["chapter"] == "Part 2")
            let finisher = app.as(try await given.finisher(of: book))
            #expect(try await pages(finisher, "lantern&limit=4") == [1, 2, 3, 4])
            #expect(try await ann.get(search + "%21%3F").status == .unprocessableContent)
        }
    }
}
