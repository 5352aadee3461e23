import Community
import HTTPTypes
import TestSupport
import Testing
import Web

@Suite(.database, .enabled(if: Pictures.canBeConverted, "libvips is not installed"))
struct ImportingRoutesTests {
    private static let path = "/api/v1/me/notebook/import"

    /// Two books with all that a notebook may hold; gives the photograph, which is on a page of the first.
    private func fill(_ app: TestApp, as reader: Signed, _ emma: String, _ other: String) async throws -> String {
        let caller = app.as(reader)
        let kept = try await caller.send(
            .post, "/api/v1/books/\(emma)/photos", body: try Pictures.halves(400, 300, as: "a.png"),
            headers: [.contentType: "image/png"])
        let photo = try #require(kept.json["id"]?.text, "\(kept.text)")
        _ = try await caller.post("/api/v1/books/\(emma)/themes", ["name": "Pride", "color": "#4a90d9"])
        func folder(_ name: String, in parent: String? = nil) async throws -> String {
            let made = try await caller.post(
                "/api/v1/books/\(emma)/folders",
                ["name": .string(name), "parent_id": parent.map { .string($0) } ?? .null])
            return made.json["id"]?.text ?? ""
        }
        let people = try await folder("people")
        // Two of one name in one folder, and one of the same name elsewhere.
        let (first, second) = (try await folder("Emma", in: people), try await folder("Emma", in: people))
        _ = try await folder("Emma")
        for (index, place) in [first, second, second, people].enumerated() {
            _ = try await caller.post(
                "/api/v1/books/\(emma)/notes",
                [
                    "title": .string("Note \(index)"), "folder_id": .string(place), "theme_names": ["pride", "money"],
                    "place": ["page": 51, "page_count": 300], "visibility": index == 0 ? "public" : .null,
                    "items": [
                        ["kind": "text", "body": "a *text* of its own"],
                        ["kind": "picture", "photo_id": .string(photo)],
                        ["kind": "quote", "body": "badly done indeed", "place": ["percent": 51.55]],
                    ],
                ])
            app.world.clock.advance(by: .seconds(60))
        }
        _ = try await caller.post("/api/v1/books/\(other)/notes", ["title": "Elsewhere"])
        return photo
    }

    /// Takes all of a reader's notes, themes and folders away.
    private func clear(_ app: TestApp, as reader: Signed, _ books: String...) async throws {
        for book in books {
            for list in ["notes", "themes", "folders"] {
                for thing in try await app.as(reader).get("/api/v1/books/\(book)/\(list)?limit=100").json["items"]?
                    .elements
                    ?? []
                {
                    let path = "/api/v1/\(list)/\(thing["id"]?.text ?? "")"
                    _ = try await app.as(reader).delete(list == "folders" ? path + "?notes=keep" : path)
                }
            }
        }
    }

    @Test(.requirement("NOT-8"), arguments: [false, true])
    func `what was taken along comes back as it was, once`(isKeyed: Bool) async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.world.given.account("ann")
            let (emma, other) = (try await app.world.given.book("Emma"), try await app.world.given.book("Persuasion"))
            _ = try await fill(app, as: ann, emma.text, other.text)
            let before = try await app.as(ann).get("/api/v1/me/notebook.json")
            #expect(before.json["books"]?[0]?["notes"]?.elements.count == 4)

            func take(_ query: String, key: String) async throws -> TestAnswer {
                try await app.as(ann).send(
                    .post, Self.path + query, body: Array(before.text.utf8),
                    headers: isKeyed
                        ? [.contentType: "application/json", .idempotencyKey: key]
                        : [.contentType: "application/json"])
            }
            // All of it is there.
            let there = try await take("?is_dry_run=false", key: "there")
            #expect(there.status == .ok && there.json["known_note_count"]?.number == 5)
            #expect(there.json["note_count"]?.number == 0 && there.json["folder_count"]?.number == 0)

            try await clear(app, as: ann, emma.text, other.text)
            let empty = try await app.as(ann).get("/api/v1/me/notebook.json")
            #expect(empty.json["books"]?.elements.isEmpty == true)
            app.world.clock.advance(by: .seconds(3600))
            let dry = try await take("", key: "dry")
            #expect(dry.status == .ok && dry.json["is_dry_run"] == true && dry.json["note_count"]?.number == 5)
            #expect(dry.json["folder_count"]?.number == 4 && dry.json["theme_count"]?.number == 2)
            #expect(dry.json["unmatched_count"]?.number == 0)
            #expect(try await app.as(ann).get("/api/v1/me/notebook.json").json["books"]?.elements.isEmpty == true)

            let done = try await take("?is_dry_run=false", key: "done")
            #expect(done.json["note_count"] == dry.json["note_count"] && done.json["book_count"]?.number == 2)
            let after = try await app.as(ann).get("/api/v1/me/notebook.json")
            #expect(Self.plain(after.json) == Self.plain(before.json))
            // Found again, and counted.
            let found = try await app.as(ann).get("/api/v1/me/notebook/search?q=badly").json["items"]
            #expect(found?.elements.count == 4)
            let kept = try await app.as(ann).get("/api/v1/books/\(emma)/notebook").json
            #expect(kept["note_count"]?.number == 4 && kept["folder_count"]?.number == 4)
            #expect(kept["themes"]?["items"]?.elements.map { $0["note_count"]?.number } == [4, 4])

            // By either file: what came in is known.
            for file in [before, after] {
                let again = try await app.as(ann).send(
                    .post, Self.path + "?is_dry_run=false", body: Array(file.text.utf8),
                    headers: [.contentType: "application/json"])
                #expect(again.json["known_note_count"]?.number == 5 && again.json["note_count"]?.number == 0)
                #expect(again.json["theme_count"]?.number == 0 && again.json["folder_count"]?.number == 0)
            }
        }
    }

    /// A file without what names its things and itself: folders by the names of those that they stand in.
    private static func plain(_ file: JSONValue) -> JSONValue {
        let books = (file["books"]?.elements ?? []).map { book in
            let folders = book["folders"]?.elements ?? []
            func path(of id: String?, _ depth: Int = 0) -> String {
                guard depth < 9, let folder = folders.first(where: { $0["id"]?.text == id }) else { return "" }
                return path(of: folder["parent_id"]?.text, depth + 1) + "/" + (folder["name"]?.text ?? "")
            }
            let notes = (book["notes"]?.elements ?? []).map { note in
                var members = note.members
                members["id"] = nil
                members["folder_id"] = .string(path(of: note["folder_id"]?.text))
                return JSONValue.object(members)
            }
            var members = book.members
            members["notes"] = .array(notes)
            members["folders"] = .array(folders.map { .string(path(of: $0["id"]?.text)) })
            return JSONValue.object(members)
        }
        return .array(books)
    }

    @Test(.requirement("NOT-8")) func `what finds no place is listed, and nobody gets what is another's`() async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (try await app.world.given.account("ann"), try await app.world.given.account("ben"))
            let (emma, other) = (try await app.world.given.book("Emma"), try await app.world.given.book("Persuasion"))
            let photo = try await fill(app, as: ann, emma.text, other.text)
            let file = try await app.as(ann).get("/api/v1/me/notebook.json").text
            // Elsewhere the books have other ids: nothing but a title is no match.
            let moved = file.replacing("\"book_id\":\"\(other)\"", with: "\"book_id\":\"77\"")
            let taken = try await app.as(ben).send(
                .post, Self.path + "?is_dry_run=false", body: Array(moved.utf8),
                headers: [.contentType: "application/json"])
            #expect(taken.status == .ok && taken.json["note_count"]?.number == 4)
            let unmatched = try #require(taken.json["unmatched"]?.elements)
            #expect(unmatched.count { $0["kind"] == "photo" } == 4 && taken.json["unmatched_count"]?.number == 5)
            #expect(unmatched.filter { $0["kind"] == "book" }.map { $0["title"]?.text } == ["Persuasion"])
            let his = try await app.as(ben).get("/api/v1/me/notebook.json")
            #expect(!his.text.contains(photo))
            // His are his: hers are what they were.
            #expect(try await app.as(ann).get("/api/v1/me/notebook.json").json["books"]?.elements.count == 2)
            let id = his.json["books"]?[0]?["notes"]?[1]?["id"]?.text ?? ""
            #expect(try await app.as(ben).get("/api/v1/notes/\(id)").status == .ok)
            #expect(try await app.as(ann).get("/api/v1/notes/\(id)").status == .notFound)
        }
    }

    @Test(.requirement("NOT-8")) func `a book is found by an ISBN where its id is another's`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.world.given.account("ann")
            let book = try await app.world.given.book("Emma", isbn: try ISBN("9780141439587"))
            let foreign = try await app.world.given.book("Quite another")
            let file: JSONValue = [
                "format": "commonplace.notebook", "version": 1,
                "books": [
                    [
                        "book_id": .string(foreign.text), "title": "Emma: a novel", "isbns": ["978-0-14-143958-7"],
                        "notes": [["id": "5", "title": "from elsewhere", "visibility": .null]],
                    ]
                ],
            ]
            let taken = try await app.as(ann).post(Self.path + "?is_dry_run=false", file)
            #expect(taken.status == .ok && taken.json["note_count"]?.number == 1)
            #expect(try await app.as(ann).get("/api/v1/books/\(book)/notebook").json["note_count"]?.number == 1)
            #expect(try await app.as(ann).get("/api/v1/books/\(foreign)/notebook").json["note_count"]?.number == 0)
            #expect(
                try await app.as(ann).post(Self.path + "?is_dry_run=false", file).json["known_note_count"]?.number == 1)
        }
    }

    @Test(.requirement("NOT-8")) func `a file that is at fault is refused with its places, and nothing of it is kept`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.world.given.account("ann")
            let book = try await app.world.given.book("Emma")
            func answer(_ book: JSONValue, format: JSONValue = "commonplace.notebook") async throws -> TestAnswer {
                try await app.as(ann).post(
                    Self.path + "?is_dry_run=false", ["format": format, "version": 1, "books": [book]])
            }
            func about(_ members: [String: JSONValue]) -> JSONValue {
                .object(["book_id": .string(book.text), "title": "Emma"].merging(members) { $1 })
            }
            let circle: JSONValue = [
                ["id": "1", "parent_id": "2", "name": "a"], ["id": "2", "parent_id": "1", "name": "b"],
            ]
            let deep = JSONValue.array(
                (1...9).map {
                    ["id": .string("\($0)"), "parent_id": $0 == 1 ? .null : .string("\($0 - 1)"), "name": "a"]
                })
            let cases: [(JSONValue, [String])] = [
                (about(["folders": circle]), ["/books/0/folders"]),
                (about(["folders": deep]), ["/books/0/folders"]),
                (about(["folders": [["id": "1", "name": "a"], ["id": "1", "name": "b"]]]), ["/books/0/folders"]),
                (about(["notes": [["id": "1", "folder_id": "9"]]]), ["/books/0/notes/0/folder_id"]),
                (
                    about(["notes": [["id": "x", "title": "", "place": ["position": 10_001]]]]),
                    ["/books/0/notes/0/id", "/books/0/notes/0/place/position", "/books/0/notes/0/title"]
                ),
                (
                    about(["notes": [["id": "1", "title": " ", "items": [["kind": "text", "body": " "]]]]]),
                    ["/books/0/notes/0/items/0/body", "/books/0/notes/0/title"]
                ),
                (
                    about(["notes": [["id": "1", "items": [["kind": "text"], ["kind": "song"]]]]]),
                    ["/books/0/notes/0/items/0/body", "/books/0/notes/0/items/1/kind"]
                ),
                (about(["themes": [["name": "red", "color": "red####"]]]), ["/books/0/themes/0/color"]),
                (about(["notes": [["id": "1", "created_at": "yesterday"]]]), ["/books/0/notes/0/created_at"]),
                (about(["notes": [["id": "1", "colour": "red"]]]), ["/books/0/notes/0/colour"]),
            ]
            for (file, pointers) in cases {
                let refused = try await answer(file)
                #expect(refused.status == .unprocessableContent, "\(pointers)")
                #expect(refused.pointers.sorted() == pointers, "\(pointers)")
            }
            #expect(try await answer(about([:]), format: "obsidian").pointers == ["/format"])
            let large = [UInt8](repeating: UInt8(ascii: " "), count: Limits.notebook.file + 1)
            let refused = try await app.as(ann).send(
                .post, Self.path, body: large, headers: [.contentType: "application/json"])
            #expect(refused.status == .contentTooLarge)
            let many = JSONValue.array((0..<501).map { ["name": .string("theme \($0)")] })
            #expect(try await answer(about(["themes": many])).status == .unprocessableContent)
            #expect(try await app.as(ann).get("/api/v1/me/notebooks").json["items"]?.elements.isEmpty == true)
        }
    }
}
