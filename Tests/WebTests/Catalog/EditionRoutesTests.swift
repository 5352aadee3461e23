import Community
import HTTPTypes
import Postgres
import TestSupport
import Testing
import Web

/// Films and other media, who made them, and editions that readers add.
@Suite(.database) struct EditionRoutesTests {
    private static let audiobook: JSONValue = [
        "format": "audiobook", "isbns": ["9780439023481"], "minutes": 678, "language": "en",
        "contributors": [
            ["name": "Nora Narrator", "role": "narrator"], ["name": "Tom Translator", "role": "translator"],
        ],
        "access_modes": ["auditory"], "accessibility_features": ["transcript", "tableOfContents"],
        "accessibility_hazards": ["noSoundHazard"], "accessibility_summary": "Read aloud, with a transcript.",
        "reason": "I have it here",
    ]

    private static func holdsAudiobook(_ edition: JSONValue?) -> Bool {
        edition?["format"] == "audiobook" && edition?["isbn13"] == "9780439023481" && edition?["minutes"] == 678
            && edition?["contributors"]?.elements.map { $0["name"]?.text } == ["Nora Narrator", "Tom Translator"]
            && edition?["contributors"]?.elements.map { $0["role"] } == ["narrator", "translator"]
            && edition?["access_modes"] == ["auditory"]
            && edition?["accessibility_features"] == ["tableOfContents", "transcript"]
            && edition?["accessibility_hazards"] == ["noSoundHazard"]
            && edition?["accessibility_summary"] == "Read aloud, with a transcript."
    }

    @Test(.requirement("CAT-11", "CAT-12"))
    func `a member proposes an audiobook with its narrator, and it is there once a librarian accepts`() async throws {
        try await withApp { app in
            let ann = app.as(try await app.world.given.account("ann"))
            let lib = app.as(try await app.world.given.account("lib", role: .librarian))
            let path = "/api/v1/books/\(try await app.world.given.book("Emma"))"
            #expect(try await app.post(path + "/editions", Self.audiobook).status == .unauthorized)

            let proposed = try await ann.post(path + "/editions", Self.audiobook)
            #expect(proposed.status == .created && proposed.json["outcome"] == "proposed", "\(proposed.text)")
            #expect(proposed.json["edition_id"] == .null)
            #expect(try await ann.get(path).json["editions"]?.elements.contains(where: Self.holdsAudiobook) == false)
            let proposal = try #require(proposed.json["proposal_id"]?.text)
            let waiting = try await lib.get("/api/v1/proposals").json["items"]?[0]
            #expect(waiting?["action"] == "create" && waiting?["subject"]?["kind"] == "book")
            #expect(waiting?["changes"]?["contributors"]?[0]?["role"] == "narrator", "\(waiting ?? .null)")

            let accepted = try await lib.post("/api/v1/proposals/\(proposal)/accept", ["answer": "thanks"])
            #expect(accepted.json["outcome"] == "applied", "\(accepted.text)")
            let edition = try #require(accepted.json["edition_id"]?.text)
            let page = try await app.get(path)
            let added = page.json["editions"]?.elements.first { $0["id"]?.text == edition }
            #expect(Self.holdsAudiobook(added), "\(page.text)")
            let alone = try await app.get("/api/v1/editions/\(edition)")
            #expect(Self.holdsAudiobook(alone.json), "\(alone.text)")
            let history = try await app.get("/api/v1/editions/\(edition)/revisions").json["items"]?[0]
            #expect(history?["action"] == "create" && history?["author"]?["username"] == "ann")
            #expect(try await app.get("/api/v1/isbn/9780439023481").json["outcome"] == "found")

            // The narrator is a person of the catalogue as any author is, and a new name is on the page at once.
            let narrator = try #require(added?["contributors"]?[0]?["id"]?.text)
            _ = try await lib.patch("/api/v1/authors/\(narrator)", ["name": "Nora Reader"])
            let renamed = try await app.get(path).json["editions"]?.elements.first { $0["id"]?.text == edition }
            #expect(renamed?["contributors"]?[0]?["name"] == "Nora Reader")
        }
    }

    @Test(.requirement("CAT-12")) func `a librarian adds an edition at once, and corrects it`() async throws {
        try await withApp { app in
            let lib = app.as(try await app.world.given.account("lib", role: .librarian))
            let ann = app.as(try await app.world.given.account("ann"))
            let path = "/api/v1/books/\(try await app.world.given.book("Emma"))"
            for format in ["large_print", "braille"] {
                let proposed = try await ann.post(path + "/editions", ["format": .string(format), "pages": 700])
                let proposal = try #require(proposed.json["proposal_id"]?.text, "\(proposed.text)")
                let accepted = try await lib.post("/api/v1/proposals/\(proposal)/accept", [:])
                let theirs = try await app.get("/api/v1/editions/\(accepted.json["edition_id"]?.text ?? "")")
                #expect(theirs.json["format"]?.text == format && theirs.json["pages"] == 700, "\(theirs.text)")
                let added = try await lib.post(path + "/editions", ["format": .string(format)])
                #expect(added.status == .created && added.json["outcome"] == "applied" && added.json["version"] == 2)
                let edition = try #require(added.json["edition_id"]?.text)
                let corrected = try await lib.patch(
                    "/api/v1/editions/\(edition)",
                    [
                        "accessibility_features": ["largePrint"],
                        "contributors": [["name": "Ed", "role": "illustrator"]],
                    ])
                #expect(corrected.json["outcome"] == "applied" && corrected.json["version"] == 3, "\(corrected.text)")
                let shown = try await app.get(path).json["editions"]?.elements.first { $0["id"]?.text == edition }
                #expect(shown?["format"]?.text == format && shown?["accessibility_features"] == ["largePrint"])
                #expect(shown?["contributors"]?[0]?["role"] == "illustrator")
            }
        }
    }

    @Test func `an edition that cannot be is refused with a reason`() async throws {
        try await withApp { app in
            let ann = app.as(try await app.world.given.account("ann"))
            let lib = app.as(try await app.world.given.account("lib", role: .librarian))
            _ = try await app.world.given.book("Dune", isbn: try ISBN("9780441172719"))
            let book = try await app.world.given.book("Emma", isbn: try ISBN("9780439023481"))
            let path = "/api/v1/books/\(book)/editions"
            for isbn: JSONValue in ["9780441172719", "9780439023481"] {
                for reader in [ann, lib] {
                    let taken = try await reader.post(path, ["isbns": [isbn]])
                    #expect(taken.status == .conflict && taken.json["code"] == "isbn_taken", "\(taken.text)")
                }
            }
            let wrong: [(JSONValue, String)] = [
                ([:], ""), (["reason": "none"], ""),
                (["contributors": [["name": "A", "role": "wizard"]]], "/contributors/0/role"),
                (["contributors": [["name": "A"]]], "/contributors/0/role"), (["minutes": 0], "/minutes"),
                (["access_modes": ["telepathy"]], "/access_modes/0"), (["book": .string(book.text)], "/book"),
                (["isbns": ["1"]], "/isbns/0"),
                (["accessibility_summary": .string(String(repeating: "a", count: 2001))], "/accessibility_summary"),
            ]
            for (body, pointer) in wrong {
                let refused = try await ann.post(path, body)
                #expect(refused.status == .unprocessableContent, "\(body)")
                #expect(refused.json["errors"]?[0]?["pointer"]?.text == pointer, "\(refused.text)")
            }
            #expect(try await ann.post("/api/v1/books/99/editions", ["format": "braille"]).status == .notFound)
            // What was free when it was proposed may be taken when it is accepted.
            let proposed = try await ann.post(path, ["isbns": ["9791032300824"], "format": "braille"])
            _ = try await lib.post(path, ["isbns": ["9791032300824"]])
            let late = try await lib.post("/api/v1/proposals/\(proposed.json["proposal_id"]?.text ?? "")/accept", [:])
            #expect(late.status == .conflict && late.json["code"] == "isbn_taken")
        }
    }

    @Test(.requirement("CAT-11"))
    func `a film with its director is searched, shelved, rated, talked about, filtered and told apart`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = app.as(try await app.world.given.account("ann"))
            let novel = try await ann.post(
                "/api/v1/books", ["title": "Solaris", "authors": ["Stanisław Lem"], "year": 1961])
            let new: JSONValue = [
                "title": "Solaris", "kind": "film", "year": 1972, "genres": ["science-fiction"],
                "authors": [
                    ["name": "Andrei Tarkovsky", "role": "director"], ["name": "Eduard Artemyev", "role": "composer"],
                ], "minutes": 167, "format": "dvd",
            ]
            // A novel of the same name is no reason to doubt.
            let made = try await ann.post("/api/v1/books", new)
            #expect(made.status == .created && made.json["kind"] == "film", "\(made.text)")
            #expect(made.json["contributors"]?.elements.map { $0["role"] } == ["director", "composer"])
            #expect(made.json["editions"]?[0]?["minutes"] == 167)
            let film = try #require(made.json["id"]?.text), book = try #require(novel.json["id"]?.text)
            #expect(novel.json["contributors"]?[0]?["role"] == .null)
            let path = "/api/v1/books/\(film)"
            try await app.world.community.catalog.refreshBrowse()

            func ids(_ path: String) async throws -> [String?] {
                try await ann.get(path).json["items"]?.elements.map { ($0["book"] ?? $0)["id"]?.text } ?? []
            }
            #expect(try await Set(ids("/api/v1/search?q=solaris")) == [film, book])
            #expect(try await ids("/api/v1/search?q=solaris&kind=film") == [film])
            #expect(try await ids("/api/v1/search?author=tarkovsky") == [film])
            #expect(try await ids("/api/v1/books?kind=film") == [film])
            let director = try #require(made.json["authors"]?[0]?["id"]?.text)
            #expect(try await ids("/api/v1/books?author=\(director)") == [film])
            let found = try await ann.get("/api/v1/search?q=solaris").json["items"]?.elements ?? []
            #expect(Set(found.map { $0["kind"]?.text }) == ["film", "book"])

            #expect(try await ann.put(path + "/shelf", ["shelf": "read"]).status.kind == .successful)
            #expect(try await ann.put("/api/v1/books/\(book)/shelf", ["shelf": "read"]).status.kind == .successful)
            #expect(try await ids("/api/v1/me/shelves/read?kind=film") == [film])
            #expect(try await ids("/api/v1/me/shelves/read?kind=book") == [book])
            let shelved = try await ann.get("/api/v1/me/shelves/read").json["items"]?.elements ?? []
            #expect(Set(shelved.map { $0["book"]?["kind"]?.text }) == ["book", "film"])
            let rated = try await ann.put(path + "/rating", ["rating": 5])
            #expect(rated.status.kind == .successful)
            let mine = try await ann.get(path).json["my_rating"]
            #expect(mine == 5.0, "\(rated.text)")
            let thread = try await ann.post(path + "/threads", ["title": "The ocean", "body": "What is it?"])
            #expect(thread.status == .created, "\(thread.text)")
            #expect(try await ann.get(path + "/threads").json["items"]?[0]?["title"] == "The ocean")
            let list = try await ann.post("/api/v1/me/lists", ["title": "Both"])
            let listID = try #require(list.json["id"]?.text)
            for work in [film, book] { _ = try await ann.put("/api/v1/lists/\(listID)/books/\(work)", [:]) }
            let listed = try await ann.get("/api/v1/lists/\(listID)/books").json["items"]?.elements ?? []
            #expect(Set(listed.map { $0["book"]?["kind"]?.text }) == ["film", "book"], "\(listed)")
        }
    }

    @Test func `a role can be corrected, and one that is none is refused`() async throws {
        try await withApp { app in
            let lib = app.as(try await app.world.given.account("lib", role: .librarian))
            let made = try await lib.post(
                "/api/v1/books", ["title": "Stalker", "kind": "film", "authors": ["A. Tarkovsky"]])
            let (id, author) = (made.json["id"]?.text ?? "", made.json["authors"]?[0]?["id"] ?? .null)
            let path = "/api/v1/books/\(id)"
            let corrected = try await lib.patch(path, ["authors": [["id": author, "role": "director"]]])
            #expect(corrected.json["outcome"] == "applied", "\(corrected.text)")
            #expect(try await lib.get(path).json["contributors"]?[0]?["role"] == "director")
            #expect(
                try await lib.patch(path, ["authors": [["id": author, "role": "director"]]]).json["outcome"]
                    == "unchanged")
            let wrong = try await lib.patch(path, ["authors": [["id": author, "role": "boss"]]])
            #expect(wrong.status == .unprocessableContent && wrong.json["errors"]?[0]?["pointer"] == "/authors/0/role")
            let undone = try await lib.post("/api/v1/revisions/\(corrected.json["revision_id"]?.text ?? "")/undo", [:])
            #expect(undone.json["outcome"] == "applied")
            #expect(try await lib.get(path).json["contributors"]?[0]?["role"] == .null)
        }
    }

    @Test(.requirement("CAT-12"))
    func `who is named by an id has their own name in proposals and in the history, whatever is sent beside it`()
        async throws
    {
        try await withApp { app in
            let ann = app.as(try await app.world.given.account("ann"))
            let lib = app.as(try await app.world.given.account("lib", role: .librarian))
            let made = try await lib.post("/api/v1/books", ["title": "Emma", "authors": ["Jane Austen"]])
            let path = "/api/v1/books/\(made.json["id"]?.text ?? "")"
            let author = try #require(made.json["authors"]?[0]?["id"])
            let claimed: JSONValue = ["id": author, "name": "Somebody Else", "role": "illustrator"]
            let bodies: [(path: String, body: JSONValue, field: String)] = [
                (path, ["authors": [claimed]], "authors"),
                (path + "/editions", ["format": "audiobook", "contributors": [claimed]], "contributors"),
            ]
            for (place, body, field) in bodies {
                let proposed = try await (field == "authors" ? ann.patch(place, body) : ann.post(place, body))
                let proposal = "/api/v1/proposals/\(proposed.json["proposal_id"]?.text ?? "")"
                let shown = try await lib.get(proposal).json["changes"]?[field]?[0]
                #expect(shown?["name"] == "Jane Austen" && shown?["id"] == author, "\(proposed.text)")
                let accepted = try await lib.post(proposal + "/accept", [:])
                #expect(accepted.json["outcome"] == "applied", "\(accepted.text)")
                let thing = accepted.json["edition_id"]?.text.map { "/api/v1/editions/\($0)" } ?? path
                let history = try await app.get(thing + "/revisions").json["items"]?[0]?["after"]?[field]?[0]
                #expect(history?["name"] == "Jane Austen" && history?["role"] == "illustrator", "\(thing)")
                if thing != path {
                    let told = try await lib.patch(
                        thing, ["contributors": [["id": author, "name": "Nobody", "role": "editor"]]])
                    #expect(told.json["outcome"] == "applied", "\(told.text)")
                    #expect(try await app.get(thing).json["contributors"]?[0]?["name"] == "Jane Austen")
                }
            }
            for name in [String(repeating: "a", count: 1001), "\u{202E}olleh", ""] {
                let sent: JSONValue = ["id": author, "name": .string(name), "role": "editor"]
                let refused = try await ann.post(path + "/editions", ["contributors": [sent]])
                #expect(refused.pointers == ["/contributors/0/name"], "\(refused.text)")
            }
            let unknown = try await ann.post(path + "/editions", ["contributors": [["id": "99", "role": "editor"]]])
            #expect(unknown.pointers == ["/contributors/0/id"], "\(unknown.text)")
        }
    }

    @Test(.requirement("CAT-12"))
    func `a book that was merged away gets editions by its old id, as the one that stays`() async throws {
        try await withApp { app in
            let ann = app.as(try await app.world.given.account("ann"))
            let lib = app.as(try await app.world.given.account("lib", role: .librarian))
            let (old, new) = (try await app.world.given.book("Old"), try await app.world.given.book("New"))
            let other = "/api/v1/books/\(try await app.world.given.book("Other"))"
            let edition = "/api/v1/editions/\(try await app.get(other).json["editions"]?[0]?["id"]?.text ?? "")"
            let merged = try await lib.post("/api/v1/books/\(old)/merge", ["into": .string(new.text)])
            #expect(merged.status == .noContent)

            let added = try await lib.post("/api/v1/books/\(old)/editions", ["format": "braille"])
            #expect(added.status == .created, "\(added.text)")
            let page = try await app.get("/api/v1/editions/\(added.json["edition_id"]?.text ?? "")")
            #expect(page.json["book_id"]?.text == new.text, "\(page.text)")
            let proposed = try await ann.post("/api/v1/books/\(old)/editions", ["format": "large_print"])
            let proposal = try await ann.get("/api/v1/proposals/\(proposed.json["proposal_id"]?.text ?? "")")
            #expect(proposal.json["subject"]?["id"]?.text == new.text, "\(proposed.text)")

            let moved = try await lib.patch(edition, ["book": .string(old.text)])
            #expect(moved.json["outcome"] == "applied", "\(moved.text)")
            #expect(try await app.get(edition).json["book_id"]?.text == new.text)
            let history = try await app.get(edition + "/revisions").json["items"]?[0]
            #expect(history?["after"]?["book"]?.text == new.text, "\(history ?? .null)")
            #expect(try await lib.patch(edition, ["book": .string(old.text)]).json["outcome"] == "unchanged")
            #expect(try await lib.patch(edition, ["book": "99"]).pointers == ["/book"])
            let undone = try await lib.post("/api/v1/revisions/\(moved.json["revision_id"]?.text ?? "")/undo", [:])
            #expect(undone.json["outcome"] == "applied", "\(undone.text)")
        }
    }

    @Test(.requirement("CAT-12")) func `an edition of a book that was withdrawn is neither shown nor corrected`()
        async throws
    {
        try await withApp { app in
            let ann = app.as(try await app.world.given.account("ann"))
            let lib = app.as(try await app.world.given.account("lib", role: .librarian))
            let book = try await app.world.given.book("Gone")
            let page = try await app.get("/api/v1/books/\(book)").json
            let edition = "/api/v1/editions/\(page["editions"]?[0]?["id"]?.text ?? "")"
            #expect(try await app.get(edition).json["book_id"]?.text == book.text)
            try await app.world.asSuperuser("update work set withdrawn_at = now() where id = \(book)")
            #expect(try await app.get(edition).status == .notFound)
            for reader in [ann, lib] {
                #expect(try await reader.patch(edition, ["pages": 7]).status == .notFound)
            }
        }
    }
}
